# Files that are imported are named from where the program was started; circles name their links.
mkdir -p a/lib
echo 'import "lib/b.cred"' >a/main.cred
echo 'import "c.cred"' >a/lib/b.cred
echo 'let x = 1 / 0' >a/lib/c.cred
credence a/main.cred
echo 'import "../main.cred"' >a/lib/c.cred
credence a/main.cred
credence --root a a/main.cred
echo 'import "nowhere.cred"' >a/lib/c.cred
credence a/main.cred
