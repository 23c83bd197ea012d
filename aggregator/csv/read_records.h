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
  std::string name = "CSV";             // the text's name, such as a file's; messages begin with it
  bool ignore_unknown_columns = false;  // ignore columns that the schema lacks, instead of refusing them
};

// Reads UTF-8 text. The first line that is not blank is the header, with the schema's attributes in any order. Each
// further row is a record, and there must be at least one. Commas separate fields, which are quoted as in RFC 4180.
// Lines end with LF, CRLF or CR. Skipped: a byte order mark, blank lines, and spaces and tabs around unquoted fields.
// Values are written as value_from_text() reads them.
//
// Errors: kInvalidRecord. The message tells the first problems with their lines, and how many more there are. The
// message names columns and accepted values, but never a record's value.
Result<std::vector<Record>> read_records(const Schema& schema, std::string_view csv, const CsvOptions& options = {});

// Reads the bytes of a CSV file of raw texts by a companion document. The document gives the encoding and the
// separator; if it gives no separator, find_separator() finds one. The first line that is not blank is the header, from
// which labels_of() makes the columns' labels. Columns that the document does not name are ignored. `name` is the
// file's name, with which messages begin.
//
// Errors: kInvalidRecord (the message is as above), kInvalidArgument (the system knows no such encoding).
Result<std::vector<Record>> read_records(const Companion& companion, std::string_view bytes, const std::string& name);

}  // namespace hearsay::csv
