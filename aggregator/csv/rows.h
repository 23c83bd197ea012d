// Reads the rows of a CSV text strictly: a row is never dropped, joined or shifted without an error.
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

// Why reading stopped.
struct RowFault {
  ErrorCode code = ErrorCode::kInvalidRecord;
  std::size_t line = 0;
  std::string message;

  // Returns the fault as it follows the text's name: ", line 3: a quote …".
  std::string text() const { return ", line " + std::to_string(line) + ": " + message; }
};

// Takes the fields of a row that begins in `line`. Returns false to stop the reading. A blank line has no fields. If a
// row is longer than the first row, `fields` holds one field more than the first row and no further ones.
using TakeRow = std::function<bool(std::size_t line, std::vector<std::string>& fields)>;

// Passes every row and every blank line of the text to `take`. Fields are quoted as in RFC 4180. Lines end with LF,
// CRLF or CR. Spaces and tabs around unquoted fields are skipped. A line is blank if it has only spaces, and tabs that
// are not separators. Returns the fault if reading stopped before the end: a stray quote, a quote that is never closed,
// or more than 65,536 columns.
std::optional<RowFault> read_rows(std::string_view text, char separator, const TakeRow& take);

// Returns the first line of the text with its end: LF, CRLF or CR.
std::string_view first_line(std::string_view text);

}  // namespace hearsay::csv
