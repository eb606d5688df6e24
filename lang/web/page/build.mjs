// Builds the page: node build.mjs SOURCE_TREE SITE. The program itself is there already.

import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from "node:zlib";
import { Marked } from "marked";

const [tree, site] = process.argv.slice(2);
const here = dirname(new URL(import.meta.url).pathname);
const read = (...path) => readFileSync(join(...path), "utf8");
const escaped = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/// The style of reports: its colours for the whole page, its rules for what stands in an answer.
function reportStyle() {
  const text = [...read(tree, "lang/cli/report/style.cpp").matchAll(/R"css\(([\s\S]*?)\)css"/g)].map(m => m[1]).join("");
  const rules = text.indexOf("* { box-sizing");
  const inAnswers = text.slice(rules).replace(/^(\*|body|h1) \{[^}]*\}$/gm, "").replace(/@media print \{[\s\S]*?\n\}/, "");
  return `${text.slice(0, rules)}\n.result, .explanation {\n${inAnswers}\n}\n`;
}

async function page() {
  const common = { bundle: true, minify: true, target: ["chrome110", "firefox115", "safari16.4"], legalComments: "none", logLevel: "warning" };
  for (const name of ["main", "worker"])
    await build({ ...common, entryPoints: [join(here, "src", `${name}.ts`)], outfile: join(site, name === "main" ? "page.js" : "worker.js"), format: "iife" });
  for (const name of ["page", "guide"])
    await build({ ...common, stdin: { contents: reportStyle() + read(here, `${name}.css`), loader: "css" }, outfile: join(site, `${name}.css`) });
  cpSync(join(here, "index.html"), join(site, "index.html"));
}

/// The first comment of a script, up to the end of its first sentence.
function titleOf(code) {
  const line = code.split("\n").find(l => /^#+ *\S/.test(l)) ?? "";
  return line.replace(/^#+ */, "").replace(/[:.]$/, "");
}

function examples() {
  const all = [];
  const files = {};
  const root = join(tree, "examples");
  for (const subject of readdirSync(root).filter(name => statSync(join(root, name)).isDirectory()))
    for (const file of readdirSync(join(root, subject)).sort()) {
      const path = join(root, subject, file);
      if (extname(file) !== ".cred") {
        if (extname(file) !== ".out") files[file] = read(path);
        continue;
      }
      // Files of other folders lie beside the script here.
      const code = read(path).replace(/"\.\.\/[a-z_]+\/([^"/]+)"/g, '"$1"');
      all.push({ subject, name: basename(file, ".cred"), title: titleOf(code), code });
    }
  for (const e of all) {
    const used = Object.keys(files).filter(name => e.code.includes(`"${name}"`));
    if (used.length > 0) e.files = used;
  }
  writeFileSync(join(site, "examples.json"), JSON.stringify({ examples: all, files }));
}

function guidePage(path, title, html) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Credence</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../guide.css">
</head>
<body>
<nav aria-label="Documents"><a href="../index.html">The editor</a>${path === "index.html" ? "" : ' · <a href="index.html">Guide</a>'}</nav>
<main>
${html}
</main>
</body>
</html>
`;
}

/// Each fenced script has a link that opens it in the editor; in the tutorial, with the scripts before it, which it goes on from.
function renderer(pages, goes_on) {
  const marked = new Marked();
  const before = [];
  marked.use({
    renderer: {
      code({ text, lang }) {
        const block = `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
        if (lang !== "credence") return block;
        const whole = [...before, text].join("\n\n");
        if (goes_on) before.push(text);
        const script = deflateRawSync(Buffer.from(whole + "\n")).toString("base64url");
        return `${block}<p class="try"><a href="../index.html#script=${script}">Open in the editor</a></p>\n`;
      },
      heading({ tokens, depth, text }) {
        const id = text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      html: ({ text }) => escaped(text),
      link({ href, tokens }) {
        const [file, anchor] = href.split("#");
        const name = basename(file, ".md");
        const text = this.parser.parseInline(tokens);
        const target = /^https:/.test(href) ? href : file === "" ? `#${anchor}` : pages.has(name) ? `${name}.html${anchor ? `#${anchor}` : ""}` : null;
        return target ? `<a href="${escaped(target)}">${text}</a>` : text;
      },
      image: ({ text }) => escaped(text),
    },
  });
  return marked;
}

function guide() {
  const sources = [join(tree, "TUTORIAL.md"), join(tree, "lang/LANGUAGE.md"),
    ...readdirSync(join(tree, "lang/guide")).filter(f => f.endsWith(".md")).sort().map(f => join(tree, "lang/guide", f))];
  const pages = new Map(sources.map(path => [basename(path, ".md"), (/^# (.*)$/m.exec(read(path))?.[1] ?? basename(path, ".md"))]));
  mkdirSync(join(site, "guide"), { recursive: true });
  for (const path of sources) {
    const name = basename(path, ".md");
    const html = renderer(pages, name === "TUTORIAL").parse(read(path));
    writeFileSync(join(site, "guide", `${name}.html`), guidePage(`${name}.html`, pages.get(name), html));
  }
  const list = [...pages].map(([name, title]) => `<li><a href="${name}.html">${escaped(title)}</a></li>`).join("\n");
  writeFileSync(join(site, "guide", "index.html"), guidePage("index.html", "Guide", `<h1>Guide</h1>\n<ul>\n${list}\n</ul>`));
}

/// Beside each text and the program, what a server sends to browsers that take it: .br and .gz.
function compress(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) compress(path);
    if (!/\.(html|css|js|json|wasm)$/.test(entry.name)) continue;
    if (statSync(`${path}.br`, { throwIfNoEntry: false })?.mtimeMs > statSync(path).mtimeMs) continue;
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: 24 };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  }
}

function sizes() {
  const megabytes = file => (statSync(join(site, file)).size / 1e6).toFixed(2);
  console.log(`credence.wasm: ${megabytes("credence.wasm")} MB, ${megabytes("credence.wasm.br")} MB by brotli, ${megabytes("credence.wasm.gz")} MB by gzip`);
}

mkdirSync(site, { recursive: true });
await page();
examples();
guide();
compress(site);
sizes();
console.log(`the page is in ${relative(process.cwd(), site) || "."}`);
