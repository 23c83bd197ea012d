// Uploads the waiting reports of one task.
import { HearsayError } from "./errors.js";
import { Answer, exchange } from "./exchange.js";
import type { Ledger, PendingReport } from "./ledger.js";
import { backoff, RetryPolicy } from "./retry_policy.js";
import { judge, Verdict } from "./verdict.js";

const MEDIA_TYPE = "application/vnd.hearsay.reports+cbor-seq";
const MOST_REPORTS = 64; // in one request
const MOST_BYTES = 256 << 10;
const MINUTE = 60_000;

/** The results of one flush. */
export interface FlushSummary {
  delivered: number;
  /** The reports that the client gave up, because the aggregator refused them for good. */
  dropped: number;
  /** The reports that wait for a later flush. */
  pending: number;
  /** The last problem of the flush, or null. */
  problem: HearsayError | null;
}

export interface UploaderOptions {
  ledger: Ledger;
  /** The task's address: ".../v1/tasks/ID". */
  url: string;
  task: string;
  headers: Record<string, string>;
  timeout: number;
  retry: RetryPolicy;
}

export class Uploader {
  readonly options: UploaderOptions;
  /** The earliest time of the next request, by steady(). The server's Retry-After holds for later flushes, too. */
  notBefore = 0;
  /** The times when the requests of the last minute began. */
  begun: number[] = [];
  /** True if the aggregator has answered that it takes no more reports to the task. */
  closed = false;

  constructor(options: UploaderOptions) {
    this.options = options;
  }

  /**
   * Runs one flush, for at most `deadline` milliseconds. Throws the ledger's errors. If the
   * network or the server fails, does not throw: the summary says why.
   */
  flush(deadline: number, signal: AbortSignal): Promise<FlushSummary> {
    return new Flush(this, deadline, signal).run();
  }
}

const now = (): number => Math.floor(Date.now() / 1000);
const steady = (): number => performance.now();

class Flush {
  readonly #uploader: Uploader;
  readonly #options: UploaderOptions;
  readonly #signal: AbortSignal;
  readonly #end: number;
  readonly #summary: FlushSummary = { delivered: 0, dropped: 0, pending: 0, problem: null };
  readonly #kept = new Set<number>();
  #next: number;
  #attempts = 0; // failed attempts of the present request
  #separate = 0; // this number of reports go next, each in a request of its own
  #most = MOST_REPORTS;
  #toldTime = false;

  constructor(uploader: Uploader, deadline: number, signal: AbortSignal) {
    this.#uploader = uploader;
    this.#options = uploader.options;
    this.#signal = signal;
    this.#end = steady() + deadline;
    this.#next = uploader.notBefore;
  }

  async run(): Promise<FlushSummary> {
    const { ledger, task } = this.#options;
    await this.#sendAll();
    if (ledger.doubtsClock && !this.#toldTime && !this.#over()) await this.#learnTime();
    this.#summary.pending = (await ledger.pending(task, now())).length;
    return this.#summary;
  }

  #left(): number {
    return this.#end - steady();
  }

