#include "aggregator/csv/read_records.h"

#include <csv.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>

namespace hearsay::csv {
namespace {

std::optional<std::uint32_t> value_index(const Attribute& attribute, const std::string& cell) {
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      if (cell == "yes" || cell == "true" || cell == "1") return 1;
      if (cell == "no" || cell == "false" || cell == "0") return 0;
      return std::nullopt;
    case AttributeKind::kCategorical:
      return attribute.index_of(cell);
    case AttributeKind::kRange:
      break;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  if (value < attribute.min() || value > attribute.max()) return std::nullopt;
  return static_cast<std::uint32_t>(value - attribute.min());
}

// Collects what libcsv calls back with; the first error ends the reading.
class Reader {
 public:
  explicit Reader(const Schema& schema) : schema_(schema) {}

  void field(std::string text) { row_.push_back(std::move(text)); }

  void end_of_row() {
    ++line_;
    if (!error_) line_ == 1 ? read_header() : read_record();
    row_.clear();
  }

  Result<std::vector<Record>> finish() && {
    if (error_) return *error_;
    if (records_.empty()) return Error{ErrorCode::kInvalidRecord, "the CSV has no record"};
    return std::move(records_);
  }

 private:
  void fail(const std::string& message) {
    error_ = Error{ErrorCode::kInvalidRecord, "CSV line " + std::to_string(line_) + ": " + message};
  }

  void read_header() {
    for (const std::string& name : row_) {
      const auto attribute = schema_.find(name);
      // Not quoted: without a header this would be a person's value.
      if (!attribute) {
        return fail("column " + std::to_string(columns_.size() + 1) + " names no attribute of the schema");
      }
      columns_.push_back(*attribute);
    }
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      if (std::count(columns_.begin(), columns_.end(), i) != 1) {
        return fail("attribute '" + schema_[i].name() + "' must have exactly one column");
      }
    }
  }

  void read_record() {
    if (row_.size() != columns_.size()) return fail("wrong number of fields");
    std::vector<std::uint32_t> values(columns_.size());
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const Attribute& attribute = schema_[columns_[i]];
      const auto index = value_index(attribute, row_[i]);
      if (!index) return fail("not a value of attribute '" + attribute.name() + "'");
      values[columns_[i]] = *index;
    }
    auto record = Record::create(schema_, std::move(values));
    if (!record) return fail(record.error().message);
    records_.push_back(*std::move(record));
  }

  const Schema& schema_;
  std::vector<Record> records_;
  std::vector<std::string> row_;
  std::vector<std::size_t> columns_;  // attribute of each column
  std::size_t line_ = 0;
  std::optional<Error> error_;
};

void on_field(void* text, std::size_t size, void* reader) {
  static_cast<Reader*>(reader)->field({static_cast<const char*>(text), size});
}

void on_row(int /*terminator*/, void* reader) { static_cast<Reader*>(reader)->end_of_row(); }

}  // namespace

Result<std::vector<Record>> read_records(const Schema& schema, std::string_view csv) {
  // Spreadsheets begin UTF-8 with a byte order mark.
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (csv.starts_with(kMark)) csv.remove_prefix(kMark.size());
  Reader reader(schema);
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
    return Error{ErrorCode::kInternal, "the CSV library cannot be initialised"};
  const std::unique_ptr<csv_parser, decltype(&csv_free)> cleanup(&parser, &csv_free);
  if (csv_parse(&parser, csv.data(), csv.size(), &on_field, &on_row, &reader) != csv.size()) {
    return Error{ErrorCode::kInvalidRecord, std::string("CSV: ") + csv_strerror(csv_error(&parser))};
  }
  if (csv_fini(&parser, &on_field, &on_row, &reader) != 0) {
    return Error{ErrorCode::kInvalidRecord, "CSV: the text ends inside a quoted field"};
  }
  return std::move(reader).finish();
}

}  // namespace hearsay::csv
