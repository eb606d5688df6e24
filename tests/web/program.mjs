// What the tests of the web build share: where it is, whether it is there, and an instance of the program under node.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const tree = process.argv[2];
export const site = join(tree, "build/web/site");
export const require_page = createRequire(join(tree, "build/web/page/"));

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

function newest(folder) {
  return Math.max(0, ...readdirSync(folder, { withFileTypes: true }).map(entry => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newest(path) : /\.(cpp|hpp|def|cred|ts|mjs|css|html)$/.test(entry.name) ? statSync(path).mtimeMs : 0;
  }));
}

/// Skips where there is no web build, or one of other sources.
export function need_build(sources, built) {
  for (const file of ["credence.wasm", "credence.js", built])
    if (!existsSync(join(site, file))) skip("there is no build/web; ./dev web makes it");
  const time = statSync(join(site, built)).mtimeMs;
  if (Math.max(...sources.map(folder => newest(join(tree, folder)))) > time) skip("build/web is older than its sources; ./dev web makes it again");
}

/// Starts instances of the program; `ask` gives the reply with the events.
export async function load_program() {
  const module = await WebAssembly.compile(readFileSync(join(site, "credence.wasm")));
  const credence = createRequire(import.meta.url)(join(site, "credence.js"));
  return async (options = {}) => {
    const events = [];
    const program = await credence({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports).then(done);
        return {};
      },
      onEvent: text => events.push(JSON.parse(text)),
      stdin: () => null,
      print: () => undefined,
      printErr: () => undefined,
      ...options,
    });
    const ask = request => {
      events.length = 0;
      const text = program.allocateUTF8(JSON.stringify(request));
      const reply = program._credence_ask(text);
      const out = JSON.parse(program.UTF8ToString(reply));
      program._free(text);
      program._free(reply);
      return { reply: out, events: [...events] };
    };
    return { program, ask };
  };
}
