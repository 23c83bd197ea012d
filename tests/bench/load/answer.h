// The answer to one request, read from a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay::load {

// Reads one HTTP/1.1 response that has a Content-Length or no body. Keeps up to kMaxKept bytes of the body. A chunked
// response counts as malformed, since the measured servers send no chunked responses.
class AnswerReader {
 public:
  static constexpr std::size_t kMaxHead = 16 * 1024;
  static constexpr std::size_t kMaxKept = 16U << 20U;

  enum class State : std::uint8_t { kMore, kComplete, kMalformed };

  // Makes the reader ready for the next answer, and keeps its buffers.
  void reset();
  // Takes the next bytes of the stream. Bytes after the end of the answer count as malformed, since only one request
  // was sent.
  State take(std::string_view bytes);
  bool begun() const { return in_body_ || !head_.empty(); }

  unsigned status() const { return status_; }
  bool closes() const { return closes_; }
  unsigned retry_after_seconds() const { return retry_after_; }
  std::string_view body() const { return body_; }

 private:
  bool parse_head(std::string_view head);
  bool take_header(std::string_view name, std::string_view value);
  State take_body(std::string_view bytes);

  std::string head_;  // the head, while it is incomplete
  std::string body_;
  std::uint64_t left_ = 0;
  unsigned status_ = 0;
  unsigned retry_after_ = 0;
  bool in_body_ = false;
  bool closes_ = false;
};

// Returns the integer after the first `"key":` in a JSON text, or `otherwise` if there is none.
std::uint64_t count_in(std::string_view json, std::string_view key, std::uint64_t otherwise);

}  // namespace hearsay::load
