#include "aggregator/api/parameters.h"

#include <algorithm>
#include <string>

namespace hearsay::api {
namespace {

constexpr std::size_t kQuotedBytes = 64;  // limit on the bytes of a name in a message

std::string quoted(std::string_view name) {
  return "'" + std::string(name.substr(0, kQuotedBytes)) + (name.size() > kQuotedBytes ? "…'" : "'");
}

}  // namespace

Result<Parameters> parse_parameters(std::string_view query, std::initializer_list<std::string_view> known) {
  Parameters parameters;
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
    const std::size_t equals = parameter.find('=');
    const std::string_view name = parameter.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error{ErrorCode::kUnknownKey, "this call has no query parameter " + quoted(name)};
    }
    const auto value = equals == std::string_view::npos ? std::string_view() : parameter.substr(equals + 1);
    if (!parameters.emplace(name, value).second) {
      return Error{ErrorCode::kInvalidArgument, "the query parameter " + quoted(name) + " is repeated"};
    }
  }
  return parameters;
}

}  // namespace hearsay::api
