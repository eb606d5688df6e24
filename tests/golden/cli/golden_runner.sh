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
