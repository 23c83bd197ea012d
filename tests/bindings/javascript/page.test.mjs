// The example form in headless Chromium, against a real aggregator. The environment variable CHROMIUM holds the
// browser's path.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";

import { serve } from "../../../examples/browser_form/serve.mjs";
import { Aggregator } from "./aggregator.mjs";
import { PACKAGE, taskDocument } from "./support.mjs";

const { chromium } = await import(new URL("../../../build/javascript/node_modules/playwright-core/index.mjs", PACKAGE));
const PATIENCE = 120_000;
// Without these flags, Chromium connects to its maker's hosts at every start.
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

// Returns a person's new, empty browser profile. `prepare` runs in each page before the page's own scripts.
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
  await page.locator("[name=smoker]").selectOption("yes");
  await page.locator("[name=region]").selectOption("west");
  await page.locator("[name=age]").fill("3");
  await page.locator("#send").click();
}

const says = (page, text) => page.locator("#result", { hasText: text }).waitFor();
const delivered = (page, count) => page.waitForFunction((wanted) => {
  const states = [...document.querySelectorAll("#log td:nth-child(2)")].map((one) => one.textContent);
  return states.filter((state) => state === "delivered").length === wanted;
}, count);

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
  // The page shows the bytes of the sent report in hexadecimal.
  const bytes = await page.locator("#log td:nth-child(4)").textContent();
  assert.match(bytes, /^84 01 50 ([0-9a-f]{2} ?)+$/);
});

test("a form with an unanswered question reports nothing", async (t) => {
  const page = await open(await profile(t));
  await page.locator("#send:enabled").waitFor();
  await page.locator("[name=age]").fill("3");
  await page.locator("[name=smoker]").selectOption("yes");
  await page.locator("#send").click();
  assert.ok(await page.locator("#form").evaluate((form) => !form.checkValidity()));
  assert.equal(await page.locator("#log tr").count(), 0);
});

test("an exception that IndexedDB or Web Locks throw at once becomes a HearsayError", async (t) => {
  const page = await (await profile(t)).newPage();
  await page.goto(`${origin}/form.css`);
  const codes = await page.evaluate(async () => {
    const { Ledger } = await import("/hearsay.js");
    const code = (promise) => promise.then(() => "none", (error) => error.code);
    const refuse = () => { throw new DOMException("no", "DataError"); };
    const ledger = await Ledger.open({ name: "raw" });
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = refuse;
    const seen = [await code(ledger.noteServerTime(5))];
    IDBObjectStore.prototype.put = put;
    LockManager.prototype.request = async () => refuse();
    seen.push(await code(ledger.log()));
    delete globalThis.BroadcastChannel;
    seen.push(await code(Ledger.open({ name: "mute" })));
    return seen;
  });
  assert.deepEqual(codes, ["io", "io", "unsupported"]);
});

