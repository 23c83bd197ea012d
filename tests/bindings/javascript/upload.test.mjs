// The client and its uploads, against a fetch() that answers from a script.
import assert from "node:assert/strict";
import { test } from "node:test";

import { DAY, RECORD, SCHEMA, failure, hearsay, makeTask, problem, scriptedServer, taskDocument } from "./support.mjs";

const { BackgroundFlush, Client, Ledger } = hearsay;
const SERVER = "https://aggregator.example:8443";
const MEDIA_TYPE = "application/vnd.hearsay.reports+cbor-seq";
const OK = { status: 200, body: "{}" };
const quick = { first: 2, largest: 8 };
const fails = (code, promise) => failure(assert, code, promise);

async function start({ retry = {}, tasks = 1, ...options } = {}) {
  const ledger = await Ledger.inMemory({ periodSeconds: DAY });
  const task = await makeTask();
  const client = await Client.create({
    ...{ ledger, server: SERVER, task, maxEpsilon: "1", retry: { ...quick, ...retry } },
    ...options,
  });
  const now = Math.floor(Date.now() / 1000);
  // Pays for reports of earlier periods, so that several reports wait.
  for (let i = 1; i < tasks; ++i) await ledger.pay(task, now - i * DAY, () => task.randomizeWithoutLedger(RECORD, now));
  return { ledger, task, client };
}

test("a report is sent once, with nothing that names the person", async (t) => {
  const requests = scriptedServer(t, [{ ...OK, status: 202 }]);
  const { ledger, task, client } = await start({ uploadToken: "secret" });
  assert.equal(await client.submit(RECORD), "reported");
  assert.equal(await client.submit({ smoker: "4711" }), "already_reported");
  assert.equal(requests.length, 0, "submit() uses no network");
  const [waiting] = await ledger.log();
  assert.deepEqual(await client.flush(60_000), { delivered: 1, dropped: 0, pending: 0, problem: null });
  assert.deepEqual(await client.flush(60_000), { delivered: 0, dropped: 0, pending: 0, problem: null });
  assert.equal(requests.length, 1);
  const [{ signal, ...sent }] = requests;
  assert.ok(signal);
  assert.deepEqual(sent, {
    url: `${SERVER}/v1/tasks/${task.id}/reports`, method: "POST", body: Buffer.from(waiting.bytes).toString("hex"),
    headers: { "Content-Type": MEDIA_TYPE, Authorization: "Bearer secret" },
    credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", redirect: "manual",
  });
  assert.equal((await ledger.log())[0].state, "delivered");
});

test("a malformed record is refused", async () => {
  const { ledger, client } = await start();
  for (const record of [null, undefined, 5, true]) await fails("invalid_record", client.submit(record));
  assert.deepEqual(await ledger.log(), []);
});

test("after a failure the same bytes are sent again", async (t) => {
  const requests = scriptedServer(t, [new TypeError("network"), { status: 503 }, { status: 429 }, { status: 408 }, OK]);
  const { client } = await start();
  await client.submit(RECORD);
  const { delivered, problem: last } = await client.flush(60_000);
  assert.deepEqual([delivered, last, requests.length], [1, null, 5]);
  assert.equal(new Set(requests.map((one) => one.body)).size, 1);
});

test("after the last attempt the report waits for a later flush", async (t) => {
  const requests = scriptedServer(t, [{ status: 500 }]);
  const { client } = await start({ retry: { maxAttempts: 3 } });
  await client.submit(RECORD);
  const summary = await client.flush(60_000);
  assert.deepEqual([summary.pending, summary.problem.code, requests.length], [1, "server_refused", 3]);
});

