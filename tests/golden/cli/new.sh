credence new first
ls first
cat first/first.cred
cat first/first.out
credence test first
credence fmt --check first/first.cred
echo "status $?"
(cd first && credence first.cred | head -3)
credence new first
echo "status $?"
credence new deep/er
credence test deep
credence new ..
echo "status $?"
credence new
echo "status $?"
