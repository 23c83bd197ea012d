// Error codes shared by the device and the aggregator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

// Every way an operation of the library can be refused. The name on the wire and in logs is error_name(code).
enum class ErrorCode : std::uint8_t {
  // General
  kInvalidArgument,  // a parameter outside its documented range
  kLimitExceeded,    // larger, deeper or longer than a stated bound
  kOverflow,         // exact arithmetic would leave its integers
  kIo,               // a file or device failed
  kInternal,         // a library below failed in a way it should not have

  // JSON documents
  kMalformedJson,  // syntax, duplicate key, NaN, a number that no double holds
  kUnknownKey,
  kMissingKey,
  kWrongType,

  // Schema, records, queries
  kInvalidSchema,
  kInvalidRecord,
  kQuerySyntax,
  kUnknownAttribute,
  kUnknownValue,
  kQueryTooLarge,

  // Compilation of a query for a task
  kQueryNotVisible,      // margin zero: the arrangement cannot see this query
  kClassTooRare,         // one of the query's two classes has no sampled member
  kQueryNotCovered,      // `calibration: paper` has no direction for this query
  kUnsupported,          // a kind of arrangement or channel that this build does not implement
  kDomainTooLarge,       // too many records to enumerate

  // Tasks and reports (names of the DAP draft where they fit)
  kInvalidTask,
  kScaleTooLarge,
  kTaskMismatch,       // not the task that was pinned, or not what the app expects
  kUnrecognizedTask,
  kTaskExpired,
  kTaskClosed,
  kTaskConflict,       // a task operation that contradicts the task's present state
  kReportMalformed,
  kReportWrongSize,
  kReportOutOfBounds,  // a coordinate that no honest client sends
  kReportTimeInvalid,  // time not a multiple of time_precision
  kReportTooEarly,
  kReportExpired,      // older than the task's report_expiry_age
  kReportConflict,     // the id is taken by other bytes

  // Device
  kEntropyFailed,
  kBudgetExhausted,
  kConnectionFailed,
  kTlsFailed,
  kTimedOut,
  kServerRefused,

  // Aggregator
  kStoreFailed,
  kStoreCorrupt,
  kOverloaded,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kMethodNotAllowed,
  kUnsupportedMediaType,
  kBodyTooLarge,
  kNoReports,
  kBatchTooSmall,
};

// The code's stable name, e.g. "query_not_visible"; the DAP draft's spelling for its own ("unrecognizedTask").
std::string_view error_name(ErrorCode code);

// A refusal: what kind, and one sentence for a person. The sentence never holds a record's values.
struct Error {
  ErrorCode code;
  std::string message;
};

}  // namespace hearsay
