// Records from CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hearsay/companion.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

struct CsvOptions {
  std::string name = "CSV";             // of the text, with which messages begin; a file's, say
  bool ignore_unknown_columns = false;  // that the header names and the schema lacks; otherwise they are an error
};

// Reads UTF-8 text. The first line that is not blank is the header: it names the schema's attributes in any order. Then
// follows one row a record, at least one. Commas separate fields; quoting as in RFC 4180. Lines end with LF, CRLF or
// CR. A byte order mark, blank lines, and spaces and tabs around a field that is not quoted do not count. Values are
// written as value_from_text() reads them.
//
// Errors: kInvalidRecord. The message tells the first problems with their lines and how many more there are, names
// columns, and says which values are accepted. The message never holds a record's value.
Result<std::vector<Record>> read_records(const Schema& schema, std::string_view csv, const CsvOptions& options = {});

// Reads a CSV file of raw texts by a companion document: the file's bytes, in the encoding and with the separator of
// the document. Without a separator in the document, the separator is found as find_separator() does. The first line
// that is not blank is the header; labels_of() makes the columns' labels of it. Columns that the document does not name
// do not count. `name` is the file's, with which messages begin.
//
// Errors: kInvalidRecord, kInvalidArgument (the system knows no such encoding). The message is as above.
Result<std::vector<Record>> read_records(const Companion& companion, std::string_view bytes, const std::string& name);

}  // namespace hearsay::csv
