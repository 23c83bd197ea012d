#include "aggregator/http/request_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hearsay::http {

namespace {

constexpr std::size_t kBodyReadBytes = 16 << 10;

}  // namespace

IoResult RequestBuffer::read_head() {
  if (input_.empty()) input_ = worker_.take_buffer();
  if (end_ == input_.size()) input_.resize(2 * input_.size());
  return read_input();
}

IoResult RequestBuffer::read_input() {
  const std::size_t room = input_.size() - end_;
  const IoResult result = transport_.read({input_.data() + end_, room});
  end_ += result.bytes;
  return result;
}

bool RequestBuffer::expect_body(std::size_t size) {
  body_size_ = size;
  large_ = size > input_.size() - begin_;
  if (!large_) return true;
  if (!reserve(size)) return false;
  body_.reserve(size);  // address space; memory comes as the bytes do
  body_ = unused();
  begin_ = end_;
  return true;
}

IoResult RequestBuffer::read_body() {
  if (!large_) return read_input();
  const std::size_t filled = body_.size();
  body_.resize(std::min(body_size_, filled + kBodyReadBytes));
  const IoResult result = transport_.read({body_.data() + filled, body_.size() - filled});
  body_.resize(filled + result.bytes);
  return result;
}

std::string_view RequestBuffer::take_body() {
  if (large_) return body_;
  const std::string_view body = unused().substr(0, body_size_);
  use_up(body_size_);
  return body;
}

IoResult RequestBuffer::discard(std::size_t& left) {
  IoResult result{IoResult::Kind::kDone};
  if (empty()) {
    begin_ = end_ = 0;
    result = read_input();
  }
  const std::size_t here = std::min(left, end_ - begin_);
  use_up(here);
  left -= here;
  return result;
}

void RequestBuffer::expect_chunks() {
  chunks_ = unused();
  begin_ = end_;
}

IoResult RequestBuffer::read_chunks() {
  const std::size_t filled = chunks_.size();
  chunks_.resize(filled + kBodyReadBytes);
  const IoResult result = transport_.read({chunks_.data() + filled, kBodyReadBytes});
  chunks_.resize(filled + result.bytes);
  return result;
}

bool RequestBuffer::reserve(std::size_t size) {
  if (size <= reserved_) return true;
  if (!bodies_->take(size - reserved_)) return false;
  reserved_ = size;
  return true;
}

void RequestBuffer::release_body() {
  bodies_->give_back(std::exchange(reserved_, 0));
  std::string().swap(body_);
}

void RequestBuffer::next_request() {
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
  body_size_ = 0;
  large_ = false;
}

void RequestBuffer::give_back() {
  if (!input_.empty()) worker_.give_back(std::exchange(input_, {}));
  begin_ = end_ = 0;
}

}  // namespace hearsay::http
