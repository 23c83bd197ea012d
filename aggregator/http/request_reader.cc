#include "aggregator/http/request_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hearsay::http {

Refusal no_room(MemoryBudget::Limit limit) {
  return {503,
          {ErrorCode::kOverloaded, limit == MemoryBudget::Limit::kAddress
                                       ? "the requests of the client's address take too much memory"
                                       : "the requests of all clients take too much memory"}};
}

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
    if (auto refusal = count()) return *std::move(refusal);
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
    body_ = unused();
    begin_ = end_;
    if (auto refusal = count()) return *std::move(refusal);
  }
  if (body_received() < size) return IoResult{IoResult::Kind::kDone};
  return read_sized();
}

RequestReader::Step RequestReader::read_body() { return parser_->body_size() ? read_sized() : read_chunked(); }

// If the body is in input_, bytes behind the body count, too.
std::size_t RequestReader::body_received() const {
  if (!parser_->body_size()) return parser_->chunked_body().size();
  return large_ ? body_.size() : end_ - begin_;
}

RequestReader::Step RequestReader::read_sized() {
  const std::size_t size = *parser_->body_size();
  if (body_received() < size) {
    if (!large_) return read_input();
    const IoResult result = append_to(body_, size - body_.size());
    if (auto refusal = count()) return *std::move(refusal);
    return result;
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
  if (auto refusal = count()) return *std::move(refusal);
  if (parser_->is_done()) return Complete{};
  return append_to(chunks_, worker_.landing().size());
}

IoResult RequestReader::read_input() {
  const IoResult result = transport_.read({input_.data() + end_, input_.size() - end_});
  end_ += result.bytes;
  return result;
}

// The bytes are read into a shared buffer first, so that a body takes memory only for bytes that have come.
IoResult RequestReader::append_to(std::string& bytes, std::size_t most) {
  const std::span<char> landing = worker_.landing();
  const IoResult result = transport_.read(landing.first(std::min(most, landing.size())));
  bytes.append(landing.data(), result.bytes);
  return result;
}

std::size_t RequestReader::buffered() const {
  const auto held = [](std::size_t bytes) { return bytes > Worker::kInputBytes ? bytes : 0; };
  const std::size_t body = body_.size() + (parser_ ? parser_->chunked_body().size() : 0);
  return held(body) + held(chunks_.size()) + held(input_.size());
}

std::optional<Refusal> RequestReader::count() {
  const auto limit = share_.resize(buffered());
  if (limit != MemoryBudget::Limit::kNone) return no_room(limit);
  return std::nullopt;
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
  std::string().swap(body_);
  if (parser_) parser_->release_body();
  share_.resize(buffered());
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
  share_.trust(false);
}

void RequestReader::release_buffer() {
  if (!input_.empty()) worker_.give_back(std::exchange(input_, {}));
  begin_ = end_ = 0;
  share_.resize(buffered());
}

}  // namespace hearsay::http
