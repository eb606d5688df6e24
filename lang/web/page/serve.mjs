// A server of static files on loopback: node serve.mjs SITE [PORT]. The tests of the page use it too.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json",
  ".wasm": "application/wasm",
};

/// The file that answers a request best: compressed where the browser takes it.
function chosen(file, accepted) {
  for (const [encoding, ending] of [["br", ".br"], ["gzip", ".gz"]])
    if (new RegExp(`\\b${encoding}\\b`).test(accepted ?? "") && statSync(file + ending, { throwIfNoEntry: false }))
      return { path: file + ending, headers: { "Content-Encoding": encoding } };
  return { path: file, headers: {} };
}

/// The server, once it listens; port 0: any that is free.
export function serve(site, port) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)).replace(/[/\\]$/, `${sep}index.html`);
    const file = join(site, path);
    if (!file.startsWith(normalize(site)) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end("not found");
      return;
    }
    const sent = chosen(file, request.headers["accept-encoding"]);
    const { mtimeMs, size } = statSync(sent.path);
    const headers = {
      ...sent.headers, "Content-Type": types[extname(file)] ?? "application/octet-stream", "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-cache", "Vary": "Accept-Encoding", "ETag": `"${mtimeMs}-${size}"`,  // a browser keeps what it compiled with it
    };
    if (request.headers["if-none-match"] === headers.ETag) {
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(200, { ...headers, "Content-Length": size });
    createReadStream(sent.path).pipe(response);
  });
  return new Promise((resolve, reject) => server.on("error", reject).listen(port, "127.0.0.1", () => resolve(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve(process.argv[2], Number(process.argv[3] ?? 8000));
  console.log(`http://127.0.0.1:${server.address().port}/ (Ctrl-C ends)`);
}
