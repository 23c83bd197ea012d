// Reads and writes one line of CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::csv {

// Returns the fields of one line, such as a list of names in an option. A field with a comma must be quoted as in RFC
// 4180. Drops spaces around an unquoted field. Errors: kInvalidArgument (a stray quote, more than one line).
Result<std::vector<std::string>> read_fields(std::string_view line);

// Returns the text as one field. Puts the text in quotes if it has a comma, a quote, a line break, or white space at an
// end.
std::string write_field(std::string_view text);

// Returns the texts as the fields of one line.
std::string write_fields(const std::vector<std::string>& texts);

}  // namespace hearsay::csv
