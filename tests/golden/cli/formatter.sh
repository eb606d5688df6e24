cat >x.cred <<'S'
# a comment
let   x=1+2   # at the end
net N{A:{a:0.5,b:0.5}
  B|A:{a:0.1,b:0.2}}


fn f( x,y )=x*y
S
credence fmt --check x.cred
echo "status $?"
credence fmt x.cred
cat x.cred
credence fmt --check x.cred
echo "status $?"
printf 'let y=2' | credence fmt -
echo 'let = ' >bad.cred
credence fmt bad.cred
echo "status $?"
cat bad.cred
