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
