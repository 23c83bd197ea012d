// The exceptions of this package.

/** Names of errors. common/include/hearsay/error.h explains them. "out_of_memory" is a further name. */
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

/**
 * Says why a call failed: `code` is a stable name, and the message is one sentence for a person. The sentence never
 * holds a record's values.
 */
export class HearsayError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "HearsayError";
    this.code = code;
  }
}
