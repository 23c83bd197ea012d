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

// Returns the bytes as UTF-8, without a byte order mark. `encoding` is a name that iconv knows; empty means UTF-8.
// `name` is the file's name for messages. Errors: kInvalidArgument if iconv does not know the encoding. kInvalidRecord
// if the bytes do not fit the encoding, or have a zero byte or a second byte order mark. kInvalidRecord, too, if
// `encoding` is Latin and the bytes look like UTF-8. The message of kInvalidRecord names the line.
Result<std::string> decoded(std::string_view bytes, const std::string& encoding, const std::string& name);

// Returns the separator: comma, semicolon, tab or vertical bar. The separator must make the text a table: at least two
// columns, and the same number of fields in each row. If no separator makes a table, returns the separator that is most
// frequent in the header, or the comma if the header has no separator. Errors: kInvalidRecord (several characters may
// be the separator).
Result<char> find_separator(std::string_view text, const std::string& name);

// Decodes the bytes and finds the separator. `layout` may name the encoding, the separator or both. A first line such
// as "sep=;", which spreadsheets write, names the separator unless `layout` does. This line becomes blank. Errors:
// those of decoded() and find_separator().
Result<CsvText> read_csv_text(std::string_view bytes, const CsvLayout& layout, const std::string& name);

}  // namespace hearsay::csv
