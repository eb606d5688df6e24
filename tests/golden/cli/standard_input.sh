# A script from standard input; paths and places name it so.
printf '1 + 1\nlet y = 2\n"y is {y}"\n' | credence
printf 'let x = unknown_word\n' | credence
echo "status $?"
printf '' | credence
echo "status $? of nothing"
