// The ledger in memory: policies, exact sums, clocks, opting out. page.test.mjs tests the ledger in IndexedDB.
import assert from "node:assert/strict";
import { test } from "node:test";

import { DAY, failure, hearsay, makeTask } from "./support.mjs";

const { Ledger } = hearsay;
const WEEK = 7 * DAY;
const NOW = 3_000 * WEEK + 5;
const report = () => new Uint8Array([1, 2, 3]);
const task = await makeTask();
const cheap = [];
for (let i = 0; i < 11; ++i) cheap.push(await makeTask({ epsilon: "0.1", title: `task ${i}` }));
const fails = (code, promise) => failure(assert, code, promise);
const never = () => assert.fail("the record is looked at");

test("a person reports once a period, and a second call does not look at the record", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: WEEK });
  assert.equal(await ledger.pay(task, NOW, report), "reported");
  const before = await ledger.log();
  assert.equal(await ledger.pay(task, NOW + 1, never), "already_reported");
  assert.deepEqual(await ledger.log(), before);
  assert.equal(await ledger.pay(task, NOW + WEEK, report), "reported");
  assert.equal(await ledger.pay(task, NOW, never), "already_reported", "the account stays spent");
});

test("without a period, a person reports once and never again", async () => {
  const ledger = await Ledger.inMemory({});
  assert.equal(await ledger.pay(task, NOW, report), "reported");
  assert.equal(await ledger.pay(task, NOW + 1_000 * WEEK, never), "already_reported");
});

test("a budget of 1 pays for ten reports at epsilon 0.1, and for no eleventh", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: WEEK, budget: "1" });
  for (let i = 0; i < 10; ++i) assert.equal(await ledger.pay(cheap[i], NOW, report), "reported");
  await fails("budget_exhausted", ledger.pay(cheap[10], NOW, never));
  assert.equal(await ledger.pay(cheap[10], NOW + WEEK, report), "reported");
});

test("a budget that is no exact decimal text, or a period that is no whole number, is refused", async () => {
  const wrong = ["", "0", "1.", ".5", "1e1", "-1", "0.0000001", "64.000001", "65", "01", " 1", "1,5", "∞", 1];
  for (const budget of wrong) {
    await fails("invalid_argument", Ledger.inMemory({ budget }));
  }
  for (const budget of ["0.000001", "64", "0.10"]) await Ledger.inMemory({ budget });
  for (const periodSeconds of [0, -1, 1.5, NaN, 2 ** 53, "7"]) {
    await fails("invalid_argument", Ledger.inMemory({ periodSeconds }));
  }
});

test("a misspelt option is refused, and does not make a ledger without limits", async () => {
  const wrong = [{ budgets: "1" }, { budget: undefined }, { budget: null }, { period: DAY }, null, undefined, "1"];
  for (const options of wrong) {
    await fails("invalid_argument", Ledger.inMemory(options));
  }
  await fails("invalid_argument", Ledger.open({ budgets: "1" }));
});

test("a report that cannot be made is not paid for", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: WEEK });
  const broken = () => {
    throw new hearsay.HearsayError("entropy_failed", "no bits");
  };
  await fails("entropy_failed", ledger.pay(task, NOW, broken));
  assert.deepEqual(await ledger.log(), []);
  assert.equal(await ledger.pay(task, NOW, report), "reported");
});

test("two calls at once pay once", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: WEEK });
  const results = await Promise.all([1, 2, 3, 4].map(() => ledger.pay(task, NOW, report)));
  assert.deepEqual(results, ["reported", "already_reported", "already_reported", "already_reported"]);
  assert.equal((await ledger.log()).length, 1);
});

