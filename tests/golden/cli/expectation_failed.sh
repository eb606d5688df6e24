# A failed expectation shows both sides and its source; the script goes on, and the status is 1.
cat >x.cred <<'S'
expect 1/2 + 1/3 == 1
expect sqrt(2) == 1.5 within 0.01 from "a wrong table"
expect 2 > 3
expect error "E-SUM": 1 / 0
expect error: 1 + 1
"still here"
S
credence x.cred
echo "status $?"
