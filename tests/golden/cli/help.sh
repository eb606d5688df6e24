credence help E-LABEL
credence help e-sum
credence help choose
credence help let
credence help bets
echo "status $?"
