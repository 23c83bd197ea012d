// The types of a ledger's rows, and of the database that holds them. sdk/bindings/javascript/format.md describes the
// rows.

export interface LedgerRow {
  id: 0;
  format: 1;
  /** Length of a period in seconds, or null: one period for ever. */
  period: number | null;
  /** The largest sum of epsilon in one period, in millionths, or null. */
  budget: bigint | null;
  /** The number of all payments that were ever made. */
  paid: number;
  /** The number of payments whose row was removed. */
  forgotten: number;
  /** Periods with a lower number are closed: nobody can pay in them. */
  closedBefore: number;
  /** The time that a server told last, in seconds since 1970, or null. */
  serverTime: number | null;
  optedOut: boolean;
}

export interface PaymentRow {
  period: number;
  task: string;
  epsilon: bigint;
}

export interface ReportRow {
  number: number;
  period: number;
  task: string;
  epsilon: bigint;
  title: string;
  made: number;
  state: "pending" | "delivered" | "dropped";
  settled: number | null;
  reason: string;
  bytes: Uint8Array;
}

/** Reads and writes rows within one transaction. The transaction's body may await these functions and nothing else. */
export interface Rows {
  ledger(): Promise<LedgerRow | undefined>;
  payments(): Promise<PaymentRow[]>;
  paymentsOf(period: number): Promise<PaymentRow[]>;
  countPayments(): Promise<number>;
  reports(): Promise<ReportRow[]>;
  putLedger(row: LedgerRow): void;
  addPayment(row: PaymentRow): void;
  deletePaymentsBefore(period: number): void;
  putReport(row: ReportRow): void;
  deleteReport(number: number): void;
  clearReports(): void;
}

export interface Database {
  /**
   * Runs `body` in a transaction. No other transaction of the same database runs at the same time, in any tab. If
   * `body` throws, the rows stay as they were. The promise resolves once the changes are on the disk.
   */
  transaction<T>(body: (rows: Rows) => Promise<T>): Promise<T>;
  /** Waits until no other tab runs work of the same name, or until `signal` aborts. Then runs `work`. */
  inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Tells the other tabs that the person has opted out. */
  tellOptedOut(): void;
  /** The database calls this function when another tab has called tellOptedOut(). */
  onOptedOut: () => void;
  close(): void;
}
