#include "aggregator/daemon/config_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <regex>
#include <string_view>
#include <system_error>

#include "aggregator/console/input.h"
#include "common/base/try.h"

namespace hearsay::daemon {
namespace {

// The line of the key at which a message of parse_config() begins; of a token, "tokens[2]…", the line of its brace.
// `json` is one document in which what stands before that place was accepted. Nothing if a key is written with escapes.
std::optional<std::ptrdiff_t> line_of(std::string_view message, std::string_view json) {
  std::match_results<std::string_view::const_iterator> path;
  std::match_results<std::string_view::const_iterator> key;
  if (!std::regex_search(message.begin(), message.end(), path, std::regex(R"(^(\w+)(\[(\d+)\])?)"))) return {};
  if (!std::regex_search(json.begin(), json.end(), key, std::regex("\"" + path[1].str() + "\"\\s*:"))) return {};
  auto place = key[0].first;
  if (path[3].matched) {
    for (std::size_t braces = std::stoul(path[3].str()) + 1; braces > 0 && place != json.end(); --braces) {
      place = std::find(place + 1, json.end(), '{');
    }
  }
  return 1 + std::count(json.begin(), place, '\n');
}

}  // namespace

Result<DaemonConfig> read_config_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, "'" + path + "' is a directory; --config names a file"};
  }
  HEARSAY_TRY(const std::string text, console::read_file(path));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{ErrorCode::kMalformedJson,
                 "'" + path + "' is empty; hearsayd --print-default-config prints a configuration to begin with"};
  }
  auto config = parse_config(text);
  if (config) return config;
  const auto line = line_of(config.error().message, text);
  return Error{config.error().code,
               path + (line ? ", line " + std::to_string(*line) : "") + ": " + config.error().message};
}

}  // namespace hearsay::daemon
