# What cannot be written is an error, whatever the script says; a reader that has had enough is none.
echo '1/2' >a.cred
lost() { "$@" >/dev/full; echo "status $? from $*"; }
lost credence a.cred
lost credence --json a.cred
lost credence test a.cred
lost credence help mean
lost credence help --topics
lost credence completion bash
lost credence --version
echo 'let  x = 1' | lost credence fmt -
lost credence report a.cred
credence --quiet a.cred >/dev/full
echo "status $? where nothing was to be written"
credence help --reference | head -n 1
