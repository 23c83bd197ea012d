// The client: checks the task, submits, flushes, opts out.
import { HearsayError } from "./errors.js";
import { exchange } from "./exchange.js";
import type { Ledger, Payment } from "./ledger.js";
import { beyond, TaskLimits } from "./limits.js";
import { millionths } from "./millionths.js";
import { checkMembers, checkTime } from "./options.js";
import { DEFAULT_RETRY, RetryPolicy } from "./retry_policy.js";
import { RecordValues, Task } from "./task.js";
import { FlushSummary, Uploader } from "./uploader.js";

export interface ClientOptions extends TaskLimits {
  ledger: Ledger;
  /** The aggregator's address, such as "https://aggregator.example". Add the port if the port is not 443. */
  server: string;
  /** The task or its id. With an id, the client fetches the task document and checks that the document has this id. */
  task: Task | string;
  /** The token that some aggregators ask for with each report. Everybody who opens the page can read the token. */
  uploadToken?: string;
  /** The timeout of one exchange, in milliseconds, above 0. Default: 10,000. */
  timeout?: number;
  retry?: Partial<RetryPolicy>;
}

const OPTIONS = ["ledger", "server", "task", "maxEpsilon", "schema", "uploadToken", "timeout", "retry"];

/** One person's reports to one task. */
export class Client {
  readonly task: Task;
  readonly #ledger: Ledger;
  readonly #uploader: Uploader;
  readonly #flushes = new Set<AbortController>();

  private constructor(task: Task, ledger: Ledger, uploader: Uploader) {
    this.task = task;
    this.#ledger = ledger;
    this.#uploader = uploader;
  }

  /**
   * Makes a client. Waits for the network only if `task` is an id. Throws HearsayError: "task_mismatch" (the task
   * exceeds the page's limits, or has another id than asked for), "invalid_argument", "server_refused", the errors of
   * Task.parse(), and the errors of the network.
   */
  static async create(options: ClientOptions): Promise<Client> {
    checkMembers(options, OPTIONS, "a client's options");
    millionths(options.maxEpsilon, "maxEpsilon");
    const server = addressOf(options.server);
    const timeout = checkTime(options.timeout ?? 10_000, "timeout");
    if (timeout === 0) throw new HearsayError("invalid_argument", "timeout must be above 0");
    if (options.retry !== undefined) checkMembers(options.retry, Object.keys(DEFAULT_RETRY), "the options of retry");
    const retry = { ...DEFAULT_RETRY, ...options.retry };
    for (const [name, value] of Object.entries(retry)) checkTime(value, name);
    const task = typeof options.task === "string" ? await fetched(options, server, timeout) : options.task;
    const why = beyond(options, task);
    if (why !== null) throw new HearsayError("task_mismatch", why);
    const headers: Record<string, string> =
      options.uploadToken === undefined ? {} : { Authorization: `Bearer ${options.uploadToken}` };
    const url = `${server}/v1/tasks/${task.id}`;
    const uploader = new Uploader({ ledger: options.ledger, url, task: task.id, headers, timeout, retry });
    return new Client(task, options.ledger, uploader);
  }

  /**
   * Pays for a report, randomizes the record and queues the report. Does not use the network. If the person has
   * reported to the task in this period, returns "already_reported" and does not look at the record. Throws
   * HearsayError, for example "budget_exhausted", "invalid_record", "clock_differs" or "opted_out".
   */
  async submit(record: RecordValues | string): Promise<Payment> {
    if (this.#uploader.closed) throw new HearsayError("task_expired", "the aggregator takes no reports to this task");
    const now = Math.floor(Date.now() / 1000);
    return this.#ledger.pay(this.task, now, () => this.task.randomizeWithoutLedger(record, now));
  }

  /**
   * Uploads the waiting reports, for at most `deadline` milliseconds, or until `signal` aborts. Only one tab uploads at
   * a time. If the network or the server fails, does not throw: the summary's `problem` says why. Throws the
   * ledger's errors.
   */
  async flush(deadline: number, signal?: AbortSignal): Promise<FlushSummary> {
    const end = performance.now() + checkTime(deadline, "the flush's deadline");
    const controller = new AbortController();
    const cancel = () => controller.abort();
    const remove = this.#ledger.whenLeaving(cancel);
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    this.#flushes.add(controller);
    try {
      return await this.#flushInTurn(end, controller.signal);
    } finally {
      this.#flushes.delete(controller);
      signal?.removeEventListener("abort", cancel);
      remove();
    }
  }

  async #flushInTurn(end: number, signal: AbortSignal): Promise<FlushSummary> {
    const waits = new AbortController();
    const stop = () => waits.abort();
    const timer = setTimeout(stop, Math.max(end - performance.now(), 0));
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    let begun = false;
    try {
      return await this.#ledger.inTurn(`flush-${this.task.id}`, waits.signal, () => {
        begun = true;
        return this.#uploader.flush(end - performance.now(), signal);
      });
    } catch (error) {
      if (begun || !waits.signal.aborted) throw error;
      const pending = (await this.#ledger.pending(this.task.id, Math.floor(Date.now() / 1000))).length;
      const problem = signal.aborted
        ? new HearsayError("cancelled", "the flush was cancelled")
        : new HearsayError("timed_out", "another tab was uploading until the time for the flush was over");
      return { delivered: 0, dropped: 0, pending, problem };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends the flushes of this client that are under way. The reports stay in the ledger. */
  cancel(): void {
    for (const controller of this.#flushes) controller.abort();
  }

  /** Ends reporting for this person: see Ledger.optOut(). */
  optOut(): Promise<void> {
    return this.#ledger.optOut();
  }
}

function addressOf(server: string): string {
  let url: URL;
  try {
    url = new URL(server);
  } catch {
    throw new HearsayError("invalid_argument", "server must be an address such as https://aggregator.example");
  }
  // The ledger trusts the server's time, so the connection must be authenticated.
  if (url.protocol !== "https:" || url.pathname !== "/" || url.search + url.hash + url.username !== "") {
    throw new HearsayError("invalid_argument", "server must be https:// and a host, without a path");
  }
  return url.origin;
}

async function fetched(options: ClientOptions, server: string, timeout: number): Promise<Task> {
  const id = options.task as string;
  if (!/^[A-Za-z0-9_-]{43}$/.test(id)) throw new HearsayError("invalid_argument", "the task's id must have 43 characters");
  const signal = new AbortController().signal;
  const answer = await exchange({ method: "GET", url: `${server}/v1/tasks/${id}`, timeout, signal });
  // Even a refusal tells the server's time, which the ledger must know before the first report.
  if (answer.date !== null) await options.ledger.noteServerTime(answer.date);
  if (answer.status !== 200) throw new HearsayError("server_refused", `the aggregator answered ${answer.status}`);
  const task = await Task.parse(answer.body);
  if (task.id === id) return task;
  throw new HearsayError("task_mismatch", "the aggregator sent another task than the page asked for");
}