test("with a clock that differs from the server's by more than a period, nothing is reported", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: WEEK });
  await ledger.noteServerTime(NOW);
  await fails("clock_differs", ledger.pay(task, NOW + WEEK + 1, never));
  await fails("clock_differs", ledger.pay(task, NOW - WEEK - 1, never));
  assert.ok(ledger.doubtsClock);
  assert.equal(await ledger.pay(task, NOW + WEEK, report), "reported");
  await ledger.noteServerTime(NOW + 3 * WEEK);
  assert.ok(!ledger.doubtsClock);
  assert.equal(await ledger.pay(task, NOW + 3 * WEEK, report), "reported");
  for (const time of [-1, 1.5, NaN]) await fails("invalid_argument", ledger.noteServerTime(time));
  for (const time of [-1, 1.5, NaN]) await fails("invalid_argument", ledger.pay(task, time, never));
});

// The clock may jump on each of 365 days. `paid` remembers every period that was paid for.
test("after jumps of the clock nothing is paid twice, and a device with a right clock can report again", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: DAY });
  const paid = new Set();
  let state = 1;
  const random = (below) => (state = (state * 48_271) % 2_147_483_647) % below;
  for (let day = 0; day < 365; ++day) {
    const jump = [0, random(400) * DAY, -random(400) * DAY, -NOW][random(4)];
    const now = NOW + day * DAY + jump;
    const period = Math.floor(now / DAY);
    assert.equal(await ledger.pay(task, now, report), paid.has(period) ? "already_reported" : "reported");
    paid.add(period);
    await ledger.settle([paid.size], "delivered", "", now);
  }
  let fresh = 10_000;
  while (paid.has(fresh + Math.floor(NOW / DAY))) fresh += 1;
  assert.equal(await ledger.pay(task, NOW + fresh * DAY, report), "reported");
});

test("opting out clears all reports and lasts; payments stay", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: WEEK });
  await ledger.pay(task, NOW, report);
  let ended = 0;
  const remove = ledger.whenLeaving(() => (ended += 1));
  await ledger.optOut();
  remove();
  assert.equal(ended, 1);
  assert.ok(await ledger.optedOut());
  assert.deepEqual(await ledger.log(), []);
  assert.deepEqual(await ledger.pending(task.id, NOW), []);
  await fails("opted_out", ledger.pay(task, NOW + WEEK, never));
  await ledger.optIn();
  assert.equal(await ledger.pay(task, NOW, never), "already_reported");
  assert.equal(await ledger.pay(task, NOW + WEEK, report), "reported");
});

test("the outbox and the log are bounded", async () => {
  const ledger = await Ledger.inMemory({ periodSeconds: DAY, maxReports: 2, maxAgeSeconds: 10 * DAY });
  await ledger.pay(task, NOW, report);
  await ledger.pay(task, NOW + DAY, report);
  await fails("limit_exceeded", ledger.pay(task, NOW + 2 * DAY, never));
  assert.equal(await ledger.settle([1, 1, 9], "delivered", "", NOW + 2 * DAY), 1);
  assert.equal(await ledger.settle([1], "dropped", "late", NOW + 2 * DAY), 0);
  assert.equal(await ledger.pay(task, NOW + 2 * DAY, report), "reported");
  // The device's clock may be wrong, so the ledger does not drop a waiting report for its age.
  assert.equal((await ledger.pending(task.id, NOW + 20 * DAY)).length, 2);
  await ledger.noteServerTime(NOW + 12 * DAY);
  assert.deepEqual((await ledger.pending(task.id, NOW + 12 * DAY)).map((one) => one.number), [3]);
  const [third, second, first] = await ledger.log();
  assert.deepEqual([third.state, second.state, first.state], ["pending", "dropped", "delivered"]);
  assert.deepEqual([second.epsilon, second.title, second.made], ["1", "habits", NOW + DAY]);
  assert.match(second.reason, /too long/);
  assert.deepEqual(await ledger.log(1), [third]);
});

test("the log keeps the newest settled reports", async () => {
  for (const limits of [{ maxLogged: 3 }, { maxBytes: 9 }]) {
    const ledger = await Ledger.inMemory({ periodSeconds: DAY, ...limits });
    for (let i = 1; i <= 5; ++i) {
      await ledger.pay(task, i * DAY, report);
      await ledger.settle([i], "delivered", "", 0);
    }
    assert.deepEqual((await ledger.log()).map((one) => one.number), [5, 4, 3]);
  }
});
