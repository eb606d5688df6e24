// The page in Debian's chromium, as a user meets it, on a telephone's and a desktop's width.
// usage: page.mjs SOURCE_TREE [FOLDER FOR SCREENSHOTS [PART OF A NAME]]

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { need_build, require_page, site, skip, tree } from "./program.mjs";

const pictures = process.argv[3];
const chromium = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(path => path && existsSync(path));
if (!chromium) skip("there is no chromium; ./dev web-test installs it");
need_build(["lang/web/page"], "page.js");
const { serve } = await import(pathToFileURL(join(tree, "lang/web/page/serve.mjs")));
const { chromium: driver } = require_page("playwright-core");

const server = await serve(site, 0);
const address = `http://127.0.0.1:${server.address().port}/`;
const browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

function check(condition, what) {
  if (!condition) throw new Error(what);
}

const patience = 120_000;  // other work may run beside the tests

/// A page whose console stays empty and that asks no one else for anything.
async function opened(width, { path = "", scheme = "light", script } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.problems = [];
  page.on("console", message => ["error", "warning"].includes(message.type()) && page.problems.push(message.text()));
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("dialog", dialog => (page.problems.push(`a dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", request => /^(https?|ws)/.test(request.url()) && !request.url().startsWith(address) && page.problems.push(`asked ${request.url()}`));
  await page.goto(address + path);
  await ran(page);
  if (script !== undefined) await run(page, script);
  return page;
}

/// Waits for the end of a run, and until what it said is drawn: an answer that is not drawn yet has no text.
async function ran(page) {
  await page.waitForFunction(() => / s$|stopped|Ready|loaded/.test(document.querySelector("#status").textContent));
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function write(page, script) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(script);
}

async function run(page, script) {
  await write(page, script);
  await page.evaluate(() => (document.querySelector("#status").textContent = ""));
  await page.keyboard.press("Control+Enter");
  await ran(page);
}

const answers = page => page.locator("#answers").innerText();

/// Contrast of 4.5 between each text and its ground, 3 where letters are large (WCAG 2.1, 1.4.3).
async function shows_contrast(page) {
  const poor = await page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = colour => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].map((v, i) => i < 3 ? v : v / 255);
    };
    const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
    const ground = e => {
      const own = rgba(getComputedStyle(e).backgroundColor);
      return own[3] === 1 || !e.parentElement ? (own[3] === 0 ? [255, 255, 255] : own) : over(own, ground(e.parentElement));
    };
    const light = colour => colour.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const out = new Set();
    for (const e of document.querySelectorAll("body *")) {
      if (!e.checkVisibility() || e.closest("svg, :disabled") || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
      const style = getComputedStyle(e);
      const behind = ground(e);
      const [a, b] = [light(over(rgba(style.color), behind)), light(behind)].sort((x, y) => y - x);
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
      const contrast = (a + 0.05) / (b + 0.05);
      if (contrast < (large ? 3 : 4.5)) out.add(`${e.tagName.toLowerCase()}.${e.className} ${contrast.toFixed(2)}: ${e.textContent.trim().slice(0, 30)}`);
    }
    return [...out];
  });
  check(poor.length === 0, `too little contrast: ${poor.join("; ")}`);
}

async function shot(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/// Nothing is wider than the page.
async function fits(page) {
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(inner <= outer, `the page is ${inner} wide on a screen of ${outer}`);
}

const lawn = "net Lawn {\n  Rain : { yes: 1/5, no: 4/5 }\n  Wet | Rain : { yes: { yes: 9/10, no: 1/10 }, no: { yes: 1/10, no: 9/10 } }\n}\n";

const tests = {
  async "a script and its answer"(width) {
    const page = await opened(width, { script: `${lawn}P(Rain | Wet = yes)\n` });
    const text = await answers(page);
    check(text.includes("0.692308") && text.includes("line 5"), text);
    check(/1 answer · [\d.]+ s/.test(await page.locator("#status").innerText()), "the status does not count the answer");
    await page.getByRole("button", { name: "Explain P(Rain | Wet = yes)" }).click();
    await page.locator(".explanation math").first().waitFor();
    await shot(page, `answer-${width}`);
    await fits(page);
    return page;
  },
  async "the script of an empty page"(width) {
    const page = await opened(width);
    check((await answers(page)).includes("49"), await answers(page));
    check(await page.locator("#answers svg").count() > 0, "there is no plot");
    await shot(page, `start-${width}`);
    await fits(page);
    return page;
  },
  async "the first answer after a reload"(width) {
    const page = await opened(width, { script: `${lawn}P(Rain | Wet = yes)\n` });
    await page.addInitScript(() => new MutationObserver((_, observer) => {
      if (!document.querySelector("#answers article")) return;
      window.firstAnswer = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true }));
    const times = [];
    for (let i = 0; i < 5; ++i) {
      await page.reload();
      await page.waitForFunction(() => window.firstAnswer);
      times.push(await page.evaluate(() => Math.round(window.firstAnswer)));
      await ran(page);
    }
    console.log(`     milliseconds to the first answer after a reload: ${times.join(", ")}`);
    return page;
  },
  async "a mistake"(width) {
    const page = await opened(width, { script: `${lawn}P(Rain | Wett = yes)\n` });
    check((await answers(page)).includes("did you mean 'Wet'"), await answers(page));
    await page.locator(".cm-lintRange-error").waitFor();
    await shot(page, `mistake-${width}`);
    return page;
  },
  async "completion, help and hints"(width) {
    const page = await opened(width);
    await write(page, `${lawn}P(Rain | Wet = yes)\nset dig`);
    await page.keyboard.type("i");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "digits" }).waitFor();
    await page.keyboard.press("Escape");
    await write(page, `${lawn}choose(5, `);
    await page.locator(".signature", { hasText: "choose(n, k)" }).waitFor();
    await page.locator(".cr-keyword", { hasText: "net" }).first().hover();
    await page.locator(".help").first().waitFor();
    return page;
  },
  async "an example with a plot"(width) {
    const page = await opened(width);
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("searchbox").fill("histogram plot");
    await page.locator(".example", { hasText: "histogram" }).first().click();
    await page.locator("#answers svg:visible").first().waitFor();
    await ran(page);
    check(!(await answers(page)).includes("error"), await answers(page));
    await shot(page, `example-${width}`);
    await fits(page);
    return page;
  },
  async "files that are dropped"(width) {
    const page = await opened(width);
    const data = await page.evaluateHandle(() => {
      const out = new DataTransfer();
      out.items.add(new File(["height,weight\n180,80\n160,55\n"], "<img src=x onerror=alert(1)>.csv"));
      out.items.add(new File(["height,weight\n180,80\n160,55\n"], "people.csv"));
      const bif = "network coins { }\nvariable Coin { type discrete [ 2 ] { heads, tails }; }\nprobability ( Coin ) { table 0.25, 0.75; }\n";
      out.items.add(new File([bif], "coin.bif"));
      return out;
    });
    await page.dispatchEvent("main", "drop", { dataTransfer: data });
    await page.waitForFunction(() => document.querySelector("#status").textContent.includes('load("people.csv")'));
    await run(page, 'let people = load("people.csv")\npeople\nsave(people, "copy.csv")\n');
    check((await answers(page)).includes("180"), await answers(page));
    await run(page, 'let coins = load("coin.bif")\nP(Coin) in coins\n');
    check((await answers(page)).includes("0.25"), await answers(page));
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator("#files-list", { hasText: "copy.csv" }).waitFor();
    check((await page.locator("#files-list img").count()) === 0, "a file name became an element");
    await shot(page, `files-${width}`);
    return page;
  },
  async "a link that carries the script"(width) {
    const first = await opened(width, { script: "2 + 3 # π\n" });
    await first.getByText("More", { exact: true }).click();
    await first.getByRole("button", { name: "Copy a link" }).click();
    await first.waitForFunction(() => location.hash.startsWith("#script="));
    const path = new URL(first.url()).hash;
    const page = await opened(width, { path });
    check((await page.locator(".cm-content").innerText()).includes("2 + 3 # π"), "the link does not carry the script");
    check((await answers(page)).includes("5"), await answers(page));
    const broken = await opened(width, { path: "#script=AAAA" });
    check(broken.problems.length === 0, broken.problems.join("\n"));
    await broken.context().close();
    await first.context().close();
    return page;
  },
  async "an endless loop is stopped"(width) {
    const page = await opened(width);
    await write(page, "fn loop(n) = loop(n + 1)\n2 + 2\nloop(0)\n");
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction(() => !document.querySelector("#stop").disabled);
    await page.waitForTimeout(500);
    check(await page.locator("#stop").isEnabled(), `the loop ended by itself: ${await answers(page)}`);
    await page.getByRole("button", { name: "Stop" }).click();
    await ran(page);
    check((await answers(page)).includes("stopped"), await answers(page));
    await run(page, "2 + 3\n");
    check((await answers(page)).includes("5"), await answers(page));
    return page;
  },
  async "run to here"(width) {
    const page = await opened(width);
    await write(page, "1 + 1\n[2,\n  3]\n4 + 4\n");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.evaluate(() => (document.querySelector("#status").textContent = ""));
    await page.keyboard.press("Shift+Enter");
    await ran(page);
    const text = await answers(page);
    check(text.includes("line 2") && !text.includes("line 4"), text);
    return page;
  },
  async "hostile scripts stay in the page"(width) {
    const label = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    const page = await opened(width, {
      script: `net N { \`${label}\` : { "${label}": 1/4, b: 3/4 } }\nP(\`${label}\`)\nplot(P(\`${label}\`), title: "${label}")\nN\nexplain P(\`${label}\` = b)\n` +
        `draw(N)\n"${label}"\n{ a: "${label}" }\nexpect 1 == 2 from "${label}"\nload("${label}.csv")\n`,
    });
    const text = await answers(page);
    check(text.includes("<script>alert(1)</script>"), text);
    check((await page.locator("#answers script, #answers img, #answers [onerror]").count()) === 0, "a label became an element");
    return page;
  },
  async "too much memory, too deep"(width) {
    const page = await opened(width, { script: "let big = [k * 1.5 for k in 1..40000000]\ncount(concat([x + 1 for x in big], [x + 2 for x in big]))\n" });
    check(/memory|stopped/.test(await answers(page)), await answers(page));
    await run(page, "fn deep(n) = if n == 0 then 0 else 1 + deep(n - 1)\ndeep(100000000)\n");
    check(/deep|stack|recurs/i.test(await answers(page)), await answers(page));
    await run(page, "2 + 3\n");
    check((await answers(page)).includes("5"), await answers(page));
    return page;
  },
  async "a script of 2000 statements"(width) {
    const page = await opened(width, { script: Array.from({ length: 2000 }, (_, i) => `let x${i} = ${i} / 7\nx${i}\n`).slice(0, 1000).join("") });
    check((await page.locator("#answers article").count()) === 1000, await page.locator("#status").innerText());
    const begin = performance.now();
    await page.locator(".cm-content").click();
    await page.keyboard.type("# quick\n");
    console.log(`     eight letters after 2000 statements: ${(performance.now() - begin).toFixed(0)} ms`);
    return page;
  },
  async "a net of 400 nodes"(width) {
    const node = i => `  X${i} | X${i - 1} : { true: 0.${10 + (i % 80)}, false: 0.${90 - (i % 80)} }\n`;
    const page = await opened(width, { script: `net Long {\n  X0 : 1/3\n${Array.from({ length: 399 }, (_, i) => node(i + 1)).join("")}}\nP(X399 | X0)\nP(X200 | X399 = true, X0 = false)\n` });
    check((await page.locator("#answers table").count()) === 2, await answers(page));
    return page;
  },
  async "downloads"(width) {
    const page = await opened(width);
    const download = async name => {
      await page.getByText("More", { exact: true }).click();
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
      return readFileSync(await file.path(), "utf8");
    };
    check((await download("Download the script")).includes("net Clinic"), "the script is not in its file");
    check((await download("Download a report")).includes("<!DOCTYPE html>"), "the report is no page");
    check((await download("Download the plots")).startsWith("<svg"), "the plot is no SVG");
    return page;
  },
  async "the keyboard alone"(width) {
    const page = await opened(width);
    await page.locator("body").press("Tab");
    const order = [];
    for (let i = 0; i < 14; ++i) {
      order.push(await page.evaluate(() => document.activeElement.ariaLabel || document.activeElement.textContent.trim().slice(0, 20)));
      await page.keyboard.press("Tab");
    }
    for (const name of ["Tutorial", "Run", "Run to here", "Examples", "Files", "More", "Script", "Answers"])
      check(order.includes(name), `Tab does not reach ${name}: ${order.join(", ")}`);
    return page;
  },
  async "texts stand out from what is behind them"(width) {
    const script = `# A comment\n${lawn}P(Rain | Wet = yes)\nexplain P(Rain = yes | Wet = yes)\n[[1, 2], [3, 4]]\n"text"\n` +
      `table t {\n  x y\n  1 2\n}\nt\nplot(x -> x^2, 0..1)\n`;
    const light = await opened(width, { script });
    check(!(await answers(light)).includes("error"), await answers(light));
    await shows_contrast(light);
    await shot(light, `light-${width}`);
    await run(light, "P(Rain)\n");
    await shows_contrast(light);
    await light.context().close();
    const page = await opened(width, { script, scheme: "dark" });
    await shows_contrast(page);
    await shot(page, `dark-${width}`);
    await run(page, "P(Rain)\n");
    await shows_contrast(page);
    return page;
  },
  async "everything has a name"(width) {
    const page = await opened(width);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, summary, a, [role], svg, progress, section")]
      .filter(e => e.checkVisibility() && e.role !== "presentation" && !e.closest("[aria-hidden=true], .cm-editor, svg svg"))
      .filter(e => !(e.ariaLabel || e.labels?.length || e.getAttribute("aria-labelledby") || e.textContent.trim()))
      .map(e => e.outerHTML.slice(0, 80)));
    check(nameless.length === 0, `without a name: ${nameless.join(", ")}`);
    check(await page.getByRole("status").count() > 0, "no live region tells what happens");
    return page;
  },
  async "a page of the guide"(width) {
    const page = await opened(width);
    await page.getByRole("link", { name: "Tutorial" }).click();
    await page.getByRole("link", { name: "Open in the editor" }).first().waitFor();
    await shot(page, `guide-${width}`);
    await fits(page);
    await page.getByRole("link", { name: "Open in the editor" }).first().click();
    await ran(page);
    check((await answers(page)).includes("0.153846"), await answers(page));
    return page;
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(process.argv[4] ?? "")))
  for (const width of [390, 1280]) {
    const begin = performance.now();
    try {
      const page = await test(width);
      check(page.problems.length === 0, page.problems.join("\n"));
      await page.context().close();
      console.log(`ok   ${name} at ${width} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      ++failed;
      console.log(`FAIL ${name} at ${width}: ${error.message}`);
    }
  }
await browser.close();
server.close();
process.exit(failed > 0 ? 1 : 0);
