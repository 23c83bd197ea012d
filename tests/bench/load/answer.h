// The answer to one request, read from a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay::load {

// One HTTP/1.1 response with Content-Length or without a body; a chunked one is malformed here, as neither server of
// these measurements sends one. The body is kept up to kMaxKept bytes.
class AnswerReader {
 public:
  static constexpr std::size_t kMaxHead = 16 * 1024;
  static constexpr std::size_t kMaxKept = 16U << 20U;

  enum class State : std::uint8_t { kMore, kComplete, kMalformed };

  // Forgets the last answer; buffers stay.
  void reset();
  // Takes the next bytes of the stream. Bytes behind the answer are malformed: nothing was asked yet.
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

  std::string head_;  // while it is incomplete
  std::string body_;
  std::uint64_t left_ = 0;
  unsigned status_ = 0;
  unsigned retry_after_ = 0;
  bool in_body_ = false;
  bool closes_ = false;
};

// The integer behind `"key":` in a JSON text, wherever the key stands first; `otherwise` where there is none.
std::uint64_t count_in(std::string_view json, std::string_view key, std::uint64_t otherwise);

}  // namespace hearsay::load
