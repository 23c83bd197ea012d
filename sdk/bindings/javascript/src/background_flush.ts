// Uploads in the background, at times that say little about when a report was made.
import type { Client } from "./client.js";
import { HearsayError } from "./errors.js";
import { checkMembers, checkTime } from "./options.js";
import { uniform } from "./retry_policy.js";
import { FlushSummary, sleep } from "./uploader.js";

/**
 * A random delay in milliseconds: none, uniform from 0 to `span`, or exponential of mean `span` and at most 20 ·
 * `span`.
 */
export interface RandomDelay {
  law: "none" | "uniform" | "exponential";
  span: number;
}

export interface BackgroundFlushOptions {
  /** The deadline of each flush, in milliseconds. Default: 30,000. */
  deadline?: number;
  /** If a flush leaves reports, the time until the next flush, in milliseconds. Default: 900,000. */
  retryAfter?: number;
  /** The delay from wake() to the flush. Default: none. */
  delay?: RandomDelay;
  /** The background flush calls `outcome` after each flush, with the flush's summary or error. */
  outcome?: (result: FlushSummary | HearsayError) => void;
}

/**
 * Flushes a client after the construction and after each wake(). If reports still wait, flushes again later. The
 * flushes end when the page is closed. A later BackgroundFlush sends the reports that still wait.
 */
export class BackgroundFlush {
  readonly #client: Client;
  readonly #options: Required<Omit<BackgroundFlushOptions, "outcome">> & BackgroundFlushOptions;
  readonly #stop = new AbortController();
  #scheduled = false;

  constructor(client: Client, options: BackgroundFlushOptions = {}) {
    checkMembers(options, ["deadline", "retryAfter", "delay", "outcome"], "the background flush's options");
    this.#client = client;
    this.#options = { deadline: 30_000, retryAfter: 900_000, delay: { law: "none", span: 0 }, ...options };
    const { deadline, retryAfter, delay } = this.#options;
    checkMembers(delay, ["law", "span"], "the options of delay");
    if (!["none", "uniform", "exponential"].includes(delay.law)) {
      throw new HearsayError("invalid_argument", "delay.law must be none, uniform or exponential");
    }
    checkTime(deadline, "deadline");
    checkTime(retryAfter, "retryAfter");
    checkTime(delay.span, "span");
    this.wake();
  }

  /** Asks for a flush after the random delay. Call after each submit(). If a flush is planned already, does nothing. */
  wake(): void {
    if (this.#scheduled || this.#stop.signal.aborted) return;
    void this.#flushAfter(drawn(this.#options.delay));
  }

  /** Ends a flush under way. No further flush follows. */
  stop(): void {
    this.#stop.abort();
  }

  async #flushAfter(milliseconds: number): Promise<void> {
    this.#scheduled = true;
    await sleep(milliseconds, this.#stop.signal);
    this.#scheduled = false;
    if (this.#stop.signal.aborted) return;
    let result: FlushSummary | HearsayError;
    try {
      result = await this.#client.flush(this.#options.deadline, this.#stop.signal);
    } catch (error) {
      result = error instanceof HearsayError ? error : new HearsayError("internal", String(error));
    }
    try {
      this.#options.outcome?.(result);
    } catch {
      // An exception of the page's `outcome` must not end the uploads.
    }
    const waits = result instanceof HearsayError || result.pending > 0;
    if (waits && !this.#scheduled && !this.#stop.signal.aborted) void this.#flushAfter(this.#options.retryAfter);
  }
}

function drawn(delay: RandomDelay): number {
  if (delay.law === "uniform") return uniform() * delay.span;
  if (delay.law === "exponential") return Math.min(-Math.log(1 - uniform()), 20) * delay.span;
  return 0;
}
