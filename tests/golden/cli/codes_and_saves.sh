# Codes keep their zeros in columns of labels, through files and queries; save as a statement prints its note alone.
set -e
printf 'id,zip,v\n007,01234,1\n7,98765,2\n7.0,00501,3\n' > codes.csv
cat > codes.cred <<'S'
let declared = load("codes.csv", types: {id: label})
declared
expect P(v | id = "007") in declared == {1: 1, 2: 0, 3: 0}
expect count(unique(declared.id)) == 2 # 7 and 7.0 are one label
expect rows(where(declared, r -> r.zip == "00501")) == 1
let numeric = load("codes.csv", types: {id: number, zip: number})
expect numeric.id == [7, 7, 7]
expect numeric.zip == [1234, 98765, 501]
save(declared, "again.csv")
declared |> save("again.jsonl")
expect load("again.csv", types: {id: label}) == declared
expect load("again.jsonl").id == declared.id
let kept = save(head(declared, 1), "one.csv")
expect rows(kept) == 1
save(train naive_bayes() on load("codes.csv", types: {id: label, v: label}, target: v), "model.json")
expect P(v = 1 | id = "007") in load("model.json") > 0.9
S
credence codes.cred
cat again.csv
