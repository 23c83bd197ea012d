// The first line of a CSV text: which attribute each column holds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

// The attribute of each column; nothing for a column that is ignored.
using Columns = std::vector<std::optional<std::size_t>>;

// Errors: kInvalidRecord; the message says everything that is wrong with the names.
Result<Columns> read_header(const Schema& schema, const std::vector<std::string>& names, bool ignore_unknown_columns);

// The character that separates the columns of `line` in place of the comma, by its name. Nothing if the line has a
// comma, or none of the characters that stand in for it but within an attribute's name.
std::optional<std::string_view> foreign_separator(const Schema& schema, std::string_view line);

// "'age'", for messages; a name that is no plain word as a query writes it.
std::string shown_column(const Attribute& attribute);

// "the first line must name the columns: age, region and smoker", for messages. A name that has a comma or a quote is
// quoted as the line must quote it.
std::string wanted_header(const Schema& schema);

}  // namespace hearsay::csv