test("the client drops or keeps a refused report, depending on the refusal", async (t) => {
  const early = (now) => problem(400, "report_too_early", now === null ? {} : { now });
  const made = Math.floor(Date.now() / 1000 / DAY) * DAY;
  const dropped = [
    ...["report_malformed", "report_wrong_size", "report_out_of_bounds", "report_time_invalid", "limit_exceeded"].map(
      (name) => problem(400, name),
    ),
    problem(409, "report_conflict"), problem(410, "report_expired"), problem(413, "body_too_large"),
    problem(410, "task_expired"), problem(410, "task_closed"), problem(404, "unrecognizedTask"), early(made - 3 * DAY),
  ];
  const kept = [
    { status: 400 }, { status: 404 }, { status: 413 }, problem(431, "limit_exceeded"), problem(400, "unheard_of"),
    problem(401, "unauthorized"), { status: 301 }, { status: 407 }, problem(400, "task_closed"), early(null),
    early(made - DAY), { status: 400, body: '{"type": "about:blank"}' }, { status: 422, body: "[]" },
    { status: 409, body: '{"type": "https://other.example/report_conflict"}' },
  ];
  for (const [answers, state] of [[dropped, "dropped"], [kept, "pending"]]) {
    for (const answer of answers) {
      const requests = scriptedServer(t, [answer]);
      const { ledger, client } = await start();
      await client.submit(RECORD);
      const summary = await client.flush(60_000);
      const about = JSON.stringify(answer);
      assert.deepEqual([summary[state], summary.problem.code, requests.length], [1, "server_refused", 1], about);
      const [logged] = await ledger.log();
      assert.equal(logged.state, state, about);
      if (state === "dropped") assert.match(logged.reason, /the aggregator answered/);
    }
  }
});

test("a report that is a moment too early is sent again", async (t) => {
  const made = Math.floor(Date.now() / 1000 / DAY) * DAY;
  const requests = scriptedServer(t, [problem(400, "report_too_early", { now: made }), OK]);
  const { client } = await start();
  await client.submit(RECORD);
  assert.deepEqual([(await client.flush(60_000)).delivered, requests.length], [1, 2]);
});

test("after a task is closed its waiting reports are dropped, and further reports are refused", async (t) => {
  const requests = scriptedServer(t, [problem(410, "task_closed")]);
  const { client } = await start({ tasks: 3 });
  await client.submit(RECORD);
  // The server refuses the request with several reports, so the client sends each report alone. The answer to the first
  // of these says that the task is closed.
  const summary = await client.flush(60_000);
  assert.deepEqual([summary.dropped, summary.pending, requests.length], [3, 0, 2]);
  await fails("task_expired", client.submit(RECORD));
});

test("several reports go in one request; if some are rejected, each goes alone", async (t) => {
  const some = { status: 200, body: '{"rejected": 1}' };
  const requests = scriptedServer(t, [some, OK, problem(409, "report_conflict"), OK]);
  const { client } = await start({ tasks: 3 });
  await client.submit(RECORD);
  const summary = await client.flush(60_000);
  assert.deepEqual([summary.delivered, summary.dropped, requests.length], [2, 1, 4]);
  assert.equal(requests.slice(1).map((one) => one.body).join(""), requests[0].body);
  assert.match(summary.problem.message, /409 \(report_conflict\)/);
});

test("after a 413 a request has half of the reports; a single report waits and delays no other", async (t) => {
  for (const large of [{ status: 413 }, problem(413, "body_too_large")]) {
    const requests = scriptedServer(t, [large, OK]);
    const { client } = await start({ tasks: 4 });
    await client.submit(RECORD);
    assert.deepEqual([(await client.flush(60_000)).delivered, requests.length], [4, 3]);
    assert.deepEqual(requests.slice(1).map((one) => one.body.length * 2), Array(2).fill(requests[0].body.length));
  }
  const requests = scriptedServer(t, [...Array(3).fill({ status: 413 }), OK]);
  const { ledger, client } = await start({ tasks: 4 });
  await client.submit(RECORD);
  const summary = await client.flush(60_000);
  assert.deepEqual([summary.delivered, summary.pending, requests.length], [3, 1, 6]);
  assert.match(summary.problem.message, /413/);
  assert.deepEqual((await ledger.log()).map((one) => one.state).sort(), [...Array(3).fill("delivered"), "pending"]);
});

test("Retry-After holds for later flushes, with a cap", async (t) => {
  const requests = scriptedServer(t, [{ status: 429, headers: { "Retry-After": "86400" } }, OK]);
  const { client } = await start({ retry: { maxRetryAfter: 100_000 } });
  await client.submit(RECORD);
  for (let i = 0; i < 2; ++i) {
    const summary = await client.flush(1_000);
    assert.deepEqual([summary.pending, summary.problem.code, requests.length], [1, "server_refused", 1]);
  }
  assert.match((await client.flush(1_000)).problem.message, /pause; (9\d|100|101) seconds/);
  const other = await start({ retry: { maxRetryAfter: 5 } });
  await other.client.submit(RECORD);
  scriptedServer(t, [{ status: 503, headers: { "Retry-After": "86400" } }, OK]);
  assert.equal((await other.client.flush(60_000)).delivered, 1);
});

