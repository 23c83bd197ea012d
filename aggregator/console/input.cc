#include "aggregator/console/input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "common/base/number_text.h"
#include "common/base/try.h"
#include "common/base/utf8.h"

namespace hearsay::console {
namespace {

Error unreadable(const std::string& path, int reason) {
  return {ErrorCode::kIo,
          "cannot read '" + path + "'" + (reason == 0 ? "" : std::string(": ") + std::strerror(reason))};
}

Result<std::string> read_all(std::istream& in, const std::string& what, std::size_t max_bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  std::string text;
  while (in) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    in.read(text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_bytes) {
      return Error{ErrorCode::kLimitExceeded, what + " has more than " + with_separators(max_bytes) +
                                                  " bytes, the most that the program reads: name another file"};
    }
  }
  return text;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  if (path == "-") return read_all(std::cin, "standard input", max_bytes);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return unreadable(path, EISDIR);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return unreadable(path, errno);
  return read_all(in, "'" + path + "'", max_bytes);
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
    return Error{ErrorCode::kInvalidArgument,
                 "no query given: write a query as an argument, or name a file of queries with --queries"};
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

Result<Companion> read_companion(const Schema& schema, const std::string& path) {
  HEARSAY_TRY(const std::string text, read_text(path));
  return named(path, Companion::parse(schema, text));
}

}  // namespace hearsay::console
