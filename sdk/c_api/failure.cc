#include "sdk/c_api/failure.h"

#include <algorithm>
#include <cstring>

namespace hearsay::c_api {
namespace {

// Copies what fits, with a zero byte behind, and cuts no character of UTF-8 in two.
template <std::size_t kCapacity>
void copy_text(char (&out)[kCapacity], std::string_view text) noexcept {
  std::size_t length = std::min(text.size(), kCapacity - 1);
  if (length < text.size()) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  }
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

}  // namespace

hearsay_status fail(hearsay_error* error, hearsay_status status, std::string_view name,
                    std::string_view message) noexcept {
  if (error == nullptr) return status;
  error->status = status;
  copy_text(error->name, name);
  copy_text(error->message, message);
  return status;
}

hearsay_status fail(hearsay_error* error, const Error& problem, hearsay_status usual) noexcept {
  hearsay_status status = usual;
  switch (problem.code) {
    case ErrorCode::kReportTooEarly: status = HEARSAY_TOO_EARLY; break;
    case ErrorCode::kTaskExpired: status = HEARSAY_EXPIRED; break;
    case ErrorCode::kInvalidRecord: status = HEARSAY_INVALID_RECORD; break;
    case ErrorCode::kEntropyFailed: status = HEARSAY_ENTROPY_FAILED; break;
    default: break;
  }
  return fail(error, status, error_name(problem.code), problem.message);
}

}  // namespace hearsay::c_api
