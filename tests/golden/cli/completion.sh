source <(credence completion bash)
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _credence
  printf '%s:' "$*"
  printf ' %s' "${COMPREPLY[@]}"
  echo
}
touch a.cred b.txt
mkdir folder
complete_words credence c
complete_words credence --see
complete_words credence --color n
complete_words credence run ''
complete_words credence test --up
complete_words credence help E-ZE
complete_words credence help naive_bayes_
complete_words credence completion ''
complete_words credence --seed ''
complete -p credence
credence completion zsh | head -3
credence completion fish | head -1
credence completion csh
echo "status $?"
