credence help --man | head -4 | tail -3
credence help --reference | head -1
credence help --topics | grep -x 'knn\|E-ZERO\|hypotheses\|markov_blanket'
credence help gibbs
credence help E-ZERO
