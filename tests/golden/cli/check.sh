#!/usr/bin/env bash
# Goldens of the program itself: each x.sh here is run in an empty folder with `credence` on the path; what it
# says on both channels and its status are compared with x.out.  check.sh CREDENCE [--update]
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(realpath "${1:?check.sh CREDENCE [--update]}")
update=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/credence"

passed=0 failed=0
for script in "$here"/*.sh; do
  name=$(basename "$script" .sh)
  [[ $name == check ]] && continue
  mkdir "$work/$name"
  said=$(cd "$work/$name" && env -u NO_COLOR PATH="$work/bin:$PATH" bash "$script" 2>&1 </dev/null)
  golden=$here/$name.out
  if [[ $update == --update ]]; then printf '%s\n' "$said" >"$golden"; fi
  if difference=$(diff -u "$golden" <(printf '%s\n' "$said")); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n%s\n' "$name" "$difference"
  fi
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
