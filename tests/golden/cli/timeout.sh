# Out of time: said as an error of its own by every command that runs scripts. Where the script was just then is left out.
echo 'let slow = sum([sum([i mod j for j in 1..1000]) for i in 1..200000])' >slow.cred
late() { "$@" 2>&1 | grep -e TIMEOUT -e FAIL -e 'stopped after' -e passed; echo "status ${PIPESTATUS[0]} from $*"; }
late credence --timeout 0.2 slow.cred
late credence --json --timeout 0.2 slow.cred
late credence report --timeout 0.2 slow.cred -o page.html
late credence test --timeout 0.2 slow.cred
