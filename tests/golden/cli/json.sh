# One object a value on standard output, one a diagnostic on standard error.
cat >x.cred <<'S'
net Clinic {
  Sick : { yes: 0.1, no: 0.9 }
  Test | Sick : { yes: { pos: 0.9, neg: 0.1 }, no: { pos: 0.2, neg: 0.8 } }
}
P(Sick | Test = pos)
P(Test, Sick)
1/3
sqrt(2)
"a text"
true
[1, 1/2]
{a: 1}
{1, 2}
<1, ?>
argmax {a: 1, b: 1}
L(Sick = yes)
normal(1/2, 1)
categorical({a: 1/4, b: 3/4})
table t { x c -> k; 1/3 u -> yes; ? w -> no }
t
L(Sick = yes | Sick = no)
1 / 0
S
credence --json x.cred 2>err
echo "status $?"
cat err
