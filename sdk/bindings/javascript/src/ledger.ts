// Keeps a person's budget, and the reports that the budget has paid for.
import { checkAll, checkLedgerRow } from "./checks.js";
import type { Database, LedgerRow, ReportRow, Rows } from "./database.js";
import { HearsayError } from "./errors.js";
import { openIndexedDatabase } from "./indexed_database.js";
import { MemoryDatabase } from "./memory_database.js";
import { decimal, millionths } from "./millionths.js";
import { checkMembers } from "./options.js";
import type { Task } from "./task.js";

const DAY = 86_400;
const MOST_PAYMENTS = 20_000;
const MOST_TIME = 2 ** 53 - 1;
const OPTIONS = ["periodSeconds", "budget", "name", "maxReports", "maxBytes", "maxAgeSeconds", "maxLogged"];

/** How often a person reports, and how much all reports together may reveal. */
export interface LedgerOptions {
  /**
   * The length of a period, in whole seconds. Each task may have one report in each period; without a period, one
   * report ever.
   */
  periodSeconds?: number;
  /**
   * The largest sum of epsilon over all tasks in a period, as decimal text. Without a budget, the sum has no limit.
   */
  budget?: string;
  /** The name of the person's ledger, if several persons use one profile of the browser. */
  name?: string;
  /**
   * Limits of the waiting reports: their number (default 1,000), their bytes (8 MiB), and the longest wait (30 days).
   */
  maxReports?: number;
  maxBytes?: number;
  maxAgeSeconds?: number;
  /** The largest number of settled reports in the log (default 1,000). Together these reports have at most maxBytes. */
  maxLogged?: number;
}

/** A report in the ledger: waiting, delivered or dropped. */
export interface LoggedReport {
  number: number;
  task: string;
  title: string;
  epsilon: string;
  /** Seconds since 1970, by the device's clock. */
  made: number;
  state: "pending" | "delivered" | "dropped";
  settled: number | null;
  reason: string;
  /** The encoded report, as it was sent or will be sent. */
  bytes: Uint8Array;
}

export interface PendingReport {
  number: number;
  bytes: Uint8Array;
}

export type Payment = "reported" | "already_reported";

/**
 * Keeps one person's budget. Give each person one ledger for all tasks, since a ledger bounds only the sum of its own
 * reports. All tabs of the page's origin share the ledger.
 */
export class Ledger {
  readonly #database: Database;
  readonly #limits: { reports: number; bytes: number; age: number; logged: number };
  readonly #leaving = new Set<() => void>();
  #optsOut = false; // true from optOut() until the opt-out is on the disk
  #doubtsClock = false;

