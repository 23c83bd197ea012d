// Keeps a ledger's rows in memory until the page or the process ends.
import type { Database, LedgerRow, PaymentRow, ReportRow, Rows } from "./database.js";

interface Contents {
  ledger: LedgerRow | undefined;
  payments: PaymentRow[];
  reports: Map<number, ReportRow>;
}

export class MemoryDatabase implements Database {
  onOptedOut = (): void => {};
  #contents: Contents = { ledger: undefined, payments: [], reports: new Map() };
  readonly #turns = new Map<string, Promise<unknown>>();

  transaction<T>(body: (rows: Rows) => Promise<T>): Promise<T> {
    return this.inTurn("", new AbortController().signal, async () => {
      const changed = structuredClone(this.#contents);
      const result = await body(rowsOf(changed));
      this.#contents = changed;
      return result;
    });
  }

  inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      signal.addEventListener("abort", giveUp);
      const mine = before.then(() => {
        signal.removeEventListener("abort", giveUp);
        signal.throwIfAborted();
        return work();
      });
      this.#turns.set(name, mine.catch(() => {}));
      mine.then(resolve, reject);
    });
  }

  tellOptedOut(): void {}
  close(): void {}
}

function rowsOf(contents: Contents): Rows {
  return {
    ledger: async () => structuredClone(contents.ledger),
    payments: async () => structuredClone(contents.payments),
    paymentsOf: async (period) => structuredClone(contents.payments.filter((row) => row.period === period)),
    countPayments: async () => contents.payments.length,
    reports: async () => structuredClone([...contents.reports.values()]),
    putLedger: (row) => void (contents.ledger = structuredClone(row)),
    addPayment: (row) => void contents.payments.push(structuredClone(row)),
    deletePaymentsBefore: (period) =>
      void (contents.payments = contents.payments.filter((row) => row.period >= period)),
    putReport: (row) => void contents.reports.set(row.number, structuredClone(row)),
    deleteReport: (number) => void contents.reports.delete(number),
    clearReports: () => contents.reports.clear(),
  };
}
