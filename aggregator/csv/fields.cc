#include "aggregator/csv/fields.h"

#include <csv.h>

#include <memory>

namespace hearsay::csv {
namespace {

void add_field(void* text, std::size_t size, void* fields) {
  static_cast<std::vector<std::string>*>(fields)->emplace_back(static_cast<const char*>(text), size);
}

}  // namespace

Result<std::vector<std::string>> read_fields(std::string_view line) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
    return Error{ErrorCode::kInternal, "the CSV library cannot be initialised"};
  const std::unique_ptr<csv_parser, decltype(&csv_free)> cleanup(&parser, &csv_free);
  std::vector<std::string> fields;
  const bool one_line = line.find_first_of("\r\n") == std::string_view::npos;
  if (!one_line || csv_parse(&parser, line.data(), line.size(), &add_field, nullptr, &fields) != line.size() ||
      csv_fini(&parser, &add_field, nullptr, &fields) != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "a list must be one line with commas between its items; put an item with a comma or a quote in double "
                 "quotes, and double each quote within the item"};
  }
  return fields;
}

std::string write_field(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  const bool spaced = !text.empty() && (is_space(text.front()) || is_space(text.back()));
  if (!spaced && text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string write_fields(const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i) line += (i > 0 ? "," : "") + write_field(texts[i]);
  return line;
}

}  // namespace hearsay::csv