  private constructor(database: Database, options: LedgerOptions) {
    this.#database = database;
    this.#limits = {
      reports: atLeastOne(options.maxReports ?? 1_000, "maxReports"),
      bytes: atLeastOne(options.maxBytes ?? 8 << 20, "maxBytes"),
      age: atLeastOne(options.maxAgeSeconds ?? 30 * DAY, "maxAgeSeconds"),
      logged: atLeastOne(options.maxLogged ?? 1_000, "maxLogged"),
    };
    database.onOptedOut = () => this.#tellLeaving();
  }

  /**
   * Opens the ledger of this browser profile, or makes a new ledger. The period is fixed when the ledger is made, and
   * the budget can only become smaller. Throws HearsayError: "unsupported" or "io" if the browser keeps no ledger (the
   * page must then report nothing), "invalid_argument" (a bad option, or a looser policy than the ledger's),
   * "ledger_damaged".
   */
  static async open(options: LedgerOptions): Promise<Ledger> {
    checkMembers(options, OPTIONS, "a ledger's options");
    return Ledger.#on(await openIndexedDatabase(options.name ?? ""), options);
  }

  /** Makes a ledger in memory, for tests and tools. The ledger ends with the page or the process. */
  static async inMemory(options: LedgerOptions): Promise<Ledger> {
    checkMembers(options, OPTIONS, "a ledger's options");
    return Ledger.#on(new MemoryDatabase(), options);
  }

  static async #on(database: Database, options: LedgerOptions): Promise<Ledger> {
    try {
      const ledger = new Ledger(database, options);
      await database.transaction((rows) => agree(rows, options));
      return ledger;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /**
   * Pays for one report to `task` at the device's time `now` (seconds since 1970), and keeps the report. The payment
   * and the report are one transaction, which is on the disk before the promise resolves. Calls `randomize` after all
   * checks, at most once. Does not call `randomize` if the person has already reported to the task in this period.
   * Throws HearsayError: "invalid_argument" (`now`), "budget_exhausted", "limit_exceeded", "clock_differs",
   * "opted_out", "ledger_damaged", "io", and the exceptions of `randomize`.
   */
  async pay(task: Task, now: number, randomize: () => Uint8Array): Promise<Payment> {
    const epsilon = millionths(task.epsilon, "epsilon");
    return this.#use(async (rows, ledger) => {
      if (ledger.optedOut) throw new HearsayError("opted_out", "the person has opted out of reporting");
      this.#checkClock(ledger, now);
      const period = ledger.period === null ? 0 : Math.floor(now / ledger.period);
      const account = await rows.paymentsOf(period);
      if (account.some((row) => row.task === task.id)) return "already_reported";
      if (period < ledger.closedBefore) {
        const wrong = "the device's clock is in an old period, which the ledger has closed: correct the clock";
        throw new HearsayError("budget_exhausted", wrong);
      }
      const spent = account.reduce((sum, row) => sum + row.epsilon, 0n);
      if (ledger.budget !== null && spent + epsilon > ledger.budget) {
        throw new HearsayError("budget_exhausted", `the period's budget has ${decimal(ledger.budget - spent)} left`);
      }
      await this.#makeRoom(rows, ledger, period);
      const waiting = (await rows.reports()).filter((row) => row.state === "pending");
      const bytes = randomizeWithin(this.#limits, waiting, randomize);
      ledger.paid += 1;
      rows.putLedger(ledger);
      rows.addPayment({ period, task: task.id, epsilon });
      rows.putReport({
        ...{ number: ledger.paid, period, task: task.id, epsilon, title: task.title, made: now },
        ...{ state: "pending", settled: null, reason: "", bytes },
      });
      return "reported";
    });
  }

  #checkClock(ledger: LedgerRow, now: number): void {
    if (!Number.isSafeInteger(now) || now < 0) {
      throw new HearsayError("invalid_argument", "now must be whole seconds since 1970");
    }
    if (ledger.period === null || ledger.serverTime === null) return;
    if (Math.abs(now - ledger.serverTime) <= ledger.period) return;
    this.#doubtsClock = true;
    throw new HearsayError("clock_differs", "the device's clock is more than a period from the server's; flush first");
  }

  // Makes room for a payment: closes all periods before the previous one, and removes their payments.
  async #makeRoom(rows: Rows, ledger: LedgerRow, period: number): Promise<void> {
    const payments = await rows.countPayments();
    if (payments !== ledger.paid - ledger.forgotten) {
      throw new HearsayError("ledger_damaged", "the ledger is damaged: payments are missing");
    }
    if (payments < MOST_PAYMENTS) return;
    if (ledger.period !== null && ledger.serverTime === null) {
      this.#doubtsClock = true;
      throw new HearsayError("clock_differs", "the ledger is full until it hears a server's time; flush first");
    }
    ledger.closedBefore = Math.max(ledger.closedBefore, period - 1);
    rows.deletePaymentsBefore(ledger.closedBefore);
    const left = await rows.countPayments();
    ledger.forgotten += payments - left;
    if (left >= MOST_PAYMENTS) throw new HearsayError("limit_exceeded", "the ledger is full of payments");
  }

  /** True if pay() has failed with "clock_differs", and no server has told the time since. */
  get doubtsClock(): boolean {
    return this.#doubtsClock;
  }

  /** Remembers the time, in seconds since 1970, that a server told over https. */
  async noteServerTime(time: number): Promise<void> {
    if (!Number.isSafeInteger(time) || time < 0 || time > MOST_TIME) {
      throw new HearsayError("invalid_argument", "the server's time must be whole seconds since 1970, at most 2^53");
    }
    await this.#use(async (rows, ledger) => rows.putLedger({ ...ledger, serverTime: time }));
    this.#doubtsClock = false;
  }

  /**
   * Returns the waiting reports to a task, the oldest first. Drops reports that have waited too long. After optOut() no
   * report waits.
   */
  async pending(task: string, now: number): Promise<PendingReport[]> {
    return this.#use(async (rows, ledger) => {
      const clockIsRight = ledger.serverTime !== null && Math.abs(now - ledger.serverTime) <= DAY;
      const waiting = [];
      for (const row of await rows.reports()) {
        if (row.state !== "pending" || row.task !== task) continue;
        if (clockIsRight && now - row.made > this.#limits.age) {
          rows.putReport({ ...row, state: "dropped", settled: now, reason: "the report waited for too long" });
        } else {
          waiting.push({ number: row.number, bytes: row.bytes });
        }
      }
      return waiting;
    });
  }

  /**
   * Settles reports in one transaction. Skips reports that are settled already, and reports that are not in the ledger.
   * Returns the number of settled reports.
   */
  async settle(numbers: number[], state: "delivered" | "dropped", reason: string, now: number): Promise<number> {
    return this.#use(async (rows) => {
      const reports = await rows.reports();
      let count = 0;
      for (const row of reports) {
        if (row.state !== "pending" || !numbers.includes(row.number)) continue;
        Object.assign(row, { state, reason: reason.slice(0, 500), settled: now });
        rows.putReport(row);
        count += 1;
      }
      forgetOldest(rows, reports, this.#limits);
      return count;
    });
  }

  /** Returns at most `most` waiting, delivered and dropped reports, the newest first. */
  async log(most = 1_000): Promise<LoggedReport[]> {
    return this.#use(async (rows) => {
      const newest = (await rows.reports()).reverse().slice(0, most);
      return newest.map(({ period: _, ...row }) => ({ ...row, epsilon: decimal(row.epsilon) }));
    });
  }

  /**
   * Ends reporting for this person: removes the waiting reports and the log, and ends uploads under way in all tabs.
   * Payments stay. If the disk fails, this ledger still refuses reports, and each further use tries again to write the
   * opt-out.
   */
  async optOut(): Promise<void> {
    this.#optsOut = true;
    this.#tellLeaving();
    await this.#use(async () => {});
    this.#database.tellOptedOut();
  }

  /** Lets this person report again. */
  async optIn(): Promise<void> {
    await this.#use(async (rows, ledger) => rows.putLedger({ ...ledger, optedOut: false }));
  }

  /** Returns true if the person has opted out. */
  async optedOut(): Promise<boolean> {
    return this.#use(async (_, ledger) => ledger.optedOut);
  }

  /** Waits until no other tab runs work of this name, or until `signal` aborts. Then runs `work`. */
  inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#database.inTurn(name, signal, work);
  }

  /** Calls `end` when the person opts out, in this tab or another. Returns a function that forgets `end`. */
  whenLeaving(end: () => void): () => void {
    this.#leaving.add(end);
    return () => void this.#leaving.delete(end);
  }

  /** Closes the ledger. After this, do not use the ledger's clients. */
  close(): void {
    this.#database.close();
  }

  #tellLeaving(): void {
    for (const end of this.#leaving) end();
  }

  async #use<T>(body: (rows: Rows, ledger: LedgerRow) => Promise<T>): Promise<T> {
    const leaves = this.#optsOut;
    const result = await this.#database.transaction(async (rows) => {
      const found = await rows.ledger();
      if (found === undefined) throw new HearsayError("ledger_damaged", "the ledger was deleted while it was open");
      const ledger = checkLedgerRow(found);
      if (leaves) {
        ledger.optedOut = true;
        rows.putLedger(ledger);
        rows.clearReports();
      }
      return body(rows, ledger);
    });
    if (leaves) this.#optsOut = false;
    return result;
  }
}

