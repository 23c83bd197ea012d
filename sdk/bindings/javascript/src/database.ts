// Where a ledger keeps its rows, and what the rows are. sdk/bindings/javascript/format.md describes the rows.

export interface LedgerRow {
  id: 0;
  format: 1;
  /** Length of a period in seconds, or null: one period for ever. */
  period: number | null;
  /** The largest sum of epsilon in one period, in millionths, or null. */
  budget: bigint | null;
  /** Payments ever made. */
  paid: number;
  /** Payments whose row is gone. */
  forgotten: number;
  /** All periods with a lower number are spent. */
  closedBefore: number;
  /** The last time that a server told, in seconds since 1970, or null. */
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

/** The rows inside one transaction. A transaction may await these functions and nothing else. */
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
   * Runs `body` alone: no other transaction of the same database runs meanwhile, in this tab or another. If `body`
   * throws, nothing has changed. The promise resolves once the changes are on the disk.
   */
  transaction<T>(body: (rows: Rows) => Promise<T>): Promise<T>;
  /** Runs `work` while no other tab runs work of the same name; waits for a turn until `signal` aborts. */
  inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Tells the other tabs that the person has opted out. */
  tellOptedOut(): void;
  /** Called when another tab has called tellOptedOut(). */
  onOptedOut: () => void;
  close(): void;
}
