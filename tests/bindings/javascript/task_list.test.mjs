// Signed lists of tasks. The tests sign lists as common/task_list/format.md says. `hearsay task sign` signs the list of
// the last test.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";

import { SCHEMA, failure, hearsay, taskDocument } from "./support.mjs";

const { readTaskList } = hearsay;
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const authorKey = publicKey.export({ format: "jwk" }).x;
const NOW = 1_000_000;
const options = { authorKey, lastNumber: 3, now: NOW, maxEpsilon: "1" };
const fails = (code, text, changes = {}) => failure(assert, code, readTaskList(text, { ...options, ...changes }));

function signed(contents, prefix = "hearsay task list v1\n") {
  const text = typeof contents === "string" ? contents : JSON.stringify(contents);
  const signature = sign(null, Buffer.from(prefix + text), privateKey).toString("base64url");
  return JSON.stringify({ contents: text, signature });
}

const list = (changes) => ({ version: 1, number: 3, expires: NOW + 1, tasks: [taskDocument()], ...changes });

test("the page gets the tasks within its limits, in the order of the list", async () => {
  const tasks = [
    taskDocument({ title: "Größe" }), taskDocument({ epsilon: "2" }), { version: 99 },
    taskDocument({ schema: SCHEMA.slice(1) }), taskDocument({ schema: SCHEMA.map((one) => ({ ...one, title: "x" })) }),
  ];
  const read = await readTaskList(signed(list({ tasks, number: 4 })), { ...options, schema: SCHEMA });
  assert.equal(read.number, 4);
  assert.deepEqual(read.tasks.map((task) => task.title), ["Größe", "habits"]);
  assert.equal((await readTaskList(signed(list({ tasks })), options)).tasks.length, 3);
});

test("text that the author did not sign is refused before it is read", async () => {
  const right = signed(list());
  await fails("bad_signature", right.replace("habits", "habitz"));
  const other = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x;
  await fails("bad_signature", right, { authorKey: other });
  await fails("bad_signature", signed(list(), ""));
  await fails("bad_signature", signed("garbage", ""));
  await fails("bad_signature", JSON.stringify({ contents: "{}", signature: "short" }));
  await fails("invalid_argument", right, { authorKey: "short" });
});

test("expired, superseded, too large and malformed lists are refused", async () => {
  await fails("task_mismatch", signed(list()), { lastNumber: 4 });
  await fails("task_expired", signed(list()), { now: NOW + 1 });
  await fails("invalid_argument", signed(list({ version: 2 })));
  await fails("invalid_argument", signed(list({ tasks: [taskDocument(), taskDocument()] })));
  await fails("limit_exceeded", signed(list({ tasks: Array(257).fill({}) })));
  await fails("limit_exceeded", " ".repeat((8 << 20) + 1));
  const wrong = [{ more: 1 }, { number: 0 }, { expires: "1" }, { tasks: 1 }].map(list);
  for (const contents of ["", "[]", "{}", ...wrong]) await fails("malformed_json", signed(contents));
  for (const text of ["", "[]", '{"contents": "{}"}', '{"contents": {}, "signature": ""}']) {
    await fails("malformed_json", text);
  }
});

test("wrong options are refused", async () => {
  const right = signed(list());
  for (const lastNumber of [undefined, null, NaN, "3", -1]) await fails("invalid_argument", right, { lastNumber });
  for (const now of [undefined, null, NaN, "1"]) await fails("invalid_argument", right, { now });
  await fails("invalid_argument", right, { maxEpsilon: undefined });
  await fails("invalid_argument", right, { shema: SCHEMA });
  await failure(assert, "invalid_argument", readTaskList(right));
});

test("a list that `hearsay task sign` signed is read", async (t) => {
  const directory = mkdtempSync(`${tmpdir()}/hearsay-list-`);
  t.after(() => rmSync(directory, { recursive: true }));
  const [key, file] = [`${directory}/key.pem`, `${directory}/task.json`];
  writeFileSync(key, privateKey.export({ format: "pem", type: "pkcs8" }));
  writeFileSync(file, JSON.stringify(taskDocument()));
  const args = ["task", "sign", file, "--key", key, "--number", "7", "--expires", String(NOW + 1)];
  const text = execFileSync(process.env.HEARSAY, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const { tasks, number } = await readTaskList(text, options);
  assert.deepEqual([tasks.length, number, tasks[0].epsilon], [1, 7, "1"]);
});
