echo '2/3; sqrt(2); sample 3 from {a: 1, b: 1, c: 1}' >x.cred
credence --digits 3 --seed 7 x.cred
credence --seed 7 --threads 2 x.cred
echo '"not printed"; 1 / 0' >y.cred
credence --quiet y.cred
echo "status $?"
echo 'n + 1; "{word}"' >z.cred
credence --set n=41 --set 'word="hello"' z.cred
echo 'let n = 2; n' >w.cred
credence --set n=1 w.cred
credence --quiet --set n=1 w.cred
credence --set 'n=1; let q = 2' w.cred
echo "status $?"
credence fmt --set n=1 w.cred
echo "status $?"