test("two tabs that submit at the same time pay once", async (t) => {
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

test("a lost answer repeats the same bytes, and the report is counted once", async (t) => {
  const before = await aggregator.reports(settings.task);
  const context = await profile(t);
  const bodies = [];
  await context.route("**/reports", async (route) => {
    bodies.push(route.request().postDataBuffer().toString("hex"));
    if (bodies.length > 1) return route.continue();
    await route.fetch(); // the report arrives, but its answer is lost
    return route.abort();
  });
  const page = await open(context);
  await submit(page);
  await delivered(page, 1);
  assert.equal(new Set(bodies).size, 1);
  assert.ok(bodies.length >= 2);
  assert.equal(await aggregator.reports(settings.task), before + 1);
});

// Each round closes a page while the page pays as fast as it can. Ledger.open() refuses a ledger with a missing
// payment, or with a report that was not paid for. A later page must see every payment that an earlier page was told
// about.
test("a page that is closed while it pays leaves debit and report, or neither", async (t) => {
  const context = await profile(t);
  const document = JSON.stringify(taskDocument());
  const paying = async (text, pays) => {
    const { Ledger, Task } = await import("/hearsay.js");
    const ledger = await Ledger.open({ name: "end", periodSeconds: 60 });
    const task = await Task.parse(text);
    const log = await ledger.log();
    if (!pays) return log.map((one) => one.number);
    globalThis.told = log.length;
    for (;;) {
      await ledger.pay(task, (log.length + 1) * 6_000 + globalThis.told * 60, () => new Uint8Array(1_000));
      globalThis.told += 1;
    }
  };
  let paid = 0;
  for (let round = 0; round < 6; ++round) {
    const page = await context.newPage();
    await page.goto(`${origin}/form.css`);
    page.evaluate(`(${paying})(${JSON.stringify(document)}, true)`).catch(() => {});
    await page.waitForFunction((least) => globalThis.told > least, paid);
    const told = await page.evaluate(() => globalThis.told);
    await page.close();
    const next = await context.newPage();
    await next.goto(`${origin}/form.css`);
    const numbers = await next.evaluate(`(${paying})(${JSON.stringify(document)}, false)`);
    await next.close();
    assert.ok(numbers.length >= told, `${numbers.length} reports; ${told} were paid`);
    assert.equal(new Set(numbers).size, numbers.length);
    paid = numbers.length;
  }
});

test("opting out removes all reports, lasts over a reload and in other tabs, and can be undone", async (t) => {
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

test("opting out in one tab ends the upload of another", async (t) => {
  const context = await profile(t);
  let asked;
  const uploading = new Promise((resolve) => (asked = resolve));
  await context.route("**/reports", () => asked()); // the server does not answer
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  for (const page of pages) await page.goto(`${origin}/form.css`);
  const [first, second] = pages;
  const flush = first.evaluate(async (settings) => {
    const { Client, Ledger } = await import("/hearsay.js");
    const ledger = await Ledger.open({ name: "leave", periodSeconds: 86_400 });
    const client = await Client.create({ ...settings, ledger, maxEpsilon: "1", timeout: 600_000 });
    await client.submit({ smoker: true, region: "west", age: 3 });
    const { pending, problem } = await client.flush(600_000);
    return [pending, problem.code];
  }, settings);
  await Promise.race([uploading, flush]);
  await second.evaluate(async () => {
    const { Ledger } = await import("/hearsay.js");
    await (await Ledger.open({ name: "leave", periodSeconds: 86_400 })).optOut();
  });
  assert.deepEqual(await flush, [0, "cancelled"]);
});

// The test itself writes 20,000 payments, each on a day of its own.
test("a full ledger forgets only payments that are old by the server's time", async (t) => {
  const page = await (await profile(t)).newPage();
  await page.goto(`${origin}/form.css`);
  const seen = await page.evaluate(async (document) => {
    const { Ledger, Task } = await import("/hearsay.js");
    const DAY = 86_400;
    const options = { name: "full", periodSeconds: DAY };
    const code = (promise) => promise.then((value) => value, (error) => error.code);
    const task = await Task.parse(document);
    const made = await Ledger.open(options);
    const connection = await new Promise((resolve) => {
      indexedDB.open("hearsay-full").onsuccess = (event) => resolve(event.target.result);
    });
    const transaction = connection.transaction(["ledger", "payments"], "readwrite");
    const fresh = { id: 0, format: 1, period: DAY, budget: null, forgotten: 0, closedBefore: 0, serverTime: null };
    transaction.objectStore("ledger").put({ ...fresh, paid: 20_000, optedOut: false });
    for (let period = 0; period < 20_000; ++period) {
      transaction.objectStore("payments").put({ period, task: task.id, epsilon: 1_000_000n });
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    connection.close();
    made.close();
    const ledger = await Ledger.open(options);
    const pay = (period) => code(ledger.pay(task, period * DAY, () => new Uint8Array([1])));
    const results = [await pay(20_000)];
    results.push(ledger.doubtsClock);
    await ledger.noteServerTime(19_000 * DAY);
    results.push(await pay(19_000), await pay(20_000));
    await ledger.noteServerTime(20_000 * DAY);
    results.push(await pay(20_000), await pay(20_000), await pay(19_999));
    await ledger.noteServerTime(19_998 * DAY);
    results.push(await pay(19_998), await pay(19_997));
    ledger.close();
    await (await Ledger.open(options)).log();
    return results;
  }, JSON.stringify(taskDocument()));
  assert.deepEqual(seen, [
    ...["clock_differs", true, "already_reported", "clock_differs", "reported", "already_reported", "already_reported"],
    ...["budget_exhausted", "budget_exhausted"],
  ]);
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

test("a failed write pays nothing, and a policy looser than the ledger's is refused", async (t) => {
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
    const looser = [{ periodSeconds: 1 }, { budget: "3" }, { budget: undefined }, { periodSeconds: undefined }];
    for (const changes of looser) {
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

test("a page with a damaged ledger reports nothing", async (t) => {
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
