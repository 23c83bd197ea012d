// The example form in headless Chromium, against a real aggregator. CHROMIUM names the browser.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";

import { serve } from "../../../examples/browser_form/serve.mjs";
import { Aggregator } from "./aggregator.mjs";
import { PACKAGE, taskDocument } from "./support.mjs";

const { chromium } = await import(new URL("node_modules/playwright-core/index.mjs", PACKAGE));
const PATIENCE = 120_000;
// Without these Chromium asks hosts of its maker for this and that at every start.
const QUIET = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const directory = mkdtempSync(`${tmpdir()}/hearsay-page-`);
const settings = {};
let browser, server, stranger, aggregator, origin;

before(async () => {
  server = await serve(settings);
  stranger = await serve(settings);
  origin = `http://localhost:${server.address().port}`;
  aggregator = await Aggregator.start(directory, [origin]);
  settings.server = aggregator.url;
  settings.task = aggregator.createTask(taskDocument());
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });
});

after(async () => {
  await browser?.close();
  await aggregator?.stop();
  server?.close();
  stranger?.close();
  rmSync(directory, { recursive: true, force: true });
});

// A person's browser profile, empty at first. `prepare` runs in each page before the page's own scripts.
async function profile(t, prepare) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(PATIENCE);
  if (prepare !== undefined) await context.addInitScript(prepare);
  t.after(() => context.close());
  return context;
}

async function open(context, address = origin) {
  const page = await context.newPage();
  await page.goto(address);
  await page.locator("#log").waitFor({ state: "attached" });
  return page;
}

async function submit(page) {
  await page.locator("#send:enabled").waitFor();
  await page.locator("[name=age]").fill("3");
  await page.locator("#send").click();
}

const says = (page, text) => page.locator("#result", { hasText: text }).waitFor();
const delivered = (page, count) => page.waitForFunction(
  (wanted) => [...document.querySelectorAll("#log td:nth-child(2)")].filter((one) => one.textContent === "delivered").length === wanted,
  count,
);

test("a report is made once a period, reaches the tally, and the ledger outlives the page", async (t) => {
  const before = await aggregator.reports(settings.task);
  const context = await profile(t);
  const page = await open(context);
  await submit(page);
  await says(page, "A noisy answer was made");
  await delivered(page, 1);
  assert.equal(await aggregator.reports(settings.task), before + 1);

  await submit(page);
  await says(page, "answered this week already");
  await page.reload();
  await delivered(page, 1);
  await submit(page);
  await says(page, "answered this week already");
  assert.equal(await aggregator.reports(settings.task), before + 1);
  // All that was sent is shown, and does not hold the record's text.
  const bytes = await page.locator("#log td:nth-child(4)").textContent();
  assert.match(bytes, /^84 01 50 ([0-9a-f]{2} ?)+$/);
});

test("two tabs at once pay once", async (t) => {
  const before = await aggregator.reports(settings.task);
  const context = await profile(t);
  const pages = await Promise.all([open(context), open(context)]);
  await Promise.all(pages.map(submit));
  await Promise.all(pages.map((page) => page.locator("#result:not(:empty)").waitFor()));
  const results = await Promise.all(pages.map((page) => page.locator("#result").textContent()));
  assert.equal(results.filter((text) => text.startsWith("A noisy answer was made")).length, 1, results.join());
  assert.equal(results.filter((text) => text.startsWith("You have answered this week already")).length, 1);
  await Promise.any(pages.map((page) => delivered(page, 1)));
  assert.equal(await aggregator.reports(settings.task), before + 1);
});

test("a hundred racing calls in two tabs pay once", async (t) => {
  const context = await profile(t);
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  const results = await Promise.all(pages.map(async (page) => {
    await page.goto(`${origin}/form.css`);
    return page.evaluate(async (document) => {
      const { Ledger, Task } = await import("/hearsay.js");
      const ledger = await Ledger.open({ name: "race", periodSeconds: 86_400 });
      const task = await Task.parse(document);
      const pay = () => ledger.pay(task, 1_000_000, () => new Uint8Array([1]));
      return Promise.all(Array.from({ length: 50 }, pay));
    }, JSON.stringify(taskDocument()));
  }));
  assert.equal(results.flat().filter((one) => one === "reported").length, 1);
  assert.equal(results.flat().length, 100);
});

test("opting out removes all, holds over a reload and in other tabs, and ends", async (t) => {
  const before = await aggregator.reports(settings.task);
  const context = await profile(t);
  const page = await open(context);
  await page.locator("#leave:enabled").click();
  await says(page, "You have stopped taking part");
  await page.reload();
  await page.locator("#return:enabled").waitFor();
  assert.ok(await page.locator("#send").isDisabled());
  const other = await open(context);
  await other.locator("#return:enabled").click();
  await says(other, "You take part again");
  await submit(other);
  await delivered(other, 1);
  assert.equal(await aggregator.reports(settings.task), before + 1);
  await other.locator("#leave").click();
  await says(other, "You have stopped taking part");
  assert.equal(await other.locator("#log tr").count(), 0);
});