test("the number of requests that begin in a minute is limited", async (t) => {
  const requests = scriptedServer(t, [{ status: 500 }]);
  const { client } = await start({ retry: { maxUploadsPerMinute: 2 } });
  await client.submit(RECORD);
  assert.equal((await client.flush(1_000)).pending, 1);
  assert.equal(requests.length, 2);
  assert.equal((await client.flush(1_000)).problem.code, "limit_exceeded");
  assert.equal(requests.length, 2);
});

test("a deadline and a cancellation end a flush", async (t) => {
  scriptedServer(t, ["silence"]);
  const { client } = await start();
  await client.submit(RECORD);
  assert.deepEqual((({ pending, problem }) => [pending, problem.code])(await client.flush(50)), [1, "timed_out"]);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  assert.equal((await client.flush(600_000, controller.signal)).problem.code, "cancelled");
  assert.equal((await client.flush(600_000, controller.signal)).problem.code, "cancelled");
  setTimeout(() => client.cancel(), 50);
  assert.equal((await client.flush(600_000)).problem.code, "cancelled");
  const both = Promise.all([client.flush(600_000), client.flush(100)]);
  const waited = client.flush(100);
  assert.equal((await waited).problem.code, "timed_out", "a flush waits for its turn within its own deadline");
  setTimeout(() => client.cancel(), 50);
  assert.deepEqual((await both).map((one) => one.problem.code), ["cancelled", "timed_out"]);
});

test("opting out ends an upload under way, and no byte leaves after it", async (t) => {
  const requests = scriptedServer(t, ["silence"]);
  const { ledger, client } = await start();
  await client.submit(RECORD);
  const flush = client.flush(600_000);
  while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await client.optOut();
  const summary = await flush;
  assert.deepEqual([summary.problem.code, summary.pending], ["cancelled", 0]);
  assert.equal((await client.flush(1_000)).pending, 0);
  assert.equal(requests.length, 1);
  assert.deepEqual(await ledger.log(), []);
  await fails("opted_out", client.submit(RECORD));
});

test("the server's time reaches the ledger, also when nothing waits", async (t) => {
  const requests = scriptedServer(t, [{ status: 200, headers: { Date: new Date().toUTCString() } }]);
  const { ledger, client } = await start();
  await ledger.noteServerTime(1_000);
  await fails("clock_differs", client.submit(RECORD));
  await client.flush(60_000);
  assert.deepEqual(requests.map((one) => one.method), ["GET"]);
  assert.equal(await client.submit(RECORD), "reported");
});

test("a client that fetches its task learns the server's time before the first payment", async (t) => {
  const date = { Date: new Date(Date.now() + 60 * DAY * 1_000).toUTCString() };
  const document = JSON.stringify(taskDocument());
  scriptedServer(t, [{ status: 503, headers: date }, { status: 200, body: document, headers: date }]);
  const ledger = await Ledger.inMemory({ periodSeconds: DAY });
  const options = { ledger, server: SERVER, task: (await makeTask()).id, maxEpsilon: "1" };
  await fails("server_refused", Client.create(options));
  const told = await makeTask();
  await fails("clock_differs", ledger.pay(told, Math.floor(Date.now() / 1_000), () => assert.fail("paid")));
  const client = await Client.create({ ...options, ledger: await Ledger.inMemory({ periodSeconds: DAY }) });
  await fails("clock_differs", client.submit(RECORD));
  await client.flush(1_000);
  assert.deepEqual(await ledger.log(), []);
});

test("a malformed date, or one before 1970, does not end a flush", async (t) => {
  for (const date of ["Wed, 31 Dec 1969 23:59:59 GMT", "foo 1", "2026-01-01", "Thu, 01 Xyz 2026 00:00:00 GMT", ""]) {
    scriptedServer(t, [{ ...OK, headers: { Date: date } }]);
    const { client } = await start();
    await client.submit(RECORD);
    assert.equal((await client.flush(1_000)).delivered, 1, date);
    assert.equal(await client.submit(RECORD), "already_reported", date);
  }
});

