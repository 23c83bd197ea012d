// One line of CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::csv {

// Returns the fields of one line, such as an option's list of names. A field that has a comma is quoted as in RFC 4180;
// spaces around a field that is not quoted do not count. Errors: kInvalidArgument (a stray quote, more than one line).
Result<std::vector<std::string>> read_fields(std::string_view line);

// Returns the text as one field, quoted if it has a comma, a quote, the end of a line, or white space at an
// end.
std::string write_field(std::string_view text);

// Returns the texts as the fields of one line.
std::string write_fields(const std::vector<std::string>& texts);

}  // namespace hearsay::csv
