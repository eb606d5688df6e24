# Nets and tables from one format to another.
cat >coin.cred <<'N'
net Coin {
  Fair : { yes: 0.9, no: 0.1 }
  `First toss` in {heads, tails} | Fair : { yes: { heads: 1/2, tails: 1/2 }, no: { heads: 3/4, tails: 1/4 } }
}
N
credence convert coin.cred coin.bif
echo "status $?"
cat coin.bif
for ending in xml net dsc uai; do
  credence convert coin.bif "coin.$ending"
  echo "status $? from $ending"
done
cat coin.net coin.uai
credence convert coin.xml back.cred
cat back.cred
credence check back.cred
echo "status $?"
printf 'size,colour\n1.5,red\n?,"dark blue"\n' >t.csv
credence convert t.csv t.arff
cat t.arff
credence convert t.arff t.jsonl
cat t.jsonl
credence convert t.jsonl t.tsv
cat t.tsv
# what cannot be
credence convert t.csv t.bif
echo "status $?"
status() { "$@" 2>&1 | sed 's/one of .*/one of …/'; echo "status ${PIPESTATUS[0]}"; }
status credence convert coin.bif coin.doc
status credence convert coin.pdf coin.bif
credence convert nowhere.bif coin.xml
echo "status $?"
credence convert coin.bif
echo "status $?"
echo 'let x = 1' >nothing.cred
credence convert nothing.cred nothing.bif
echo "status $?"
