// Turns the bytes of a CSV file into text: decodes the bytes and finds the separator.
#pragma once

#include <string>
#include <string_view>

#include "hearsay/companion.h"
#include "hearsay/result.h"

namespace hearsay::csv {

struct CsvText {
  std::string text;  // UTF-8, with the same lines as the file
  char separator = ',';
};

// Returns the bytes as UTF-8, without a byte order mark. `encoding` is a name that iconv knows; empty: UTF-8. Errors:
// kInvalidRecord (bytes that do not fit the encoding, zero bytes, or bytes that look like UTF-8 although `encoding` is
// Latin; the message has the line and the byte in the line), kInvalidArgument (the system knows no such encoding).
Result<std::string> decoded(std::string_view bytes, const std::string& encoding, const std::string& name);

// Returns the separator: comma, semicolon, tab or vertical bar. The separator must make the text a table: at least two
// columns, and as many fields in each row as in the header. If no separator makes a table, returns the one that is most
// frequent in the header, or the comma if there is none. Errors: kInvalidRecord (more than one separator fits).
Result<char> find_separator(std::string_view text, const std::string& name);

// Decodes the bytes and finds the separator. `layout` may name the encoding, the separator or both. A first line such
// as "sep=;", which spreadsheets write, names the separator. This line becomes blank. Errors: those of decoded() and
// find_separator().
Result<CsvText> read_csv_text(std::string_view bytes, const CsvLayout& layout, const std::string& name);

}  // namespace hearsay::csv
