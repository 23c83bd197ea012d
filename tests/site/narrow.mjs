// Opens every page of a built site in headless Chromium on a screen of 360 px. A page must not be wider than the
// screen, and must load nothing but the site's own files. The exit status is 1 if a page fails, or if there are no
// pages.
//
//     node tests/site/narrow.mjs build/site
//
// The environment variable CHROMIUM holds the browser's path. The program needs playwright-core; tests/run_platforms.sh
// installs it.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = await import("../../build/javascript/node_modules/playwright-core/index.mjs");
const WIDTH = 360;
const AT_ONCE = 2;
const site = resolve(process.argv[2]);
const home = pathToFileURL(`${site}/`).href;

const pages = readdirSync(site, { recursive: true })
  .filter((name) => name.endsWith(".html") && name !== "index.html") // index.html only redirects
  .map((name) => pathToFileURL(join(site, name)).href);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
});
const faults = [];

async function visit_all(waiting) {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } });
  let address;
  page.on("request", (request) => {
    if (!request.url().startsWith(home) && !request.url().startsWith("data:")) faults.push(`${address} asks for ${request.url()}`);
  });
  page.on("requestfailed", (request) => faults.push(`${address} does not get ${request.url()}`));
  while ((address = waiting.pop())) {
    await page.goto(address);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > WIDTH) faults.push(`${address} is ${width} px wide`);
  }
}

const waiting = [...pages];
await Promise.all(Array.from({ length: AT_ONCE }, () => visit_all(waiting)));
await browser.close();
for (const fault of faults) console.error(fault);
console.log(`${pages.length} pages, ${faults.length} faults`);
process.exit(pages.length > 0 && faults.length === 0 ? 0 : 1);
