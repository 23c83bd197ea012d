// Checks the ledger's rows: a row that this package would not write is damage. The checks do not protect against a
// person who edits the rows.
import type { LedgerRow, PaymentRow, ReportRow, Rows } from "./database.js";
import { HearsayError } from "./errors.js";

const whole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const amount = (value: unknown): boolean => typeof value === "bigint" && value > 0n;

function damaged(what: string): HearsayError {
  return new HearsayError("ledger_damaged", `the ledger is damaged: ${what}; nothing is reported any more`);
}

export function checkLedgerRow(row: LedgerRow): LedgerRow {
  const right =
    row.format === 1 &&
    (row.period === null || (whole(row.period) && row.period > 0)) &&
    (row.budget === null || amount(row.budget)) &&
    [row.paid, row.forgotten, row.closedBefore].every(whole) &&
    (row.serverTime === null || whole(row.serverTime)) &&
    typeof row.optedOut === "boolean";
  if (!right) throw damaged("the policy's row");
  return row;
}

function isPayment(row: PaymentRow): boolean {
  return whole(row.period) && /^[A-Za-z0-9_-]{43}$/.test(row.task) && amount(row.epsilon);
}

function isReport(row: ReportRow, ledger: LedgerRow): boolean {
  return (
    isPayment(row) &&
    whole(row.number) &&
    row.number >= 1 &&
    row.number <= ledger.paid &&
    whole(row.made) &&
    ["pending", "delivered", "dropped"].includes(row.state) &&
    row.bytes instanceof Uint8Array
  );
}

/** Checks all rows: each payment and report is well formed, no payment is missing, and each report was paid for. */
export async function checkAll(rows: Rows, ledger: LedgerRow): Promise<void> {
  const payments = await rows.payments();
  const reports = await rows.reports();
  if (!payments.every(isPayment)) throw damaged("a payment");
  if (payments.length !== ledger.paid - ledger.forgotten) throw damaged("payments are missing");
  const paid = new Map(payments.map((row) => [`${row.period} ${row.task}`, row.epsilon]));
  for (const row of reports) {
    if (!isReport(row, ledger)) throw damaged("a report");
    if (row.period >= ledger.closedBefore && paid.get(`${row.period} ${row.task}`) !== row.epsilon) {
      throw damaged("a report without a payment");
    }
  }
}
