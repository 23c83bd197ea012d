// Decides from the aggregator's answer, or from a failed exchange, what to do with the reports that were sent.
// sdk/upload/README.md has the rules.
import { HearsayError } from "./errors.js";
import type { Answer } from "./exchange.js";
import type { RetryPolicy } from "./retry_policy.js";

/** What to do with the reports; see Action in sdk/upload/verdict.h. */
export type Action = "settle" | "drop" | "close_task" | "retry" | "keep" | "stop" | "separate" | "halve";

export interface Verdict {
  action: Action;
  /** The error that the flush's summary shows. "settle" has none. */
  error?: HearsayError;
  /** For "retry": the time, in milliseconds, that the client waits in addition to the backoff. */
  atLeast?: number;
  /** The wait that the server asked for, at most the policy's maxRetryAfter, in milliseconds. */
  retryAfter?: number;
}

// The refusals after which the client gives a report up, as pairs of a status and a problem's name. Both must match,
// since a name with another status means something else.
const FINAL = new Map<string, Action>([
  ["400 report_malformed", "drop"],
  ["400 report_wrong_size", "drop"],
  ["400 report_out_of_bounds", "drop"],
  ["400 report_time_invalid", "drop"],
  ["400 limit_exceeded", "drop"],
  ["409 report_conflict", "drop"],
  ["410 report_expired", "drop"],
  ["413 body_too_large", "drop"],
  ["410 task_expired", "close_task"],
  ["410 task_closed", "close_task"],
  ["404 unrecognizedTask", "close_task"],
]);
const ABOUT_REPORTS = [400, 404, 409, 410, 413, 422];
const PROBLEM = "urn:hearsay:error:";

interface Problem {
  name: string;
  now: number | null;
}

function parsed(body: string): Record<string, unknown> {
  try {
    const json = JSON.parse(body);
    return typeof json === "object" && json !== null ? json : {};
  } catch {
    return {};
  }
}

function problemOf(body: string): Problem {
  const { type, now } = parsed(body);
  const name = typeof type === "string" && type.startsWith(PROBLEM) ? type.slice(PROBLEM.length) : "";
  return { name, now: Number.isSafeInteger(now) ? (now as number) : null };
}

function rejectsSome(body: string): boolean {
  const { rejected } = parsed(body);
  return typeof rejected === "number" && rejected > 0;
}

/** Returns "server_refused" with the status and, if the body is a problem document of Hearsay, the problem's name. */
export function refusal(answer: Answer): HearsayError {
  const name = problemOf(answer.body).name || "without a problem document of Hearsay";
  return new HearsayError("server_refused", `the aggregator answered ${answer.status} (${name})`);
}

/** Returns the time of the first report in encoded reports, in seconds since 1970 (common/report/format.md). */
export function timeOfFirst(reports: Uint8Array): number | null {
  const at = 19; // position behind the array's head, the version, the id's head and the id
  const head = reports[at];
  if (reports[0] !== 0x84 || reports[2] !== 0x50 || head === undefined || head > 0x1b) return null;
  if (head < 24) return head;
  const size = 2 ** (head - 24);
  let time = 0;
  for (const byte of reports.subarray(at + 1, at + 1 + size)) time = time * 256 + byte;
  return time;
}

// Judges a report with a time that is ahead of the server's time.
function judgeEarly(problem: Problem, policy: RetryPolicy, reports: Uint8Array, error: HearsayError): Verdict {
  const time = timeOfFirst(reports);
  if (problem.now === null || time === null) return { action: "keep", error };
  const ahead = Math.max(time - problem.now, 0) * 1000;
  if (ahead > policy.maxAhead) return { action: "drop", error };
  return ahead <= policy.largest ? { action: "retry", error, atLeast: ahead } : { action: "keep", error };
}

/** Judges the answer to a POST of encoded reports. */
export function judge(
  answer: Answer | HearsayError,
  policy: RetryPolicy,
  reports: Uint8Array,
  several: boolean,
): Verdict {
  if (answer instanceof HearsayError) {
    const again = answer.code === "connection_failed" || answer.code === "timed_out";
    return { action: again ? "retry" : "stop", error: answer };
  }
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    return several && rejectsSome(body) ? { action: "separate", error: refusal(answer) } : { action: "settle" };
  }
  const error = refusal(answer);
  if (status === 408 || status === 429 || status >= 500) {
    if (answer.retryAfter === null) return { action: "retry", error };
    const retryAfter = Math.min(answer.retryAfter, policy.maxRetryAfter);
    return { action: "retry", error, atLeast: retryAfter, retryAfter };
  }
  const problem = problemOf(body);
  if (status === 413 && (several || problem.name === "")) {
    return { action: several ? "halve" : "keep", error }; // a proxy may send such an answer
  }
  if (problem.name === "" || !ABOUT_REPORTS.includes(status)) return { action: "stop", error };
  if (several) return { action: "separate", error };
  const final = FINAL.get(`${status} ${problem.name}`);
  if (final !== undefined) return { action: final, error };
  if (status === 400 && problem.name === "report_too_early") return judgeEarly(problem, policy, reports, error);
  return { action: "keep", error };
}
