# Out of time: said as an error of its own by every command that runs scripts.
echo 'let slow = sum([sum([i mod j for j in 1..1000]) for i in 1..200000])' >slow.cred
credence --timeout 0.2 slow.cred
echo "status $?"
credence --json --timeout 0.2 slow.cred
credence report --timeout 0.2 slow.cred -o page.html
echo "status $?"
credence test --timeout 0.2 slow.cred
echo "status $?"
