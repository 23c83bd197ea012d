// Rows in IndexedDB under Web Locks: one person's ledger in one browser profile, for all tabs of the page's origin.
import type { Database, Rows } from "./database.js";
import { HearsayError } from "./errors.js";

const VERSION = 1;
const TABLES = ["ledger", "payments", "reports"];

/**
 * Throws "unsupported" if the browser lacks IndexedDB, Web Locks or BroadcastChannel. Throws "io" if the browser
 * refuses to store data, as some browsers do in private windows.
 */
export async function openIndexedDatabase(name: string): Promise<Database> {
  if (typeof indexedDB === "undefined" || typeof navigator === "undefined" || navigator.locks === undefined) {
    throw new HearsayError(
      "unsupported",
      "the ledger needs IndexedDB and Web Locks, so nothing is reported; open the page over https",
    );
  }
  if (typeof BroadcastChannel === "undefined") {
    throw new HearsayError("unsupported", "this browser lacks BroadcastChannel, so opting out would not reach other tabs");
  }
  const connection = await new Promise<IDBDatabase>((resolve, reject) => {
    const failed = (why: unknown) => reject(new HearsayError("io", `the ledger cannot be opened: ${String(why)}`));
    try {
      const request = indexedDB.open(`hearsay-${name}`, VERSION);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("ledger", { keyPath: "id" });
        request.result.createObjectStore("payments", { keyPath: ["period", "task"] });
        request.result.createObjectStore("reports", { keyPath: "number" });
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => failed(request.error);
      request.onblocked = () => failed("another tab uses another version of the ledger");
    } catch (error) {
      failed(error);
    }
  });
  return new IndexedDatabase(name, connection);
}

class IndexedDatabase implements Database {
  onOptedOut = (): void => {};
  readonly #name: string;
  readonly #connection: IDBDatabase;
  readonly #channel: BroadcastChannel;

  constructor(name: string, connection: IDBDatabase) {
    this.#name = name;
    this.#connection = connection;
    // The browser calls this function when somebody deletes the database, or a later version of the page changes it.
    connection.onversionchange = () => connection.close();
    this.#channel = new BroadcastChannel(`hearsay-${name}`);
    this.#channel.onmessage = () => this.onOptedOut();
  }

  transaction<T>(body: (rows: Rows) => Promise<T>): Promise<T> {
    return this.inTurn("ledger", new AbortController().signal, () => this.#transaction(body));
  }

  async #transaction<T>(body: (rows: Rows) => Promise<T>): Promise<T> {
    let transaction: IDBTransaction;
    try {
      // With "strict", a transaction is complete only once its bytes are on the disk. Without "strict", a report could
      // leave the device although its payment is lost.
      transaction = this.#connection.transaction(TABLES, "readwrite", { durability: "strict" });
    } catch (error) {
      throw new HearsayError("io", `the ledger cannot be used: ${String(error)}`);
    }
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(new HearsayError("io", `the ledger failed: ${String(transaction.error)}`));
    });
    let result: T;
    try {
      result = await body(rowsOf(transaction));
    } catch (error) {
      done.catch(() => {});
      try {
        transaction.abort();
      } catch {
        // A failed request may have aborted the transaction already.
      }
      // Some functions of IndexedDB throw at once, for example if the transaction has ended.
      if (error instanceof DOMException) throw new HearsayError("io", `the ledger failed: ${String(error)}`);
      throw error;
    }
    await done;
    return result;
  }

  async inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let begun = false;
    try {
      return await navigator.locks.request(`hearsay-${this.#name}-${name}`, { signal }, () => {
        begun = true;
        return work();
      });
    } catch (error) {
      if (signal.aborted || (begun && !(error instanceof DOMException))) throw error;
      throw new HearsayError("io", `the browser gives the ledger no Web Lock: ${String(error)}`);
    }
  }

  tellOptedOut(): void {
    this.#channel.postMessage("opted out");
  }

  close(): void {
    this.#channel.close();
    this.#connection.close();
  }
}

function rowsOf(transaction: IDBTransaction): Rows {
  const table = (name: string) => transaction.objectStore(name);
  return {
    ledger: () => answerOf(table("ledger").get(0)),
    payments: () => answerOf(table("payments").getAll()),
    paymentsOf: (period) => answerOf(table("payments").getAll(IDBKeyRange.bound([period], [period, []]))),
    countPayments: () => answerOf(table("payments").count()),
    reports: () => answerOf(table("reports").getAll()),
    putLedger: (row) => void table("ledger").put(row),
    addPayment: (row) => void table("payments").add(row),
    deletePaymentsBefore: (period) => void table("payments").delete(IDBKeyRange.upperBound([period], true)),
    putReport: (row) => void table("reports").put(row),
    deleteReport: (number) => void table("reports").delete(number),
    clearReports: () => void table("reports").clear(),
  };
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new HearsayError("io", `the ledger cannot be read: ${String(request.error)}`));
  });
}
