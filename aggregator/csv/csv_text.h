// From a file's bytes to the text of a CSV file: its encoding and its separator.
#pragma once

#include <string>
#include <string_view>

#include "hearsay/companion.h"
#include "hearsay/result.h"

namespace hearsay::csv {

struct CsvText {
  std::string text;  // UTF-8, as many lines as the file
  char separator = ',';
};

// Returns the bytes as UTF-8, without a byte order mark. `encoding` is a name that iconv knows; empty: UTF-8. Bytes
// that are not of the encoding are refused, as are zero bytes, and UTF-8 that is said to be a Latin encoding. Errors:
// kInvalidRecord, with the line and the byte of the line; kInvalidArgument (the system knows no such encoding).
Result<std::string> decoded(std::string_view bytes, const std::string& encoding, const std::string& name);

// Returns the separator, of comma, semicolon, tab and vertical bar, with which the text is a table of at least two
// columns and all rows have as many fields as the header. Without one, the separator that the header has most often;
// the comma if it has none. Errors: kInvalidRecord (more than one separator fits).
Result<char> find_separator(std::string_view text, const std::string& name);

// Decodes the bytes and finds the separator, unless the layout says both. A first line such as "sep=;", which
// spreadsheets write, says the separator; it becomes blank. Errors: those of decoded() and find_separator().
Result<CsvText> read_csv_text(std::string_view bytes, const CsvLayout& layout, const std::string& name);

}  // namespace hearsay::csv
