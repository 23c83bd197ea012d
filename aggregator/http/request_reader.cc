#include "aggregator/http/request_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hearsay::http {

namespace {

constexpr std::size_t kBodyReadBytes = 16 << 10;

Refusal no_room() { return {503, {ErrorCode::kOverloaded, "too many bodies are being read"}}; }

}  // namespace

RequestReader::Step RequestReader::read_head() {
  const HeadScanner::State state = scanner_.scan(unused());
  if (state == HeadScanner::State::kMalformed) {
    return Refusal{400, {ErrorCode::kInvalidArgument, "malformed HTTP header"}};
  }
  if (scanner_.end() > options_.max_header_bytes) {
    return Refusal{431,
                   {ErrorCode::kLimitExceeded,
                    "the header is larger than " + std::to_string(options_.max_header_bytes) + " bytes"}};
  }
  if (state == HeadScanner::State::kIncomplete) {
    if (input_.empty()) input_ = worker_.take_buffer();
    if (end_ == input_.size()) input_.resize(2 * input_.size());
    return read_input();
  }

  parser_.emplace(options_.max_body_bytes);
  const bool accepted = parser_->put_head(scanner_.head(unused()));
  begin_ += scanner_.end();
  if (!accepted) return *parser_->refusal();
  return Complete{};
}

RequestReader::Step RequestReader::begin_body() {
  if (parser_->is_done()) return Complete{};
  if (!parser_->body_size()) {
    chunks_ = unused();
    begin_ = end_;
    return IoResult{IoResult::Kind::kDone};
  }
  const std::size_t size = *parser_->body_size();
  large_ = size > input_.size() - begin_;
  if (large_) {
    if (!reserve(size)) return no_room();
    body_.reserve(size);  // address space; memory comes as the bytes do
    body_ = unused();
    begin_ = end_;
  }
  if (body_received() < size) return IoResult{IoResult::Kind::kDone};
  return read_sized();
}

RequestReader::Step RequestReader::read_body() { return parser_->body_size() ? read_sized() : read_chunked(); }

// In the shared buffer also what came behind the body.
std::size_t RequestReader::body_received() const {
  if (!parser_->body_size()) return parser_->chunked_body().size();
  return large_ ? body_.size() : end_ - begin_;
}

RequestReader::Step RequestReader::read_sized() {
  const std::size_t size = *parser_->body_size();
  if (body_received() < size) {
    return large_ ? append_to(body_, std::min(size - body_.size(), kBodyReadBytes)) : read_input();
  }
  if (large_) {
    parser_->request().body = body_;
  } else {
    parser_->request().body = unused().substr(0, size);
    begin_ += size;
  }
  return Complete{};
}

RequestReader::Step RequestReader::read_chunked() {
  chunks_.erase(0, parser_->put_chunked(chunks_));
  if (parser_->refusal()) return *parser_->refusal();
  if (!reserve(parser_->chunked_body().size())) return no_room();
  if (parser_->is_done()) return Complete{};
  // What is left is one unfinished line or the trailers, which are header as far as limits go.
  if (chunks_.size() > options_.max_header_bytes) {
    return Refusal{431, {ErrorCode::kLimitExceeded, "a chunk's header or the trailers are too large"}};
  }
  return append_to(chunks_, kBodyReadBytes);
}

IoResult RequestReader::read_input() {
  const IoResult result = transport_.read({input_.data() + end_, input_.size() - end_});
  end_ += result.bytes;
  return result;
}

IoResult RequestReader::append_to(std::string& bytes, std::size_t most) {
  const std::size_t filled = bytes.size();
  bytes.resize(filled + most);
  const IoResult result = transport_.read({bytes.data() + filled, most});
  bytes.resize(filled + result.bytes);
  return result;
}

bool RequestReader::reserve(std::size_t size) {
  if (size <= reserved_) return true;
  if (!bodies_->take(size - reserved_)) return false;
  reserved_ = size;
  return true;
}

IoResult RequestReader::discard(std::size_t& left) {
  IoResult result{IoResult::Kind::kDone};
  if (empty()) {
    begin_ = end_ = 0;
    result = read_input();
  }
  const std::size_t here = std::min(left, end_ - begin_);
  begin_ += here;
  left -= here;
  return result;
}

void RequestReader::release_body() {
  bodies_->give_back(std::exchange(reserved_, 0));
  std::string().swap(body_);
}

void RequestReader::next_request() {
  if (!chunks_.empty()) {
    input_.assign(chunks_.begin(), chunks_.end());
    input_.resize(std::max(input_.size(), Worker::kInputBytes));
    begin_ = 0;
    end_ = chunks_.size();
    std::string().swap(chunks_);
  }
  if (!empty() && begin_ != 0) std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  large_ = false;
  parser_.reset();
  scanner_ = {};
}

void RequestReader::release_buffer() {
  if (!input_.empty()) worker_.give_back(std::exchange(input_, {}));
  begin_ = end_ = 0;
}

}  // namespace hearsay::http
