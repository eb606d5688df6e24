# Compressed tables, words for missing cells, columns that are nearly numbers.
status() { "$@"; echo "status $?"; }
printf 'x,y\n1,a\n2,b\n' | gzip >t.csv.gz
status credence -e 'load("t.csv.gz", target: y)'
printf 'x,y\n1,a\n2,b\n' >plain.csv.gz
status credence -e 'load("plain.csv.gz")'
head -c 25 t.csv.gz >cut.csv.gz
status credence -e 'load("cut.csv.gz")'
printf 'age,lens\n31,none\nNA,soft\n-,none\n' >lenses.csv
status credence -e 'load("lenses.csv", target: lens)'
status credence -e 'load("lenses.csv")'
status credence -e 'load("lenses.csv", missing: ["?"])'
printf 'n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nmany\n' >nearly.csv
status credence -e 'rows(load("nearly.csv"))'
printf 'price;n\n1,5;1\n2,25;2\n' >commas.csv
status credence -e 'load("commas.csv")'
status credence -e 'mean(with_column(load("commas.csv"), price, r -> replace(r.price, ",", ".")).price)'
printf 'price;n\n"1,200";1\n55.5;2\n' >thousands.csv
status credence -e 'mean(with_column(load("thousands.csv"), price, r -> replace(r.price, ",", "")).price)'
printf '1.5,2.5\n3,4\n5,6\n' >nameless.csv
status credence -e 'rows(load("nameless.csv"))'
printf 'a b c\n1 2 3\n4 5 6\n' >blanks.txt
status credence -e 'load("blanks.txt")'
printf 'p,q\n1,2\n3\n' >short.csv
status credence -e 'load("short.csv")'
printf 'p,q\n1,2\n3,4,5\n' >long.csv
status credence -e 'load("long.csv")'
