// The exceptions that calls throw.

/** Names of errors, as in common/include/hearsay/error.h, and "out_of_memory". */
export type ErrorCode =
  | "invalid_argument"
  | "limit_exceeded"
  | "malformed_json"
  | "unknown_key"
  | "missing_key"
  | "wrong_type"
  | "invalid_schema"
  | "invalid_record"
  | "invalid_task"
  | "scale_too_large"
  | "unsupported"
  | "task_mismatch"
  | "bad_signature"
  | "report_too_early"
  | "task_expired"
  | "budget_exhausted"
  | "entropy_failed"
  | "io"
  | "ledger_damaged"
  | "clock_differs"
  | "opted_out"
  | "connection_failed"
  | "timed_out"
  | "cancelled"
  | "server_refused"
  | "out_of_memory"
  | "internal";

/** Why a call failed: a stable name, and one sentence for a person. The sentence never holds a record's values. */
export class HearsayError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "HearsayError";
    this.code = code;
  }
}
