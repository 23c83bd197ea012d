// The core in WebAssembly: its imports from JavaScript, its size, and its agreement with the test vectors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { DAY, PACKAGE, RECORD, failure, hearsay, makeTask, taskDocument, today, vectors } from "./support.mjs";

const { Task } = hearsay;
const wasm = readFileSync(new URL("dist/hearsay.wasm", PACKAGE));
const now = () => Math.floor(Date.now() / 1000);
const throws = (code, call) => failure(assert, code, (async () => call())());

test("the module is small, and imports only the documented functions from JavaScript", (t) => {
  const size = gzipSync(wasm, { level: 9 }).length;
  t.diagnostic(`hearsay.wasm: ${wasm.length} bytes, ${size} compressed`);
  assert.ok(size <= 600 * 1024, `${size} bytes compressed`);
  const module = new WebAssembly.Module(wasm);
  const imports = WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`);
  assert.deepEqual(imports.sort(), [
    "env.emscripten_notify_memory_growth", "hearsay.random", "hearsay.sha256", "wasi_snapshot_preview1.proc_exit",
  ]);
  const calls = WebAssembly.Module.exports(module).map((one) => one.name).filter((name) => /^hearsay/.test(name));
  const header = readFileSync(new URL("../../include/hearsay/hearsay.h", PACKAGE), "utf8");
  assert.equal(calls.length, 8);
  for (const call of calls) assert.ok(header.includes(` ${call}(`) || header.includes(`* ${call}(`), call);
});

test("tasks have the ids that vectors/tasks.json expects", async () => {
  for (const vector of vectors("tasks")) {
    assert.equal((await Task.parse(vector.document)).id, vector.id, vector.about);
    assert.equal((await Task.parse(new TextEncoder().encode(vector.canonical))).id, vector.id, vector.about);
  }
});

test("a malformed document has an error with a code and a message", async () => {
  await failure(assert, "malformed_json", Task.parse("{"));
  await failure(assert, "missing_key", Task.parse("{}"));
  await failure(assert, "unknown_key", makeTask({ colour: 1 }));
  await failure(assert, "limit_exceeded", Task.parse(" ".repeat((4 << 20) + 1)));
  await failure(assert, "malformed_json", Task.parse(new Uint8Array([0xff])));
  const error = await failure(assert, "invalid_task", makeTask({ epsilon: "65" }));
  assert.match(error.message, /epsilon/);
});

// For a record and a group of questions, vectors/answers.json has the payload of the true answer. Groups and answers do
// not depend on epsilon. If a group has K <= 2^16 answers, then at epsilon = 40 an answer is false with a probability
// below K e^-40 < 3e-13. So 30,000 draws contain a false answer with a probability below 1e-8.
test("true answers have the payloads that vectors/answers.json expects", async (t) => {
  let compared = 0;
  for (const vector of vectors("answers")) {
    const document = { ...JSON.parse(vector.task), epsilon: "40" };
    const task = await Task.parse(JSON.stringify(document));
    const width = widest(vector.reports);
    for (const record of new Set(vector.reports.map((one) => one.record.join()))) {
      const stated = vector.reports.filter((one) => one.record.join() === record);
      const truths = new Map(stated.map((one) => [BigInt(one.group), one.payload]));
      const values = recordJson(document.schema, stated[0].record);
      for (let i = 0; i < 600; ++i) {
        const payload = payloadOf(task.randomizeWithoutLedger(values, task.start));
        const truth = truths.get(numberOf(payload) >> width);
        if (truth === undefined) continue;
        assert.equal(Buffer.from(payload).toString("hex"), truth, vector.about);
        compared += 1;
      }
    }
  }
  t.diagnostic(`${compared} answers compared`);
  assert.ok(compared > 1_000);
});

// One boolean, epsilon = 1: the answer is true with probability p = e/(e+1), up to the rounding of 2^-60. The n calls
// are independent, so chi2 = (hits - n p)^2 / (n p (1-p)) has one degree of freedom. chi2 exceeds 28.37 with
// probability 1e-7. With the probability p + 0.02, chi2 would be about 20,000 * 0.0004 / 0.2 = 40, and the test would
// fail. The random bits come from the system, because a page must not be able to seed them.
test("an answer is true as often as epsilon says", async () => {
  const task = await makeTask({ schema: [{ name: "smoker", type: "boolean" }] });
  const n = 20_000;
  const p = Math.E / (Math.E + 1);
  for (const smoker of [true, false]) {
    const answers = new Map();
    for (let i = 0; i < n; ++i) {
      const answer = payloadOf(task.randomizeWithoutLedger({ smoker }, now()))[0];
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    assert.deepEqual([...answers.keys()].sort(), [0, 1]);
    // The only question about a boolean is its value: the answer 1 means yes.
    const hits = answers.get(smoker ? 1 : 0);
    assert.ok((hits - n * p) ** 2 / (n * p * (1 - p)) < 28.37, `${hits} of ${n}`);
  }
});

test("each report has an id of its own, its window's time, and the task's size", async () => {
  const task = await makeTask();
  const ids = new Set();
  for (let i = 0; i < 1_000; ++i) {
    const report = task.randomizeWithoutLedger(RECORD, now());
    assert.equal(Buffer.from(report.subarray(0, 3)).toString("hex"), "840150");
    ids.add(Buffer.from(report.subarray(3, 19)).toString("hex"));
    assert.equal(Buffer.from(report.subarray(19, 24)).toString("hex"), `1a${today().toString(16)}`);
  }
  assert.equal(ids.size, 1_000);
});

test("an error about a malformed record does not hold the record's values", async () => {
  const task = await makeTask();
  const records = [
    { ...RECORD, region: "4711" }, { ...RECORD, age: 4711 }, { ...RECORD, age: 1.4711 }, { smoker: true },
    { ...RECORD, more: 4711 }, { ...RECORD, age: NaN }, { ...RECORD, age: 4711n }, { ...RECORD, age: [4711] },
  ];
  for (const record of records) {
    const error = await throws("invalid_record", () => task.randomizeWithoutLedger(record, now()));
    assert.ok(!error.message.includes("4711"), error.message);
  }
  await throws("malformed_json", () => task.randomizeWithoutLedger("{", now()));
  await throws("report_too_early", () => task.randomizeWithoutLedger(RECORD, task.start - 1));
  await throws("task_expired", () => task.randomizeWithoutLedger(RECORD, task.end));
});

test("random bits come in pieces of at most 64 KiB, and without them there is no report", async (t) => {
  const task = await makeTask();
  const real = crypto.getRandomValues;
  t.after(() => (crypto.getRandomValues = real));
  const pieces = [];
  crypto.getRandomValues = (array) => {
    pieces.push(array.length);
    return real.call(crypto, array);
  };
  for (let i = 0; i < 1_000; ++i) task.randomizeWithoutLedger(RECORD, now());
  assert.ok(pieces.length > 3 && pieces.every((size) => size <= 65_536), String(pieces));

  crypto.getRandomValues = () => {
    throw new Error("no random bits");
  };
  let reports = 0;
  const codes = new Set();
  for (let i = 0; i < 1_000; ++i) {
    try {
      task.randomizeWithoutLedger(RECORD, now());
      reports += 1; // this report was made before the random bits failed
    } catch (error) {
      codes.add(error.code);
    }
  }
  assert.deepEqual([...codes], ["entropy_failed"]);
  assert.ok(reports < 300, "each buffered byte is used once");
  crypto.getRandomValues = real;
  task.randomizeWithoutLedger(RECORD, now());
});

test("a task document with random changes is read or refused, and the module goes on", async () => {
  const document = new TextEncoder().encode(JSON.stringify(taskDocument()));
  for (let i = 0; i < 2_000; ++i) {
    const changed = document.slice(0, i % 3 === 0 ? (i * 7) % document.length : document.length);
    for (let k = 0; k < 3; ++k) changed[(i * 31 + k * 57) % (changed.length || 1)] = (i * 13 + k * 101) % 256;
    await Task.parse(changed).catch((error) => assert.ok(error instanceof hearsay.HearsayError, String(error)));
  }
  const task = await makeTask();
  assert.equal(task.end, task.start + 10 * DAY);
});

function payloadOf(report) {
  // A report is a CBOR array: version, id, time, payload. The CBOR head of the time is byte 19.
  const head = report[19];
  const time = head < 24 ? 0 : 2 ** (head - 24);
  const at = 20 + time;
  return report[at] < 0x58 ? report.subarray(at + 1) : report.subarray(at + 2);
}

const numberOf = (bytes) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

// The lowest bits of a payload hold the answer, and the bits above hold the number of the group. Returns how many bits
// the widest answer has.
function widest(reports) {
  for (let width = 0n; width < 64n; ++width) {
    const fits = (one) => numberOf(Buffer.from(one.payload, "hex")) >> width === BigInt(one.group);
    if (reports.every(fits) && reports.some((one) => one.group > 0)) return width;
  }
  throw new Error("a vector does not say how wide its answers are");
}

function recordJson(schema, indices) {
  const value = ({ type, min, values }, index) =>
    type === "boolean" ? index === 1 : type === "range" ? min + index : values[index];
  return Object.fromEntries(schema.map((attribute, i) => [attribute.name, value(attribute, indices[i])]));
}
