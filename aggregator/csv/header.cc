#include "aggregator/csv/header.h"

#include <algorithm>
#include <array>
#include <utility>

#include "aggregator/csv/fields.h"
#include "aggregator/csv/problems.h"
#include "common/base/utf8.h"
#include "common/schema/names.h"

namespace hearsay::csv {
namespace {

constexpr std::size_t kMaxShown = 8;  // the most items that a message lists

std::string listed(const std::vector<std::string>& items) { return first_of(items, kMaxShown, items.size()); }

bool is_short_and_printable(std::string_view name) {
  constexpr std::size_t kMaxBytes = 64;
  if (name.empty() || name.size() > kMaxBytes) return false;
  for (std::size_t offset = 0; offset < name.size();) {
    const auto point = next_code_point(name, offset);
    if (!point || is_control(*point)) return false;
  }
  return true;
}

// Returns true if the line contains the name of an attribute, and the name contains `separator`.
bool in_a_name(const Schema& schema, char separator, std::string_view line) {
  return std::any_of(schema.attributes().begin(), schema.attributes().end(), [&](const Attribute& attribute) {
    return attribute.name().find(separator) != std::string::npos && line.find(attribute.name()) != std::string::npos;
  });
}

// Returns the columns that are no attribute, such as "column 2 ('city')". Shows the names only if the line names all
// attributes and so must be a header. Otherwise the names could be a person's values.
std::string unknown_columns(const std::vector<std::string>& names, const Columns& columns, bool is_header) {
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (columns[i]) continue;
    unknown.push_back(std::to_string(i + 1));
    if (is_header && is_short_and_printable(names[i])) unknown.back() += " ('" + names[i] + "')";
  }
  if (unknown.empty()) return {};
  return (unknown.size() == 1 ? "column " : "columns ") + listed(unknown) + (unknown.size() == 1 ? " names" : " name") +
         " no attribute of the schema";
}

}  // namespace

std::string shown_column(const Attribute& attribute) {
  return is_plain_name(attribute.name()) ? "'" + attribute.name() + "'" : in_quotes(attribute.name());
}

Result<Columns> read_header(const Schema& schema, const std::vector<std::string>& names, bool ignore_unknown_columns) {
  Columns columns;
  std::vector<std::size_t> counts(schema.size());
  for (const std::string& name : names) {
    columns.push_back(schema.find(name));
    if (columns.back()) ++counts[*columns.back()];
  }
  std::vector<std::string> missing;
  std::vector<std::string> repeated;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (counts[i] == 0) missing.push_back(shown_column(schema[i]));
    if (counts[i] > 1) repeated.push_back(shown_column(schema[i]));
  }
  if (missing.size() == schema.size()) {
    return Error{ErrorCode::kInvalidRecord, "no column has the name of an attribute; " + wanted_header(schema)};
  }
  std::string problems;
  const auto add = [&](const std::string& problem) { problems += (problems.empty() ? "" : "; ") + problem; };
  if (!missing.empty()) add("there is no column for " + listed(missing));
  if (!repeated.empty()) add("there is more than one column for " + listed(repeated));
  const std::string unknown = unknown_columns(names, columns, missing.empty());
  if (!unknown.empty() && !ignore_unknown_columns) {
    add(unknown +
        (missing.empty() ? "; delete unknown columns, or set ignore_unknown_columns (--ignore-unknown-columns)" : ""));
  }
  if (!problems.empty()) return Error{ErrorCode::kInvalidRecord, problems};
  return columns;
}

std::optional<std::string_view> foreign_separator(const Schema& schema, std::string_view line) {
  constexpr std::array<std::pair<char, std::string_view>, 3> kSeparators{
      {{';', "semicolons"}, {'\t', "tabs"}, {'|', "vertical bars"}}};
  if (line.find(',') != std::string_view::npos) return std::nullopt;
  const auto found = std::find_if(kSeparators.begin(), kSeparators.end(), [&](const auto& separator) {
    return line.find(separator.first) != std::string_view::npos && !in_a_name(schema, separator.first, line);
  });
  if (found == kSeparators.end()) return std::nullopt;
  return found->second;
}

std::string wanted_header(const Schema& schema) {
  std::vector<std::string> names;
  for (const Attribute& attribute : schema.attributes()) names.push_back(write_field(attribute.name()));
  return "the first line must name the columns: " + listed(names);
}

}  // namespace hearsay::csv
