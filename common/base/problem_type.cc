#include "common/base/problem_type.h"

#include <algorithm>

#include "common/base/strict_json.h"

namespace hearsay {
namespace {

constexpr std::string_view kPrefix = "urn:hearsay:error:";
constexpr std::size_t kLongestName = 64;

bool may_be_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string problem_type(ErrorCode code) { return std::string(kPrefix) + std::string(error_name(code)); }

std::string_view problem_name(std::string_view type) {
  if (!type.starts_with(kPrefix)) return "";
  const std::string_view name = type.substr(kPrefix.size());
  if (name.size() > kLongestName || !std::all_of(name.begin(), name.end(), may_be_in_name)) return "";
  return name;
}

Json error_json(const Error& error) { return {{"detail", error.message}, {"type", problem_type(error.code)}}; }

}  // namespace hearsay