  // Returns true if this flush may send nothing more. The summary gets the reason.
  #over(): boolean {
    if (this.#signal.aborted) {
      this.#summary.problem = new HearsayError("cancelled", "the flush was cancelled");
    } else if (this.#left() <= 0) {
      this.#summary.problem ??= new HearsayError("timed_out", "the time for the flush is over");
    } else {
      return false;
    }
    return true;
  }

  // Asks the ledger anew before each request, so that no report is sent after the person has opted out.
  async #sendAll(): Promise<void> {
    for (;;) {
      const reports = this.#choose(await this.#options.ledger.pending(this.#options.task, now()));
      if (reports.length === 0 || this.#over()) return;
      const wait = this.#timeToWait();
      if (wait >= this.#left()) return;
      if (wait > 0) {
        await sleep(wait, this.#signal);
      } else if (!(await this.#send(reports))) {
        return;
      }
    }
  }

  // Returns the reports of the next request: the oldest waiting ones, without those that this flush has put off.
  #choose(waiting: PendingReport[]): PendingReport[] {
    const chosen: PendingReport[] = [];
    let bytes = 0;
    for (const report of waiting) {
      if (this.#kept.has(report.number)) continue;
      bytes += report.bytes.length;
      if (chosen.length > 0 && (bytes > MOST_BYTES || chosen.length >= this.#most || this.#separate > 0)) break;
      chosen.push(report);
    }
    return chosen;
  }

  // Returns how long the flush must still wait for the server's Retry-After, the backoff and the rate limit. If the
  // deadline comes first, the summary gets the reason.
  #timeToWait(): number {
    const uploader = this.#uploader;
    const at = steady();
    uploader.begun = uploader.begun.filter((time) => time > at - MINUTE);
    const most = Math.max(this.#options.retry.maxUploadsPerMinute, 1);
    const first = uploader.begun.length >= most ? uploader.begun[uploader.begun.length - most]! + MINUTE : 0;
    const from = Math.max(this.#next, first);
    if (from > at && from - at >= this.#left() && this.#summary.problem === null) {
      const seconds = Math.floor((from - at) / 1000) + 1;
      this.#summary.problem =
        from === uploader.notBefore
          ? new HearsayError("server_refused", `the aggregator asked for a pause; ${seconds} seconds of it are left`)
          : new HearsayError("limit_exceeded", `the next upload may begin in ${seconds} seconds`);
    }
    return Math.max(from - at, 0);
  }

  // Returns false if the flush must end.
  async #send(reports: PendingReport[]): Promise<boolean> {
    const body = joined(reports);
    this.#uploader.begun.push(steady());
    const answer = await this.#ask("POST", `${this.#options.url}/reports`, body);
    const verdict = judge(answer, this.#options.retry, body, reports.length > 1);
    if (verdict.error) this.#summary.problem = verdict.error;
    if (verdict.action === "retry") return this.#retry(verdict);
    this.#attempts = 0;
    if (this.#separate > 0) this.#separate -= 1;
    switch (verdict.action) {
      case "settle":
        await this.#settle(reports, "delivered", "");
        if (this.#kept.size === 0 && this.#summary.dropped === 0) this.#summary.problem = null;
        return true;
      case "drop":
        await this.#settle(reports, "dropped", verdict.error!.message);
        return true;
      case "close_task":
        this.#uploader.closed = true;
        reports = await this.#options.ledger.pending(this.#options.task, now());
        await this.#settle(reports, "dropped", verdict.error!.message);
        return false;
      case "separate":
        this.#separate = reports.length;
        return true;
      case "halve":
        this.#most = Math.floor(reports.length / 2);
        return true;
      case "keep":
        for (const report of reports) this.#kept.add(report.number);
        return true;
      case "stop":
        return false;
    }
  }

  #retry(verdict: Verdict): boolean {
    this.#attempts += 1;
    // The random part of the backoff separates clients that got the same Retry-After.
    this.#next = steady() + backoff(this.#options.retry, this.#attempts) + (verdict.atLeast ?? 0);
    if (verdict.retryAfter !== undefined) this.#uploader.notBefore = this.#next;
    return this.#attempts < this.#options.retry.maxAttempts;
  }

  async #settle(reports: PendingReport[], state: "delivered" | "dropped", reason: string): Promise<void> {
    const numbers = reports.map((report) => report.number);
    this.#summary[state] += await this.#options.ledger.settle(numbers, state, reason, now());
  }

  // Fetches the task, only for the server's time in the answer.
  async #learnTime(): Promise<void> {
    if (this.#timeToWait() > 0) return;
    this.#uploader.begun.push(steady());
    const answer = await this.#ask("GET", this.#options.url);
    const verdict = judge(answer, this.#options.retry, new Uint8Array(), false);
    if (answer instanceof HearsayError || verdict.action === "retry") this.#summary.problem = verdict.error ?? null;
    if (verdict.action === "retry") this.#retry(verdict);
  }

  async #ask(method: "GET" | "POST", url: string, body?: Uint8Array): Promise<Answer | HearsayError> {
    const headers = method === "POST" ? { "Content-Type": MEDIA_TYPE, ...this.#options.headers } : {};
    const timeout = Math.min(this.#options.timeout, this.#left());
    try {
      const answer = await exchange({ method, url, ...(body && { body }), headers, timeout, signal: this.#signal });
      if (answer.date !== null) {
        await this.#options.ledger.noteServerTime(answer.date);
        this.#toldTime = true;
      }
      return answer;
    } catch (error) {
      if (error instanceof HearsayError && ["cancelled", "timed_out", "connection_failed"].includes(error.code)) {
        return error;
      }
      throw error;
    }
  }
}

function joined(reports: PendingReport[]): Uint8Array {
  const body = new Uint8Array(reports.reduce((sum, report) => sum + report.bytes.length, 0));
  let at = 0;
  for (const report of reports) {
    body.set(report.bytes, at);
    at += report.bytes.length;
  }
  return body;
}

/** Waits for `milliseconds`, or until the signal aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(milliseconds, 2 ** 31 - 1));
    signal.addEventListener("abort", done);
  });
}
