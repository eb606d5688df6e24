// The script of an empty page.

export const starter = `# Should we diagnose cancer after a positive test?
net Clinic {
  Diagnosis        : { cancer: 0.008, healthy: 0.992 }
  Test | Diagnosis : {
    cancer : { pos: 0.98, neg: 0.02 }
    healthy: { pos: 0.03, neg: 0.97 }
  }
}
P(Diagnosis | Test = pos)
argmax P(Diagnosis | Test = pos)
plot(P(Diagnosis | Test = pos), title: "after a positive test")
`;
