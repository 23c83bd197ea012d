// Represents epsilon and budgets as whole millionths, so that sums are exact.
import { HearsayError } from "./errors.js";

/** Reads decimal text above 0 and at most 64, with at most 6 decimals, such as "0.25". Throws "invalid_argument". */
export function millionths(text: string, what: string): bigint {
  const parts = typeof text === "string" ? /^(0|[1-9][0-9]?)(?:\.([0-9]{1,6}))?$/.exec(text) : null;
  const value = parts ? BigInt(parts[1]!) * 1_000_000n + BigInt((parts[2] ?? "").padEnd(6, "0")) : 0n;
  if (value > 0n && value <= 64_000_000n) return value;
  throw new HearsayError("invalid_argument", `${what} must be decimal text above 0, at most 64, such as "0.5"`);
}

/** Returns the shortest decimal text of an amount in millionths. */
export function decimal(value: bigint): string {
  const fraction = String(value % 1_000_000n).padStart(6, "0").replace(/0+$/, "");
  return `${value / 1_000_000n}${fraction === "" ? "" : `.${fraction}`}`;
}
