#include "aggregator/cli/advice.h"

#include "aggregator/cli/remote.h"

namespace hearsay::cli {
namespace {

// Returns true if `code` is the error's own code, or the name of the aggregator's refusal.
bool is(const Error& error, ErrorCode code) { return error.code == code || is_refusal(error, code); }

}  // namespace

std::string advice(const Error& error) {
  if (is(error, ErrorCode::kConnectionFailed) || is(error, ErrorCode::kTimedOut)) {
    return "check that the aggregator runs, and that --server (or `hearsay login`) names it";
  }
  if (is(error, ErrorCode::kTlsFailed)) {
    return "name the authority of the aggregator's certificate with --ca, and use the host name in that certificate "
           "with --server";
  }
  if (is(error, ErrorCode::kUnauthorized)) {
    return "log in with `hearsay login --server URL`, or give a token with --token-file or HEARSAY_TOKEN";
  }
  if (is(error, ErrorCode::kForbidden)) return "ask the aggregator's administrator for a token whose role may do this";
  if (is(error, ErrorCode::kUnrecognizedTask)) return "`hearsay task list` shows the tasks";
  // Only after a refusal by the aggregator. Otherwise the schema is in a file, and the error's message lists its names.
  if (is_refusal(error, ErrorCode::kUnknownAttribute) || is_refusal(error, ErrorCode::kUnknownValue)) {
    return "`hearsay task show TASK` shows a task's attributes and their values";
  }
  if (is(error, ErrorCode::kOverloaded)) return "ask fewer questions at a time, or try again later";
  return "";
}

}  // namespace hearsay::cli
