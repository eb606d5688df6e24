# A script from standard input; paths and places name it so.
printf '1 + 1\nlet y = 2\n"y is {y}"\n' | credence
printf 'let x = unknown_word\n' | credence
echo "status $?"
printf '' | credence
echo "status $? of nothing"
for command in run check ''; do
  echo "-- $command"
  printf 'let x = 1 / 0\n' | credence $command -
  echo "status $?"
done
printf '1 + 1\n' | credence report - | grep -c '<h1>'
printf 'let  x = 1\n' | credence fmt --check -
echo "status $?"
printf 'let  x = 1\n' | credence fmt -
printf 'let x = (\n' | credence fmt --json -
credence /dev/zero; echo "status $?"
credence - </dev/zero; echo "status $?"
credence check - </dev/zero; echo "status $?"
