#include "aggregator/console/input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "common/base/try.h"
#include "common/base/utf8.h"

namespace hearsay::console {
namespace {

Error unreadable(const std::string& path, int reason) {
  return {ErrorCode::kIo,
          "cannot read '" + path + "'" + (reason == 0 ? "" : std::string(": ") + std::strerror(reason))};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == "-") {
    std::ostringstream text;
    text << std::cin.rdbuf();
    return text.str();
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return unreadable(path, EISDIR);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return unreadable(path, errno);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Result<std::vector<std::string>> collect_queries(const std::vector<std::string>& arguments, const std::string& file) {
  std::vector<std::string> queries = arguments;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!find_invalid_utf8(queries[i])) continue;
    return Error{ErrorCode::kInvalidArgument, "query " + std::to_string(i + 1) + " of the command line is not UTF-8"};
  }
  if (!file.empty()) {
    HEARSAY_TRY(const std::string text, read_text(file));
    std::istringstream lines(text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first != std::string::npos && line[first] != '#') queries.push_back(line);
    }
  }
  if (queries.empty() && !file.empty()) {
    return Error{ErrorCode::kInvalidArgument, (file == "-" ? "standard input" : file) + " holds no query"};
  }
  if (queries.empty())
    return Error{ErrorCode::kInvalidArgument, "no query given: give one, or a file of them by --queries"};
  return queries;
}

Result<std::vector<Query>> parse_queries(const Schema& schema, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) {
    Result<Query> query = Query::parse(schema, text);
    if (!query) return Error{query.error().code, "query '" + text + "': " + query.error().message};
    queries.push_back(*std::move(query));
  }
  return queries;
}

Result<std::string> read_text(const std::string& path) {
  HEARSAY_TRY(std::string text, read_file(path));
  if (const auto fault = find_text_fault(text)) {
    return Error{ErrorCode::kInvalidArgument, (path == "-" ? "standard input" : path) + ", " + *fault};
  }
  return text;
}

}  // namespace hearsay::console