test("Retry-After also counts in an answer to a request for the server's time", async (t) => {
  const requests = scriptedServer(t, [{ status: 503, headers: { "Retry-After": "100" } }, OK]);
  const { ledger, client } = await start();
  await ledger.noteServerTime(1_000);
  await fails("clock_differs", client.submit(RECORD));
  assert.equal((await client.flush(1_000)).problem.code, "server_refused");
  assert.match((await client.flush(1_000)).problem.message, /pause/);
  assert.deepEqual(requests.map((one) => one.method), ["GET"]);
});

test("a client refuses a task or a server that the page's options do not allow", async (t) => {
  const document = JSON.stringify(taskDocument());
  const task = await makeTask();
  const ledger = await Ledger.inMemory({});
  const create = (changes) => Client.create({ ledger, server: SERVER, task: task.id, maxEpsilon: "1", ...changes });
  const requests = scriptedServer(t, [{ status: 200, body: document }]);
  const client = await create({ schema: SCHEMA.map((one) => Object.fromEntries(Object.entries(one).reverse())) });
  assert.equal(client.task.id, task.id);
  assert.deepEqual(requests.map((one) => [one.method, one.url]), [["GET", `${SERVER}/v1/tasks/${task.id}`]]);
  await fails("task_mismatch", create({ maxEpsilon: "0.999999" }));
  await fails("task_mismatch", create({ schema: SCHEMA.slice(1) }));
  await fails("task_mismatch", create({ task: "A".repeat(43) }));
  await fails("invalid_argument", create({ task: "../" }));
  for (const server of ["", "aggregator.example", "http://aggregator.example", `${SERVER}/path`, `${SERVER}/?x`,
                        "https://user@aggregator.example"]) {
    await fails("invalid_argument", create({ server }));
  }
  await fails("invalid_argument", create({ timeout: 0 }));
  scriptedServer(t, [{ status: 404 }]);
  await fails("server_refused", create({}));
  scriptedServer(t, [new TypeError("no network")]);
  await fails("connection_failed", create({}));
  scriptedServer(t, [{ status: 200, body: "{}" }]);
  await fails("missing_key", create({}));
  scriptedServer(t, [{ status: 200, body: "x".repeat((1 << 20) + 1) }]);
  await fails("limit_exceeded", create({}));
});

test("misspelt and wrong options are refused", async () => {
  const { ledger, task, client } = await start();
  const right = { ledger, server: SERVER, task, maxEpsilon: "1" };
  const times = [NaN, -1, "5", null];
  const wrong = [
    { shema: SCHEMA }, { schema: undefined }, { retry: { first: undefined } }, { retry: { attempts: 3 } },
    { retry: 5 }, ...times.map((first) => ({ retry: { first } })), { timeout: NaN }, { timeout: "5" }, { retry: null },
  ];
  for (const one of wrong) await fails("invalid_argument", Client.create({ ...right, ...one }));
  for (const time of [...times, undefined]) await fails("invalid_argument", client.flush(time));
  const delays = [
    { law: "Uniform", span: 5 }, { law: "uniform" }, { span: 5 }, { law: "uniform", span: 5, spam: 5 }, null, undefined,
    ...times.map((span) => ({ law: "uniform", span })),
  ];
  for (const options of [...delays.map((delay) => ({ delay })), { dealy: delays[0] }, { deadline: "5" }, null]) {
    assert.throws(() => new BackgroundFlush(client, options).stop(), { code: "invalid_argument" });
  }
});

test("a time above the longest time of a timer counts as the longest", async (t) => {
  scriptedServer(t, [OK]);
  for (const time of [Infinity, 2 ** 31]) {
    const { client } = await start({ timeout: time });
    await client.submit(RECORD);
    assert.equal((await client.flush(time)).delivered, 1);
  }
});

test("the background flush uploads after wake(), again while reports wait, and stops", async (t) => {
  const requests = scriptedServer(t, [{ status: 401 }, OK]);
  const { client } = await start();
  await client.submit(RECORD);
  const results = [];
  await new Promise((resolve) => {
    const background = new BackgroundFlush(client, {
      ...{ delay: { law: "uniform", span: 20 }, retryAfter: 10 },
      outcome(result) {
        results.push(result);
        if (result.delivered !== 1) throw new Error("a fault of the page");
        background.stop();
        background.wake();
        resolve();
      },
    });
    background.wake();
  });
  assert.deepEqual([results.length, requests.length], [2, 2]);
  assert.throws(() => new BackgroundFlush(client, { retryAfter: -1 }), { code: "invalid_argument" });
});
