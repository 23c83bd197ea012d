// Reads the first line of a CSV text: which attribute each column holds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

// The attribute of each column. Nothing for a column that is ignored.
using Columns = std::vector<std::optional<std::size_t>>;

// Finds the attribute of each name. Errors: kInvalidRecord; the message says everything that is wrong with the names.
Result<Columns> read_header(const Schema& schema, const std::vector<std::string>& names, bool ignore_unknown_columns);

// Returns the name of the separator, if `line` is separated by another character than the comma. Returns nothing if the
// line has a comma, or if other separators occur only within attributes' names.
std::optional<std::string_view> foreign_separator(const Schema& schema, std::string_view line);

// Returns a column's name for messages, such as "'age'". A name that a query must quote is quoted in the same way.
std::string shown_column(const Attribute& attribute);

// Returns "the first line must name the columns: age, region and smoker", for messages. A name with a comma or a quote
// is quoted as it must be in that line.
std::string wanted_header(const Schema& schema);

}  // namespace hearsay::csv
