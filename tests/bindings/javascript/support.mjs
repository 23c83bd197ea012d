// Shared by the tests: the built package, tasks, and a server that answers from a script.
import { readFileSync } from "node:fs";

// In Node 18 (Debian 12), crypto is not global.
globalThis.crypto ??= (await import("node:crypto")).webcrypto;

export const PACKAGE = new URL("../../../sdk/bindings/javascript/", import.meta.url);
export const hearsay = await import(new URL("dist/hearsay.js", PACKAGE));
export const DAY = 86_400;
export const today = () => Math.floor(Date.now() / 1000 / DAY) * DAY;

export const SCHEMA = [
  { name: "smoker", type: "boolean" },
  { name: "region", type: "categorical", values: ["north", "south", "west"] },
  { name: "age", type: "range", min: 0, max: 4 },
];
export const RECORD = { smoker: true, region: "west", age: 3 };

/** Returns the document of a task that is open for reports now. */
export function taskDocument(changes = {}) {
  return {
    ...{ version: 2, title: "habits", epsilon: "1", schema: SCHEMA },
    arrangement: { type: "characters", order: 1 },
    channel: { type: "sampled", groups: [{ kind: "single", size: 1, weight: 1 }] },
    ...{ task_start: today() - DAY, task_duration: 10 * DAY, time_precision: DAY, min_batch_size: 1 },
    ...changes,
  };
}

export const makeTask = (changes) => hearsay.Task.parse(JSON.stringify(taskDocument(changes)));
export const vectors = (name) => JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url)));

/** Checks that the promise fails with a HearsayError of this code. Returns the error. */
export async function failure(assert, code, promise) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof hearsay.HearsayError, String(error));
    assert.equal(error.code, code, error.message);
    return error;
  }
  assert.fail(`does not fail: ${code}`);
}

export const problem = (status, name, more = {}) => ({
  status,
  body: JSON.stringify({ type: `urn:hearsay:error:${name}`, ...more }),
});

/**
 * Replaces fetch(). Each request gets the next of `answers`: {status, body, headers}, an Error to throw, or "silence",
 * which never answers. Further requests get the last answer again.
 */
export function scriptedServer(test, answers) {
  const requests = [];
  const real = globalThis.fetch;
  test.after(() => (globalThis.fetch = real));
  globalThis.fetch = async (url, options) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push({ url: String(url), ...options, body: options.body && Buffer.from(options.body).toString("hex") });
    if (answer === "silence") {
      return new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
    }
    if (answer instanceof Error) throw answer;
    return new Response(answer.body ?? "", { status: answer.status, headers: answer.headers ?? {} });
  };
  return requests;
}
