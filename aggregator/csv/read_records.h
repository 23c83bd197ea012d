// Reads records from CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hearsay/companion.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

struct CsvOptions {
  std::string name = "CSV";             // a name of the text, such as the file's; messages begin with this name
  bool ignore_unknown_columns = false;  // true: ignore columns that are no attribute; false: they are errors
};

// Reads UTF-8 text. The first line that is not blank is the header, with the schema's attributes in any order. Each
// further row is a record, and there must be at least one. Commas separate fields. Fields are quoted as in RFC 4180.
// Lines end with LF, CRLF or CR. The function skips a byte order mark, blank lines, and spaces and tabs around unquoted
// fields. If there is only one column, a blank line between rows is an error. Values must be written as
// value_from_text() reads them.
//
// Errors: kInvalidRecord. The message has the first problems with their lines, and the number of further problems. The
// message names columns and accepted values, but not a record's value.
Result<std::vector<Record>> read_records(const Schema& schema, std::string_view csv, const CsvOptions& options = {});

// Reads a CSV file of raw texts by a companion document. The document gives the encoding and the separator. If the
// document gives no separator, read_csv_text() finds it. The first line that is not blank is the header, from which
// labels_of() makes the columns' labels. The function ignores columns that the document does not name. `name` is the
// file's name, with which messages begin.
//
// Errors: kInvalidRecord (with a message as above), kInvalidArgument (the system knows no such encoding).
Result<std::vector<Record>> read_records(const Companion& companion, std::string_view bytes, const std::string& name);

}  // namespace hearsay::csv
