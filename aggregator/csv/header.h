// Reads the header of a CSV text: finds the attribute of each column.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

// The number of each column's attribute. Empty for a column that is ignored.
using Columns = std::vector<std::optional<std::size_t>>;

// Finds the attribute of each name. Errors: kInvalidRecord (the message lists all problems of the names).
Result<Columns> read_header(const Schema& schema, const std::vector<std::string>& names, bool ignore_unknown_columns);

// If a character other than the comma separates the fields of `line`, returns the name of this character, such as
// "semicolons". Returns nothing if the line has a comma, or if other separators occur only within attributes' names.
std::optional<std::string_view> foreign_separator(const Schema& schema, std::string_view line);

// Returns a column's name for messages, such as "'age'". If a query must quote the name, returns the name quoted as in
// a query.
std::string shown_column(const Attribute& attribute);

// Returns a text for messages, such as "the first line must name the columns: age, region and smoker". Names with a
// comma or a quote are quoted as in a header.
std::string wanted_header(const Schema& schema);

}  // namespace hearsay::csv
