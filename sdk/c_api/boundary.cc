#include "sdk/c_api/boundary.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include "common/base/utf8.h"

namespace hearsay::c_api {
namespace {

// A code without a number in hearsay.h becomes HEARSAY_INTERNAL.
hearsay_code code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return HEARSAY_INVALID_ARGUMENT;
    case ErrorCode::kLimitExceeded:
      return HEARSAY_LIMIT_EXCEEDED;
    case ErrorCode::kMalformedJson:
    case ErrorCode::kUnknownKey:
    case ErrorCode::kMissingKey:
    case ErrorCode::kWrongType:
      return HEARSAY_MALFORMED;
    case ErrorCode::kInvalidRecord:
      return HEARSAY_INVALID_RECORD;
    case ErrorCode::kInvalidSchema:
    case ErrorCode::kInvalidTask:
    case ErrorCode::kScaleTooLarge:
    case ErrorCode::kUnsupported:
      return HEARSAY_INVALID_TASK;
    case ErrorCode::kTaskMismatch:
      return HEARSAY_TASK_MISMATCH;
    case ErrorCode::kBadSignature:
      return HEARSAY_BAD_SIGNATURE;
    case ErrorCode::kReportTooEarly:
      return HEARSAY_TOO_EARLY;
    case ErrorCode::kTaskExpired:
      return HEARSAY_EXPIRED;
    case ErrorCode::kBudgetExhausted:
      return HEARSAY_BUDGET_EXHAUSTED;
    case ErrorCode::kEntropyFailed:
      return HEARSAY_ENTROPY_FAILED;
    case ErrorCode::kIo:
      return HEARSAY_IO;
    case ErrorCode::kInUse:
      return HEARSAY_IN_USE;
    case ErrorCode::kLedgerDamaged:
      return HEARSAY_LEDGER_DAMAGED;
    case ErrorCode::kClockDiffers:
      return HEARSAY_CLOCK_DIFFERS;
    case ErrorCode::kOptedOut:
      return HEARSAY_OPTED_OUT;
    case ErrorCode::kConnectionFailed:
      return HEARSAY_CONNECTION_FAILED;
    case ErrorCode::kTlsFailed:
      return HEARSAY_TLS_FAILED;
    case ErrorCode::kTimedOut:
      return HEARSAY_TIMED_OUT;
    case ErrorCode::kCancelled:
      return HEARSAY_CANCELLED;
    case ErrorCode::kServerRefused:
      return HEARSAY_SERVER_REFUSED;
    default:
      return HEARSAY_INTERNAL;
  }
}

// Copies text and a zero byte into the caller's array. Cuts text that does not fit, between two code points.
template <std::size_t N>
void copy_text(std::string_view text, char (&out)[N]) {
  const std::string_view beginning = beginning_of(text, N - 1);
  std::memcpy(out, beginning.data(), beginning.size());
  std::memset(out + beginning.size(), 0, N - beginning.size());
}

hearsay_code write(hearsay_code code, std::string_view name, std::string_view message, hearsay_error* out) noexcept {
  if (out == nullptr) return code;
  hearsay_error ours{};
  ours.code = code;
  copy_text(name, ours.name);
  copy_text(message, ours.message);
  // The caller's struct may be shorter or longer than the library's struct. The caller's member `size` stays unchanged.
  std::memcpy(&ours.size, out, sizeof ours.size);
  const std::size_t size = std::min(ours.size, sizeof ours);
  if (size > offsetof(hearsay_error, message)) ours.message[size - offsetof(hearsay_error, message) - 1] = 0;
  std::memcpy(out, &ours, size);
  return code;
}

}  // namespace

hearsay_code report(const Error& error, hearsay_error* out) noexcept {
  return write(code_of(error.code), error_name(error.code), error.message, out);
}

hearsay_code report_success(hearsay_error* out) noexcept { return write(HEARSAY_OK, "", "", out); }

hearsay_code report_exception(hearsay_error* out) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return write(HEARSAY_OUT_OF_MEMORY, "out_of_memory", "not enough memory", out);
  } catch (...) {
    return write(HEARSAY_INTERNAL, "internal", "a library below this one failed unexpectedly", out);
  }
}

Error null_argument(const char* what) { return {ErrorCode::kInvalidArgument, std::string(what) + " is NULL"}; }

Result<std::string_view> text_of(const char* data, std::size_t size, const char* what) {
  if (data == nullptr && size != 0) return null_argument(what);
  const std::string_view text = data == nullptr ? std::string_view() : std::string_view(data, size);
  // Names of files and hosts go to C functions that stop at a zero byte, and JSON cannot hold a zero byte. So a zero
  // byte is an error.
  if (text.find('\0') == std::string_view::npos) return text;
  return Error{ErrorCode::kInvalidArgument, std::string(what) + " holds a zero byte"};
}

Result<std::string_view> required_text(const char* data, std::size_t size, const char* what) {
  if (data == nullptr) return null_argument(what);
  if (size == 0) return Error{ErrorCode::kInvalidArgument, std::string(what) + " is empty"};
  return text_of(data, size, what);
}

}  // namespace hearsay::c_api
