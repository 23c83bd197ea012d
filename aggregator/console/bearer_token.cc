#include "aggregator/console/bearer_token.h"

#include <algorithm>

namespace hearsay::console {

Result<std::string> parse_bearer_token(std::string_view text, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::string_view kSpace = " \t\r\n";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return Error{ErrorCode::kInvalidArgument, source + " holds no bearer token"};
  text = text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
  if (text.find_first_of(kSpace) != std::string_view::npos) {
    return Error{ErrorCode::kInvalidArgument, source + " must hold one bearer token and nothing else"};
  }
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::all_of(text.begin(), text.end(), visible)) {
    return Error{ErrorCode::kInvalidArgument,
                 source + " holds characters that no bearer token has; a token is plain ASCII text"};
  }
  return std::string(text);
}

}  // namespace hearsay::console
