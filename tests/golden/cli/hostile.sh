# Text that is none: each gets a diagnostic and status 1, never a crash.
try() { printf "$1" >x.cred; credence x.cred; echo "status $?"; }
try 'let a = "\\xff\\xfe"\n1 + \xff\xfe 2\n'
try '1 + \x00 2\n'
try '\x01\x02\n'
try '"abc\\u{110000}"\n'
