# No colour unless on a terminal or asked for; NO_COLOR is honoured.
echo '1 / 0' >x.cred
count() { grep -c $'\e\[' || true; }
credence x.cred 2>&1 | count
credence --color always x.cred 2>&1 | grep -q $'\e\[' && echo coloured
credence --color never x.cred 2>&1 | count
NO_COLOR=1 credence x.cred 2>&1 | count
