// The rows of a CSV text, strictly: no row is dropped, joined or shifted without an error.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/error.h"

namespace hearsay::csv {

constexpr std::size_t kMaxColumns = 1U << 16U;

// Why the rows cannot be read on.
struct RowFault {
  ErrorCode code = ErrorCode::kInvalidRecord;
  std::size_t line = 0;
  std::string message;

  // ", line 3: a quote …", to follow the name of the text.
  std::string text() const { return ", line " + std::to_string(line) + ": " + message; }
};

// Takes the fields of a row that begins in `line`; returns false to end the reading. A blank line has no fields. Of a
// row with more fields than the first row one more is kept.
using TakeRow = std::function<bool(std::size_t line, std::vector<std::string>& fields)>;

// Hands every row and every blank line of the text to `take`. Quoting as in RFC 4180; lines end with LF, CRLF or CR;
// spaces and tabs around a field that is not quoted do not count. A line is blank if it has nothing but spaces, and
// tabs that do not separate fields. Returns what stopped the reading before the end: a stray quote, a quote that is
// never closed, more than 65,536 columns.
std::optional<RowFault> read_rows(std::string_view text, char separator, const TakeRow& take);

// The line at the beginning of the text, with its end: LF, CRLF or CR.
std::string_view first_line(std::string_view text);

}  // namespace hearsay::csv
