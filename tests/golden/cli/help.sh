credence help E-LABEL
credence help e-sum
credence help choose | head -5
credence help let
credence help bets
echo "status $?"
credence help report
credence help lsp
credence help reprot
echo "status $?"