// Makes the ledger's row if there is none. Otherwise checks all rows, and that the policy is not looser than the
// ledger's.
async function agree(rows: Rows, options: LedgerOptions): Promise<void> {
  const period = options.periodSeconds === undefined ? null : atLeastOne(options.periodSeconds, "periodSeconds");
  const budget = options.budget === undefined ? null : millionths(options.budget, "budget");
  const ledger = await rows.ledger();
  if (ledger === undefined) {
    const fresh = { id: 0, format: 1, period, budget, paid: 0, forgotten: 0, closedBefore: 0 } as const;
    const row = { ...fresh, serverTime: null, optedOut: false };
    await checkAll(rows, row);
    rows.putLedger(row);
    return;
  }
  await checkAll(rows, checkLedgerRow(ledger));
  if (ledger.period !== period) {
    throw new HearsayError("invalid_argument", "the ledger was made with another period, which cannot change");
  }
  if (ledger.budget !== null && (budget === null || budget > ledger.budget)) {
    throw new HearsayError("invalid_argument", `the ledger's budget is ${decimal(ledger.budget)} and cannot grow`);
  }
  if (budget !== null && budget !== ledger.budget) rows.putLedger({ ...ledger, budget });
}

function randomizeWithin(
  limits: { reports: number; bytes: number },
  waiting: ReportRow[],
  randomize: () => Uint8Array,
): Uint8Array {
  const held = waiting.reduce((sum, row) => sum + row.bytes.length, 0);
  if (waiting.length >= limits.reports || held >= limits.bytes) {
    throw new HearsayError("limit_exceeded", "too many reports wait to be sent");
  }
  return randomize();
}

function forgetOldest(rows: Rows, reports: ReportRow[], limits: { logged: number; bytes: number }): void {
  let entries = 0;
  let bytes = 0;
  for (const row of reports.filter((one) => one.state !== "pending").reverse()) {
    entries += 1;
    bytes += row.bytes.length;
    if (entries > limits.logged || bytes > limits.bytes) rows.deleteReport(row.number);
  }
}

function atLeastOne(value: number, what: string): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new HearsayError("invalid_argument", `${what} must be a whole number above 0`);
}
