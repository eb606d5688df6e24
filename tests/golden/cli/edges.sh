# Numbers of options at and beyond their edges; sizes that are taken are larger than what sanitizers reserve.
echo '1 + 1' >a.cred
for seconds in 1e10 1e300 nan inf 0 -1 1e400 soon; do credence --timeout $seconds a.cred; echo "status $?"; done
for seed in 18446744073709551615 18446744073709551616 1.5; do credence --seed $seed a.cred; echo "status $?"; done
for size in 100000000m 100000G 100000000000k nan inf 1e30 1e12G 0 -5 5T M; do credence --max-memory $size a.cred; echo "status $?"; done
