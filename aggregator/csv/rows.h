// Reads the rows of a CSV text strictly: text that is not well-formed is an error, so no row is lost.
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

// The reason why reading stopped, and the line of the fault.
struct RowFault {
  ErrorCode code = ErrorCode::kInvalidRecord;
  std::size_t line = 0;
  std::string message;

  // Returns the part of a message that follows the name of the text, such as ", line 3: a quote …".
  std::string text() const { return ", line " + std::to_string(line) + ": " + message; }
};

// A function that receives the fields of a row that begins in `line`, and returns false to stop the reading. A blank
// line has no fields. If a row has more fields than the first row, `fields` has one field more than the first row, and
// read_rows() drops the rest.
using TakeRow = std::function<bool(std::size_t line, std::vector<std::string>& fields)>;

// Passes every row and every blank line of the text to `take`. Fields are quoted as in RFC 4180. Lines end with LF,
// CRLF or CR. Drops spaces and tabs around unquoted fields. A line of spaces and tabs is blank. If the tab is the
// separator, a line with a tab is not blank. Returns a fault if the text has a stray quote, a quote that is not closed,
// or more than 65,536 columns.
std::optional<RowFault> read_rows(std::string_view text, char separator, const TakeRow& take);

// Returns the first line of the text, including its end: LF, CRLF or CR.
std::string_view first_line(std::string_view text);

}  // namespace hearsay::csv
