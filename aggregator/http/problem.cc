#include "aggregator/http/problem.h"

#include <cctype>
#include <string>
#include <string_view>

#include "common/base/strict_json.h"

namespace hearsay::aggregator {

unsigned http_status(ErrorCode code) {
  switch (code) {
    // The request itself cannot be read.
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
    // The present state of the task is against it.
    case ErrorCode::kTaskConflict:
    case ErrorCode::kTaskMismatch:
    case ErrorCode::kReportConflict:
    case ErrorCode::kNoReports:
    case ErrorCode::kBatchTooSmall:
      return 409;
    // It was right once and never will be again, so a client must not retry.
    case ErrorCode::kReportExpired:
    case ErrorCode::kTaskExpired:
    case ErrorCode::kTaskClosed:
      return 410;
    case ErrorCode::kBodyTooLarge:
      return 413;
    case ErrorCode::kUnsupportedMediaType:
      return 415;
    // Well-formed, but its meaning cannot be served.
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
    // Our fault, and trying again does not help. The device's own errors never start here.
    case ErrorCode::kIo:
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
    // Our fault, and trying again later may help.
    case ErrorCode::kStoreFailed:
    case ErrorCode::kOverloaded:
      return 503;
  }
  return 500;
}

namespace {

// "query_not_visible" becomes "Query not visible", "unrecognizedTask" becomes "Unrecognized task".
std::string make_title(std::string_view name) {
  std::string title;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) title.push_back(' ');
    title.push_back(c == '_' ? ' ' : static_cast<char>(upper ? c - 'A' + 'a' : c));
  }
  if (!title.empty()) title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return title;
}

}  // namespace

HttpResponse make_problem(const Error& error) { return make_problem(error, http_status(error.code)); }

HttpResponse make_problem(const Error& error, unsigned status) {
  const std::string_view name = error_name(error.code);
  Json document;
  document["type"] = "urn:hearsay:error:" + std::string(name);
  document["title"] = make_title(name);
  document["status"] = status;
  document["detail"] = error.message;

  HttpResponse response;
  response.status = status;
  response.content_type = "application/problem+json";
  // A message can quote bytes of a request that are no UTF-8; those must not turn an error into an exception.
  response.body = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (error.code == ErrorCode::kOverloaded) response.headers.emplace_back("Retry-After", "1");
  if (error.code == ErrorCode::kUnauthorized) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace hearsay::aggregator