test("without IndexedDB, Web Locks or a working disk the page does not report", async (t) => {
  const before = await aggregator.reports(settings.task);
  const missing = [
    () => Object.defineProperty(globalThis, "indexedDB", { value: undefined }),
    () => Object.defineProperty(Navigator.prototype, "locks", { value: undefined }),
    () => (IDBFactory.prototype.open = () => { throw new DOMException("private mode", "SecurityError"); }),
    () => (IDBDatabase.prototype.transaction = () => { throw new DOMException("no disk", "UnknownError"); }),
    () => delete globalThis.WebAssembly,
  ];
  for (const prepare of missing) {
    const page = await open(await profile(t, prepare));
    await says(page, "This browser does not report");
    assert.ok(await page.locator("#send").isDisabled());
  }
  assert.equal(await aggregator.reports(settings.task), before);
});

test("a write that fails pays nothing, and a page that is looser than the ledger is refused", async (t) => {
  const page = await (await profile(t)).newPage();
  await page.goto(`${origin}/form.css`);
  const codes = await page.evaluate(async (document) => {
    const { Ledger, Task } = await import("/hearsay.js");
    const code = (promise) => promise.then((value) => value, (error) => error.code);
    const options = { name: "policy", periodSeconds: 86_400, budget: "2" };
    const task = await Task.parse(document);
    const ledger = await Ledger.open(options);
    const seen = [];
    const put = IDBObjectStore.prototype.put;
    let modes = new Set();
    const transaction = IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (tables, mode, more) {
      modes.add(`${mode} ${more?.durability}`);
      return transaction.call(this, tables, mode, more);
    };
    IDBObjectStore.prototype.put = function (row) {
      if (this.name === "reports") this.transaction.abort();
      return put.call(this, row);
    };
    seen.push(await code(ledger.pay(task, 1_000_000, () => new Uint8Array([1]))));
    IDBObjectStore.prototype.put = put;
    seen.push((await ledger.log()).length);
    seen.push(await code(ledger.pay(task, 1_000_000, () => new Uint8Array([1]))));
    seen.push([...modes].join());
    for (const changes of [{ periodSeconds: 1 }, { budget: "3" }, { budget: undefined }, { periodSeconds: undefined }]) {
      seen.push(await code(Ledger.open({ ...options, ...changes })));
    }
    const tighter = await Ledger.open({ ...options, budget: "1" });
    seen.push(await code(Ledger.open(options)));
    tighter.close();
    ledger.close();
    seen.push(await code(ledger.log()));
    return seen;
  }, JSON.stringify(taskDocument()));
  const refused = Array(5).fill("invalid_argument");
  assert.deepEqual(codes.slice(1), [0, "reported", "readwrite strict", ...refused, "io"]);
  assert.notEqual(codes[0], "reported");
});

test("damage stops reporting", async (t) => {
  const page = await (await profile(t)).newPage();
  await page.goto(`${origin}/form.css`);
  const codes = await page.evaluate(async (document) => {
    const { Ledger, Task } = await import("/hearsay.js");
    const code = (promise) => promise.then((value) => value, (error) => error.code);
    const task = await Task.parse(document);
    const edit = (name, change) => new Promise((resolve, reject) => {
      const request = indexedDB.open(`hearsay-${name}`);
      request.onerror = reject;
      request.onsuccess = () => {
        const transaction = request.result.transaction(["ledger", "payments", "reports"], "readwrite");
        change((table) => transaction.objectStore(table));
        transaction.oncomplete = () => resolve(request.result.close());
      };
    });
    const changes = [
      (table) => table("payments").clear(),
      (table) => table("ledger").clear(),
      (table) => table("ledger").put({ id: 0, format: 2 }),
      (table) => table("reports").put({ number: 1, task: task.id }),
      (table) => table("payments").put({ period: 3, task: "short", epsilon: 1n }),
    ];
    const seen = [];
    for (const [i, change] of changes.entries()) {
      const options = { name: `damage-${i}`, periodSeconds: 86_400 };
      const ledger = await Ledger.open(options);
      await ledger.pay(task, 1_000_000, () => new Uint8Array([1]));
      ledger.close();
      await edit(options.name, change);
      seen.push(await code(Ledger.open(options)));
    }
    return seen;
  }, JSON.stringify(taskDocument()));
  assert.deepEqual(codes, Array(5).fill("ledger_damaged"));
});

test("a page of an origin that the aggregator does not name gets no answer", async (t) => {
  const page = await open(await profile(t), `http://localhost:${stranger.address().port}`);
  await says(page, "This browser does not report: no answer came from the aggregator");
});
