# Files outside --root are refused.
mkdir inside
printf 'x\n1\n' >outside.csv
printf 'x\n2\n' >inside/here.csv
ln -s ../outside.csv inside/link.csv
echo 'load("here.csv").x' >inside/a.cred
echo 'load("../outside.csv").x' >inside/b.cred
echo 'load("link.csv").x' >inside/c.cred
echo 'import "../../nowhere.cred"' >inside/d.cred
for f in a b c d; do
  credence --root inside "inside/$f.cred"
  echo "status $?"
done
credence --root inside new made
echo "status $?"
ls
