#include "aggregator/daemon/config_file.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "aggregator/console/input.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::daemon {
namespace {

// A key of the file, or an element of its list. Messages of parse_config() begin with such a path.
struct Place {
  std::string path;  // "threads", "tokens[2]"
  std::ptrdiff_t line;
};

// Returns the position behind the string that begins at `at`.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  for (++at; json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
  return at + 1;
}

// Returns the places in `json`, which must hold an object and must be a text that parse_json() accepts.
std::vector<Place> places_of(std::string_view json) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<Place> places;
  std::string key;            // the latest key of the outer object
  std::size_t element = 0;    // the number of the next element in the list of `key`
  bool element_next = false;  // true if the next character that is no space begins an element
  std::ptrdiff_t line = 1;
  int depth = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '\n') ++line;
    if (element_next && c != ']' && kSpace.find(c) == std::string_view::npos) {
      places.push_back({key + "[" + std::to_string(element++) + "]", line});
      element_next = false;
    }
    if (c == '"') {
      const std::size_t end = end_of_string(json, at);
      const std::size_t next = json.find_first_not_of(kSpace, end);
      if (depth == 1 && json[next] == ':') {
        key = parse_json(json.substr(at, end - at))->get<std::string>();
        element = 0;
        places.push_back({key, line});
      }
      at = end;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    // An element of a list follows '[' and ','. Members of an inner object are counted, too, but no message begins with
    // the path of such a member.
    if (depth == 2 && (c == '[' || c == ',')) element_next = true;
    ++at;
  }
  return places;
}

// Returns the line of the place with which the message begins. If two places match, such as "threads" and
// "threads_more", the longer path counts.
std::optional<std::ptrdiff_t> line_of(std::string_view message, std::string_view json) {
  std::optional<Place> found;
  for (Place& place : places_of(json)) {
    if (message.starts_with(place.path) && (!found || place.path.size() > found->path.size())) found = std::move(place);
  }
  return found ? std::optional(found->line) : std::nullopt;
}

}  // namespace

Result<DaemonConfig> read_config_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, "'" + path + "' is a directory; --config names a file"};
  }
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
  HEARSAY_TRY(const std::string text, console::read_file(path, kMaxBytes));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{ErrorCode::kMalformedJson,
                 "'" + path + "' is empty; hearsayd --print-default-config prints a configuration to begin with"};
  }
  auto config = parse_config(text);
  if (config) return config;
  const auto document = parse_json(text);
  const auto line = document && document->is_object() ? line_of(config.error().message, text) : std::nullopt;
  return Error{config.error().code,
               path + (line ? ", line " + std::to_string(*line) : "") + ": " + config.error().message};
}

}  // namespace hearsay::daemon
