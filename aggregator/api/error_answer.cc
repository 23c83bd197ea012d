#include "aggregator/api/error_answer.h"

#include "aggregator/http/problem.h"

namespace hearsay::api {

unsigned http_status(ErrorCode code) {
  switch (code) {
    // The request itself is wrong.
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kMalformedJson:
    case ErrorCode::kUnknownKey:
    case ErrorCode::kMissingKey:
    case ErrorCode::kWrongType:
    case ErrorCode::kQuerySyntax:
    case ErrorCode::kReportMalformed:
    case ErrorCode::kReportWrongSize:
    case ErrorCode::kReportOutOfBounds:
    case ErrorCode::kReportTimeInvalid:
    case ErrorCode::kReportTooEarly:
      return 400;
    case ErrorCode::kUnauthorized:
      return 401;
    case ErrorCode::kForbidden:
      return 403;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnrecognizedTask:
      return 404;
    case ErrorCode::kMethodNotAllowed:
      return 405;
    case ErrorCode::kTimedOut:
      return 408;
    // The request conflicts with the present state of the task or of its reports. Some of these codes occur only on
    // devices.
    case ErrorCode::kTaskConflict:
    case ErrorCode::kBadSignature:
    case ErrorCode::kTaskMismatch:
    case ErrorCode::kReportConflict:
    case ErrorCode::kNoReports:
    case ErrorCode::kBatchTooSmall:
      return 409;
    // The request comes too late, so a client must not retry.
    case ErrorCode::kReportExpired:
    case ErrorCode::kTaskExpired:
    case ErrorCode::kTaskClosed:
      return 410;
    case ErrorCode::kBodyTooLarge:
      return 413;
    case ErrorCode::kUnsupportedMediaType:
      return 415;
    // The request is well-formed, but cannot be served.
    case ErrorCode::kOverflow:
    case ErrorCode::kInvalidSchema:
    case ErrorCode::kInvalidRecord:
    case ErrorCode::kUnknownAttribute:
    case ErrorCode::kUnknownValue:
    case ErrorCode::kQueryTooLarge:
    case ErrorCode::kQueryNotVisible:
    case ErrorCode::kClassTooRare:
    case ErrorCode::kQueryNotCovered:
    case ErrorCode::kUnsupported:
    case ErrorCode::kDomainTooLarge:
    case ErrorCode::kInvalidTask:
    case ErrorCode::kScaleTooLarge:
      return 422;
    // The aggregator failed, and trying again does not help. Some of these codes occur only on devices.
    case ErrorCode::kIo:
    case ErrorCode::kInUse:
    case ErrorCode::kLedgerDamaged:
    case ErrorCode::kClockDiffers:
    case ErrorCode::kOptedOut:
    case ErrorCode::kInternal:
    case ErrorCode::kStoreCorrupt:
    case ErrorCode::kEntropyFailed:
    case ErrorCode::kBudgetExhausted:
      return 500;
    case ErrorCode::kConnectionFailed:
    case ErrorCode::kTlsFailed:
    case ErrorCode::kCancelled:
    case ErrorCode::kServerRefused:
      return 502;
    // The aggregator failed, and trying again later may help.
    case ErrorCode::kStoreFailed:
    case ErrorCode::kOverloaded:
    case ErrorCode::kClockUncertain:
      return 503;
  }
  return 500;
}

http::HttpResponse error_answer(const Error& error) {
  http::HttpResponse answer = http::make_problem(error, http_status(error.code));
  if (error.code == ErrorCode::kUnauthorized) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

}  // namespace hearsay::api
