// Reads a schema from a schema document or from a CSV file.
#pragma once

#include <string>

#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// Reads a schema document. If the file is a CSV file, proposes a schema as `hearsay schema` does without options. A
// file counts as a document if its first character after white space is [ or {. After a proposal, prints to standard
// error how many columns became attributes. Errors: those of console::read_file(), Schema::parse() and
// proposal::propose(); the message names the file.
Result<Schema> read_schema(const std::string& path);

}  // namespace hearsay::cli
