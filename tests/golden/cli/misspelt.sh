# A word that names no file but nearly a command: nothing is run.
echo '"ran"' >a.cred
credence chekc a.cred
echo "status $?"
credence nothing_like_it a.cred
echo "status $?"
echo '"a script of that name"' >chekc
credence chekc
credence frobnicate
echo "status $?"
credence a.cred --seeds 3
echo "status $?"
credence run
echo "status $?"
