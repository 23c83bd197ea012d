// Reads a command's files and queries.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hearsay/companion.h"
#include "hearsay/query.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::console {

// The most bytes that a program reads from one file. The bound also ends the reading of devices such as /dev/zero.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30U;

// Returns the whole file; "-" is standard input. Errors: kIo, kLimitExceeded (more than `max_bytes`).
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

// Puts `source` before an error's message. `source` names the option or file of the faulty value, as in "--epsilon: not
// a plain decimal number".
template <class T>
Result<T> named(const std::string& source, Result<T> result) {
  if (result) return result;
  return Error{result.error().code, source + ": " + result.error().message};
}

// Returns the queries given as arguments, then the queries of the file, which has one query on each line. Skips blank
// lines, lines that begin with #, and a byte order mark. Errors: those of read_text(), and kInvalidArgument (there is
// no query, or an argument is not UTF-8).
Result<std::vector<std::string>> collect_queries(const std::vector<std::string>& arguments, const std::string& file);

// Parses the texts as queries. Errors: those of Query::parse(); the message names the query.
Result<std::vector<Query>> parse_queries(const Schema& schema, const std::vector<std::string>& texts);

// Reads a companion document. Errors: those of read_text() and Companion::parse(); the message names the file.
Result<Companion> read_companion(const Schema& schema, const std::string& path);

// Reads a text file; "-" is standard input. Errors: those of read_file(), kInvalidArgument (the file is not UTF-8 or
// has a zero byte; the message names the file and the line).
Result<std::string> read_text(const std::string& path);

}  // namespace hearsay::console
