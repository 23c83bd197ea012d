// Where a command's schema comes from.
#pragma once

#include <string>

#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// Reads a schema from its document, or proposes one from a CSV file as `hearsay schema` does without options; then says
// on standard error what became of the columns. A file that begins with a bracket or a brace is a document.
// Errors: those of console::read_file(), Schema::parse() and proposal::propose(); the message names the file.
Result<Schema> read_schema(const std::string& path);

}  // namespace hearsay::cli
