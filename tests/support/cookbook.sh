#!/usr/bin/env bash
# Every ```credence block of COOKBOOK.md runs on its own, as from a file in the folder of the project, and its expectations hold; every
# heading is in the contents.  cookbook.sh ROOT CREDENCE
set -uo pipefail
root=$1
program=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$root/examples" "$work/examples"
cd "$work" || exit 1
awk '/^```credence$/ { inside = 1; ++n; next } /^```$/ { inside = 0 } inside { print > sprintf("block_%03d.cred", n) }' "$root/COOKBOOK.md"

blocks=0 failed=0
for block in block_*.cred; do
  blocks=$((blocks + 1))
  if ! said=$("$program" --timeout 60 "$block" 2>&1); then
    failed=$((failed + 1))
    printf 'FAIL %s\n%s\n%s\n' "$block" "$(cat "$block")" "$said"
  fi
done
while read -r heading; do
  grep -qiF "[$heading]" "$root/COOKBOOK.md" || { failed=$((failed + 1)); printf 'not in the contents: %s\n' "$heading"; }
done < <(sed -n 's/^### //p' "$root/COOKBOOK.md")
printf '%d blocks, %d failed\n' "$blocks" "$failed"
[[ $failed -eq 0 && $blocks -ge 40 ]]
