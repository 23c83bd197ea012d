// Reads the list of tasks that a page reports to. The app's author signs the list (common/task_list/format.md).
import { HearsayError } from "./errors.js";
import { beyond, TaskLimits } from "./limits.js";
import { millionths } from "./millionths.js";
import { checkMembers } from "./options.js";
import { Task } from "./task.js";

const MOST_BYTES = 8 << 20;
const MOST_TASKS = 256;
const OPTIONS = ["authorKey", "lastNumber", "now", "maxEpsilon", "schema"];

export interface TaskListOptions extends TaskLimits {
  /** The author's public key: 43 characters of base64url. */
  authorKey: string;
  /**
   * The number of the newest list that the page has used, or 0. After readTaskList(), the page must store the number of
   * the list that it has read.
   */
  lastNumber: number;
  /** The present time in seconds since 1970. Default: the device's time. */
  now?: number;
}

/**
 * Reads a signed list; returns the tasks within the limits, and the list's number. Checks the signature before it reads
 * the contents of the list. Skips tasks that this version does not understand. Throws HearsayError: "bad_signature",
 * "task_expired", "task_mismatch" (an older list), "malformed_json", "limit_exceeded", "invalid_argument", and
 * "unsupported" if the browser does not know Ed25519.
 */
export async function readTaskList(
  text: string,
  options: TaskListOptions,
): Promise<{ tasks: Task[]; number: number }> {
  checkMembers(options, OPTIONS, "a list's options");
  const { lastNumber, now = Date.now() / 1000 } = options;
  if (!Number.isSafeInteger(lastNumber) || lastNumber < 0) {
    throw new HearsayError("invalid_argument", "lastNumber must be the number of the last list, or 0");
  }
  if (!Number.isFinite(now)) throw new HearsayError("invalid_argument", "now must be seconds since 1970");
  millionths(options.maxEpsilon, "maxEpsilon");
  if (text.length > MOST_BYTES) throw new HearsayError("limit_exceeded", "a list may have at most 8 MiB");
  const { contents, signature } = objectOf(text, ["contents", "signature"]);
  if (typeof contents !== "string" || typeof signature !== "string") throw malformed("contents and signature must be text");
  await verify(options.authorKey, contents, signature);

  const list = objectOf(contents, ["version", "number", "expires", "tasks"]);
  const { version, number, expires, tasks } = list;
  if (version !== 1) throw new HearsayError("invalid_argument", "the list has another version than 1");
  if (!isCount(number) || !isCount(expires) || !Array.isArray(tasks)) throw malformed("a member of the list has a wrong type");
  if (now >= expires) {
    throw new HearsayError("task_expired", "the list of tasks has expired; fetch a new one");
  }
  if (number < lastNumber) {
    throw new HearsayError("task_mismatch", "the list of tasks is older than the one used before");
  }
  if (tasks.length > MOST_TASKS) throw new HearsayError("limit_exceeded", `a list may have at most ${MOST_TASKS} tasks`);
  return { tasks: await understood(tasks, options), number };
}

async function understood(documents: unknown[], limits: TaskLimits): Promise<Task[]> {
  const tasks = new Map<string, Task>();
  for (const document of documents) {
    const task = await Task.parse(JSON.stringify(document)).catch(() => null);
    if (task === null) continue; // the task is probably for a later version of this package
    if (tasks.has(task.id)) throw new HearsayError("invalid_argument", `the task ${task.id} stands in the list twice`);
    tasks.set(task.id, task);
  }
  return [...tasks.values()].filter((task) => beyond(limits, task) === null);
}

async function verify(authorKey: string, contents: string, signature: string): Promise<void> {
  const key = bytesOf(authorKey, 32);
  if (key === null) throw new HearsayError("invalid_argument", "an author's key must be 43 characters of base64url");
  const signed = bytesOf(signature, 64);
  if (signed === null) throw new HearsayError("bad_signature", "the list's signature is not 64 bytes in base64url");
  let right: boolean;
  try {
    const author = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    const message = new TextEncoder().encode(`hearsay task list v1\n${contents}`);
    right = await crypto.subtle.verify({ name: "Ed25519" }, author, signed, message);
  } catch (error) {
    throw new HearsayError("unsupported", `this browser does not verify Ed25519: ${String(error)}`);
  }
  if (!right) {
    throw new HearsayError("bad_signature", "the list was not signed with the author's key, or was changed after that");
  }
}

const malformed = (what: string): HearsayError => new HearsayError("malformed_json", `the list is malformed: ${what}`);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

function objectOf(text: string, members: string[]): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw malformed("it is no JSON");
  }
  if (typeof json !== "object" || json === null || Object.keys(json).sort().join() !== [...members].sort().join()) {
    throw malformed(`it must have the members ${members.join(", ")} and no others`);
  }
  return json as Record<string, unknown>;
}

// Returns null if the text is not unpadded base64url of `size` bytes.
function bytesOf(text: string, size: number): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length !== Math.ceil((size * 4) / 3)) return null;
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}
