#include "tests/bench/load/answer.h"

#include <algorithm>
#include <charconv>

namespace hearsay::load {
namespace {

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                    [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + ('a' - 'A') : x) == y; });
}

template <class Integer>
bool parse_integer(std::string_view text, Integer& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

}  // namespace

void AnswerReader::reset() {
  head_.clear();
  body_.clear();
  left_ = 0;
  status_ = 0;
  retry_after_ = 0;
  in_body_ = false;
  closes_ = false;
}

AnswerReader::State AnswerReader::take(std::string_view bytes) {
  if (in_body_) return take_body(bytes);
  std::string_view all = bytes;
  if (!head_.empty()) {
    head_.append(bytes);
    all = head_;
  }
  const std::size_t end = all.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (head_.empty()) head_.assign(bytes);
    return head_.size() > kMaxHead ? State::kMalformed : State::kMore;
  }
  if (!parse_head(all.substr(0, end + 2))) return State::kMalformed;
  in_body_ = true;
  return take_body(all.substr(end + 4));
}

AnswerReader::State AnswerReader::take_body(std::string_view bytes) {
  if (bytes.size() > left_) return State::kMalformed;
  if (body_.size() + bytes.size() <= kMaxKept) body_.append(bytes);
  left_ -= bytes.size();
  return left_ == 0 ? State::kComplete : State::kMore;
}

bool AnswerReader::parse_head(std::string_view head) {
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 12 || !parse_integer(head.substr(9, 3), status_)) return false;
  head.remove_prefix(head.find("\r\n") + 2);
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size() + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (!take_header(line.substr(0, colon), value)) return false;
  }
  if (status_ == 204) left_ = 0;
  return true;
}

bool AnswerReader::take_header(std::string_view name, std::string_view value) {
  if (equals_ignoring_case(name, "content-length")) return parse_integer(value, left_);
  if (equals_ignoring_case(name, "transfer-encoding")) return false;
  if (equals_ignoring_case(name, "connection")) closes_ = equals_ignoring_case(value, "close");
  if (equals_ignoring_case(name, "retry-after")) (void)parse_integer(value, retry_after_);
  return true;
}

std::uint64_t count_in(std::string_view json, std::string_view key, std::uint64_t otherwise) {
  std::string quoted = "\"";
  quoted.append(key).append("\":");
  std::size_t at = json.find(quoted);
  if (at == std::string_view::npos) return otherwise;
  at += quoted.size();
  while (at < json.size() && json[at] == ' ') ++at;
  std::uint64_t value = otherwise;
  return parse_integer(json.substr(at), value) ? value : otherwise;
}

}  // namespace hearsay::load
