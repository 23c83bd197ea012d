#include <csv.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <optional>

#include "examples/population/population.h"

namespace hearsay::examples {
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
  explicit Reader(const Schema& schema) : population_{schema, {}} {}

  void field(std::string text) { row_.push_back(std::move(text)); }

  void end_of_row() {
    ++line_;
    if (!error_) line_ == 1 ? read_header() : read_record();
    row_.clear();
  }

  Result<Population> finish() && {
    if (error_) return *error_;
    if (population_.records.empty()) return Error{ErrorCode::kInvalidRecord, "the CSV file has no record"};
    return std::move(population_);
  }

 private:
  void fail(const std::string& message) {
    error_ = Error{ErrorCode::kInvalidRecord, "CSV line " + std::to_string(line_) + ": " + message};
  }

  void read_header() {
    for (const std::string& name : row_) {
      const auto attribute = population_.schema.find(name);
      // Not quoted: without a header this would be a person's value.
      if (!attribute)
        return fail("column " + std::to_string(columns_.size() + 1) + " names no attribute of the schema");
      columns_.push_back(*attribute);
    }
    for (std::size_t i = 0; i < population_.schema.size(); ++i) {
      if (std::count(columns_.begin(), columns_.end(), i) != 1) {
        return fail("attribute '" + population_.schema[i].name() + "' must have exactly one column");
      }
    }
  }

  void read_record() {
    if (row_.size() != columns_.size()) return fail("wrong number of fields");
    std::vector<std::uint32_t> values(columns_.size());
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const Attribute& attribute = population_.schema[columns_[i]];
      const auto index = value_index(attribute, row_[i]);
      if (!index) return fail("not a value of attribute '" + attribute.name() + "'");
      values[columns_[i]] = *index;
    }
    auto record = Record::create(population_.schema, std::move(values));
    if (!record) return fail(record.error().message);
    population_.records.push_back(*std::move(record));
  }

  Population population_;
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

Result<Population> read_csv(const Schema& schema, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::kIo, "cannot read '" + path + "'"};
  Reader reader(schema);
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT) != 0) return Error{ErrorCode::kInternal, "the CSV library cannot be initialised"};
  const std::unique_ptr<csv_parser, decltype(&csv_free)> cleanup(&parser, &csv_free);
  std::vector<char> buffer(1U << 16U);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
    const auto got = static_cast<std::size_t>(in.gcount());
    if (csv_parse(&parser, buffer.data(), got, &on_field, &on_row, &reader) != got) {
      return Error{ErrorCode::kInvalidRecord, std::string("CSV: ") + csv_strerror(csv_error(&parser))};
    }
  }
  if (csv_fini(&parser, &on_field, &on_row, &reader) != 0) {
    return Error{ErrorCode::kInvalidRecord, "CSV: the file ends inside a quoted field"};
  }
  return std::move(reader).finish();
}

}  // namespace hearsay::examples
