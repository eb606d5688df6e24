# 0 fine, 1 a script, test or expectation failed, 2 usage.
status() { "$@" >/dev/null 2>&1; echo "$? from $*"; }
echo '1 + 1' >fine.cred
echo '1 / 0' >stops.cred
echo 'let x = unknown_word' >unchecked.cred
echo 'expect 1 == 2' >wrong.cred
echo 'expect error: 1 / 0' >expected.cred
status credence fine.cred
status credence run fine.cred expected.cred
status credence stops.cred
status credence unchecked.cred
status credence wrong.cred
status credence fine.cred nowhere.cred
status credence check fine.cred stops.cred
status credence check unchecked.cred
status credence --no-such-option
status credence --digits 40 fine.cred
status credence --color pink fine.cred
status credence --max-memory lots fine.cred
status credence --set nothing fine.cred
status credence check
status credence help mean
status credence help no_such_topic
status credence help E-SUM
status credence --version
status credence --help
