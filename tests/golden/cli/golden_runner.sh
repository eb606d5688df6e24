# credence test: compares, shows the difference, counts; --update writes, but not where an expectation fails.
mkdir t
echo '1/2' >t/a.cred
echo 'expect 1 == 2' >t/b.cred
credence test t
echo "status $?"
credence test t --update
echo "status $?"
ls t
rm t/b.cred
credence test t
echo "status $?"
echo '1/3' >t/a.cred
credence test t
echo "status $?"
credence test nowhere
echo "status $?"
# A script without an .out file passes when it runs clean, and is counted; --complete wants them all.
echo '1/4' >t/c.cred
credence test t/c.cred
credence test --complete t/c.cred
echo "status $?"
# What is not a script is neither run nor rewritten.
credence test --update t/*
echo "status $?"
cat t/a.out
echo 'n' >t/d.cred
credence test --threads 1 --set n=3 --update t/d.cred
cat t/d.out
credence test --json t
echo "status $?"
