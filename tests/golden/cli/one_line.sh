# A line of Credence in place of a script, and help by what its texts say.
status() { "$@"; echo "status $?"; }
status credence -e '1/3 + 1/6'
status credence -e 'net N { A : 0.2 }; P(A)' --json
status credence -e 'P(A'
status credence -e '1' file.cred
status credence help confidence interval
status credence help "zzzz yyyy"
status credence help confusion matrix
status credence help svm kernel
status credence help EM
status credence help precision
status credence run -e '1 + 1'
status credence check -e '1'
