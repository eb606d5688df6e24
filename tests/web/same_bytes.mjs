// The goldens in the program for the browser, under node: the same bytes as those of the native program.
// usage: same_bytes.mjs SOURCE_TREE [PART OF A NAME]

import { readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

import { load_program, need_build, tree } from "./program.mjs";
import { excluded } from "./excluded.mjs";

const folders = ["examples", "tests/golden/language", "tests/golden/errors", "tests/golden/web"];
const stack_megabytes = 64;

function files_in(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files_in(path) : [path];
  });
}

/// In memory, as they lie in the tree.
function copy_files(program, made) {
  for (const folder of folders)
    for (const path of files_in(join(tree, folder))) {
      const inside = "/" + relative(tree, path);
      for (let at = inside.indexOf("/", 1); at > 0; at = inside.indexOf("/", at + 1))
        if (!made.has(inside.slice(0, at))) {
          program.FS.mkdir(inside.slice(0, at));
          made.add(inside.slice(0, at));
        }
      program.FS.writeFile(inside, readFileSync(path));
    }
}

async function compare(scripts) {
  const start = await load_program();
  let current = null;
  for (const script of scripts) {
    if (!current) {
      current = await start({ stackKilobytes: 12 << 10 });
      copy_files(current.program, new Set());
    }
    const inside = "/" + relative(tree, script);
    let said;
    try {
      const request = { op: "run", name: basename(script), code: readFileSync(script, "utf8"), folder: dirname(inside) };
      const { events } = current.ask(request);
      said = events.filter(e => e.kind !== "progress").map(e => e.text).join("");
      if (current.program.HEAPU8.byteLength > 300 << 20) current = null;
    } catch (error) {
      said = `the program ended: ${error}`;
      current = null;
    }
    const wanted = readFileSync(script.replace(/\.cred$/, ".out"), "utf8");
    parentPort.postMessage({ script: relative(tree, script), same: said === wanted, said, wanted });
  }
}

function first_difference(wanted, said) {
  const a = wanted.split("\n");
  const b = said.split("\n");
  const at = a.findIndex((line, i) => line !== b[i]);
  const i = at < 0 ? a.length : at;
  return `  line ${i + 1}\n  - ${a[i]}\n  + ${b[i]}`;
}

async function main() {
  need_build(["runtime", "lang", "stdlib"], "credence.wasm");
  const part = process.argv[3] ?? "";
  const all = folders.flatMap(folder => files_in(join(tree, folder))).filter(path => path.endsWith(".cred") && path.includes(part) &&
    statSync(path.replace(/\.cred$/, ".out"), { throwIfNoEntry: false }));
  const scripts = all.filter(path => part || !excluded[relative(tree, path)]);
  let failed = 0;
  let same = 0;
  await Promise.all([0, 1].map(k => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      argv: process.argv.slice(2), workerData: scripts.filter((_, i) => i % 2 === k), resourceLimits: { stackSizeMb: stack_megabytes },
    });
    worker.on("message", result => {
      if (result.same) return ++same;
      ++failed;
      console.log(`FAIL ${result.script}\n${first_difference(result.wanted, result.said)}`);
    });
    worker.on("error", reject).on("exit", resolve);
  })));
  console.log(`${same} of ${scripts.length} scripts have the same bytes, ${all.length - scripts.length} left out (tests/web/excluded.mjs says why)`);
  const unknown = part ? [] : Object.keys(excluded).filter(path => !all.includes(join(tree, path)));
  for (const path of unknown) console.log(`FAIL ${path} is left out and does not exist`);
  process.exit(failed + unknown.length > 0 || same < scripts.length ? 1 : 0);
}

if (isMainThread) await main();
else await compare(workerData);
