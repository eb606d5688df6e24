// Goldens that are not run in the browser's program, with the reason.

export const excluded = {
  "examples/nets/net_files.cred": "there is no reader of XML",
  "tests/golden/errors/E-COST/chain_of_counts.cred": "1 GB of memory ends before the limit on numbers is met",
};
