#include "hearsay/error.h"

namespace hearsay {

std::string_view error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kLimitExceeded: return "limit_exceeded";
    case ErrorCode::kMalformedJson: return "malformed_json";
    case ErrorCode::kUnknownKey: return "unknown_key";
    case ErrorCode::kMissingKey: return "missing_key";
    case ErrorCode::kWrongType: return "wrong_type";
    case ErrorCode::kInvalidSchema: return "invalid_schema";
    case ErrorCode::kInvalidRecord: return "invalid_record";
    case ErrorCode::kInvalidTask: return "invalid_task";
    case ErrorCode::kScaleTooLarge: return "scale_too_large";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kTaskMismatch: return "task_mismatch";
    case ErrorCode::kBadSignature: return "bad_signature";
    case ErrorCode::kReportTooEarly: return "report_too_early";
    case ErrorCode::kTaskExpired: return "task_expired";
    case ErrorCode::kBudgetExhausted: return "budget_exhausted";
    case ErrorCode::kEntropyFailed: return "entropy_failed";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kInUse: return "in_use";
    case ErrorCode::kLedgerDamaged: return "ledger_damaged";
    case ErrorCode::kClockDiffers: return "clock_differs";
    case ErrorCode::kOptedOut: return "opted_out";
    case ErrorCode::kOverflow: return "overflow";
    case ErrorCode::kInternal: return "internal";
    case ErrorCode::kConnectionFailed: return "connection_failed";
    case ErrorCode::kTlsFailed: return "tls_failed";
    case ErrorCode::kTimedOut: return "timed_out";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kServerRefused: return "server_refused";
    case ErrorCode::kQuerySyntax: return "query_syntax";
    case ErrorCode::kUnknownAttribute: return "unknown_attribute";
    case ErrorCode::kUnknownValue: return "unknown_value";
    case ErrorCode::kQueryTooLarge: return "query_too_large";
    case ErrorCode::kQueryNotVisible: return "query_not_visible";
    case ErrorCode::kClassTooRare: return "class_too_rare";
    case ErrorCode::kQueryNotCovered: return "query_not_covered";
    case ErrorCode::kDomainTooLarge: return "domain_too_large";
    case ErrorCode::kUnrecognizedTask: return "unrecognizedTask";
    case ErrorCode::kTaskClosed: return "task_closed";
    case ErrorCode::kTaskConflict: return "task_conflict";
    case ErrorCode::kReportMalformed: return "report_malformed";
    case ErrorCode::kReportWrongSize: return "report_wrong_size";
    case ErrorCode::kReportOutOfBounds: return "report_out_of_bounds";
    case ErrorCode::kReportTimeInvalid: return "report_time_invalid";
    case ErrorCode::kReportExpired: return "report_expired";
    case ErrorCode::kReportConflict: return "report_conflict";
    case ErrorCode::kStoreFailed: return "store_failed";
    case ErrorCode::kStoreCorrupt: return "store_corrupt";
    case ErrorCode::kOverloaded: return "overloaded";
    case ErrorCode::kClockUncertain: return "clock_uncertain";
    case ErrorCode::kUnauthorized: return "unauthorized";
    case ErrorCode::kForbidden: return "forbidden";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kMethodNotAllowed: return "method_not_allowed";
    case ErrorCode::kUnsupportedMediaType: return "unsupported_media_type";
    case ErrorCode::kBodyTooLarge: return "body_too_large";
    case ErrorCode::kNoReports: return "no_reports";
    case ErrorCode::kBatchTooSmall: return "batch_too_small";
  }
  return "internal";
}

}  // namespace hearsay
