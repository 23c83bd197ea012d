// The errors of the library: a code for programs and a sentence for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

// Every kind of error. An app on a device can meet only the codes of the first three groups. The other codes occur only
// in the aggregator and in the analyst's tools. The wire and the logs carry the code as error_name(code).
enum class ErrorCode : std::uint8_t {
  // ---- An app can meet these. ----

  // Arguments and documents that the app passes in or receives
  kInvalidArgument,  // a parameter is outside its documented range
  kLimitExceeded,    // something is larger, deeper or longer than a stated bound
  kMalformedJson,    // bad syntax, a key given twice, NaN, or a number that no double holds
  kUnknownKey,       // a JSON object or a query string has a key that is not expected there
  kMissingKey,       // a JSON object lacks a key
  kWrongType,        // a JSON value has another type than expected
  kInvalidSchema,    // a schema breaks a rule of common/schema/format.md
  kInvalidRecord,    // the record does not fit the schema
  kInvalidTask,      // a task breaks a rule of common/task/format.md
  kScaleTooLarge,    // the task would need more noise than a report can carry
  kUnsupported,      // this version of the library does not support the document

  // Making a report
  kTaskMismatch,     // a task or a list of tasks is not the one that the app expects
  kBadSignature,     // a list of tasks does not have the signature of the app's author
  kReportTooEarly,   // the task has not started
  kTaskExpired,      // the task's lifetime is over
  kBudgetExhausted,  // the person's budget does not pay for the report
  kEntropyFailed,    // the system gave no random bits
  kIo,               // a file or device failed
  kInUse,            // another process has the ledger open, for example the parent of this process
  kLedgerDamaged,    // the ledger's file is no ledger, is damaged, or is an older copy
  kClockDiffers,     // the device's clock is too far from the server's
  kOptedOut,         // the person has opted out of reporting
  kOverflow,         // a result of exact integer arithmetic is too large
  kInternal,         // a library that Hearsay uses failed unexpectedly

  // Talking to the aggregator
  kConnectionFailed,  // no complete answer arrived
  kTlsFailed,         // the server's certificate is not accepted
  kTimedOut,          // no answer within the timeout or the deadline
  kCancelled,         // the app cancelled the exchange
  kServerRefused,     // the aggregator answered that it does not take the request; the message names the problem

  // ---- Apps do not meet the codes below. ----

  // Queries: parsing, and compiling a query for a task
  kQuerySyntax,       // the text does not follow common/query/format.md
  kUnknownAttribute,  // the schema has no attribute with this name
  kUnknownValue,      // the attribute does not have this value
  kQueryTooLarge,     // the query exceeds a bound of common/query/format.md
  kQueryNotVisible,   // the task's reports say nothing about this query
  kClassTooRare,      // too few sampled records satisfy the query, or too few fail the query
  kQueryNotCovered,   // the task does not answer this query, for example because the query has too many attributes
  kDomainTooLarge,    // an enumeration, for example of all possible records, would take too long

  // Tasks and reports as the aggregator judges them. Names follow the draft of DAP, the IETF's Distributed Aggregation
  // Protocol, where the draft has a name.
  kUnrecognizedTask,   // the aggregator has no task with this id
  kTaskClosed,         // an administrator has closed the task
  kTaskConflict,       // an operation contradicts the task's present state
  kReportMalformed,    // the bytes are no report
  kReportWrongSize,    // the payload does not have the size of the task's payloads
  kReportOutOfBounds,  // a coordinate has a value that no honest client sends
  kReportTimeInvalid,  // the report's time is the start of no window of the task
  kReportExpired,      // the report is older than the task's report_expiry_age
  kReportConflict,     // the aggregator has another report with the same id

  // The aggregator's service
  kStoreFailed,           // the store cannot read or write
  kStoreCorrupt,          // the store's contents are damaged
  kOverloaded,            // the server has too much work at present
  kClockUncertain,        // the server does not trust its own clock enough to refuse the report for its time
  kUnauthorized,          // the request has no valid token
  kForbidden,             // the server does not allow the request, for example with this token
  kNotFound,              // nothing has the path or the name that was given
  kMethodNotAllowed,      // the path does not take this HTTP method
  kUnsupportedMediaType,  // the path does not take a body of this media type
  kBodyTooLarge,          // the request's body exceeds the limit
  kNoReports,             // no report so far says anything about the question
  kBatchTooSmall,         // there are fewer reports than the task's min_batch_size
};

// Returns the code's stable name, e.g. "query_not_visible". A code that the draft of DAP also has keeps the draft's
// spelling ("unrecognizedTask").
std::string_view error_name(ErrorCode code);

// Says why an operation failed: by the kind of error, and by one sentence for a person. The sentence never holds a
// record's values.
struct Error {
  ErrorCode code;
  std::string message;
};

}  // namespace hearsay
