#include "aggregator/proposal/column.h"

#include <string_view>

#include "common/companion/rule.h"

namespace hearsay::proposal {

void Column::add(const std::string& text, std::size_t line, bool missing) {
  if (missing) {
    ++missing_;
    if (text.empty()) ++empty_;
    return;
  }
  ++present_;
  const auto [known, is_new] = index_.emplace(text, texts_.size());
  if (is_new) texts_.push_back({text, 0, line});
  ++texts_[known->second].count;
}

std::string folded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && (result.empty() || result.back() == ' ')) continue;
    result += space ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

}  // namespace hearsay::proposal
