#include "aggregator/csv/read_records.h"

#include <csv.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "aggregator/csv/header.h"
#include "aggregator/csv/problems.h"
#include "common/base/try.h"
#include "common/base/utf8.h"
#include "common/schema/value_text.h"

namespace hearsay::csv {
namespace {

constexpr std::size_t kMaxColumns = 1U << 16U;

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// The line at the beginning of the text, with its end: LF, CRLF or CR.
std::string_view first_line(std::string_view text) {
  std::size_t end = text.find_first_of("\r\n");
  if (end == std::string_view::npos) return text;
  if (text.substr(end).starts_with("\r\n")) ++end;
  return text.substr(0, end + 1);
}

// Collects what libcsv calls back with. A faulty header or quote ends the reading, faulty values do not.
class Reader {
 public:
  Reader(const Schema& schema, const CsvOptions& options) : schema_(schema), options_(options) {}

  // The rest of the text is fed line by line; libcsv counts no lines.
  Result<std::vector<Record>> read(std::string_view csv, csv_parser& parser) {
    csv_set_blk_size(&parser, std::size_t{1} << 14U);  // by which the buffer of a field grows
    for (std::size_t line = 1; !csv.empty(); ++line) {
      const std::string_view text = first_line(csv);
      csv.remove_prefix(text.size());
      if (!in_row_ && is_blank(text)) continue;
      if (!in_row_) row_line_ = line;
      if (!columns_) HEARSAY_CHECK_OK(check_separator(text));
      in_row_ = true;
      if (csv_parse(&parser, text.data(), text.size(), &on_field, &on_row, this) != text.size()) {
        return stopped(line, csv_error(&parser));
      }
      if (error_) return *error_;
    }
    if (csv_fini(&parser, &on_field, &on_row, this) != 0) {
      return last_problem(row_line_, "the quote of a field is never closed");
    }
    if (error_) return *error_;
    return finish();
  }

 private:
  static void on_field(void* text, std::size_t size, void* reader) {
    static_cast<Reader*>(reader)->add_field({static_cast<const char*>(text), size});
  }
  static void on_row(int /*terminator*/, void* reader) { static_cast<Reader*>(reader)->end_of_row(); }

  // One field too many is kept to be seen; more would let a text of separators take thirty times its size in memory.
  void add_field(std::string_view text) {
    const std::size_t most = columns_ ? columns_->size() : kMaxColumns;
    if (row_.size() <= most) row_.emplace_back(text);
  }

  void end_of_row() {
    in_row_ = false;
    if (columns_) {
      read_record();
    } else if (row_.size() > kMaxColumns) {
      error_ = in_line(row_line_, "more than " + std::to_string(kMaxColumns) + " columns");
    } else {
      auto columns = read_header(schema_, row_, options_.ignore_unknown_columns);
      if (columns) columns_ = *std::move(columns);
      else error_ = in_line(row_line_, columns.error().message);
    }
    row_.clear();
  }

  void read_record() {
    if (row_.size() != columns_->size()) return problems_.add(row_line_, field_count());
    std::vector<std::uint32_t> values(schema_.size());
    bool good = true;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const auto attribute = (*columns_)[i];
      if (!attribute) continue;
      const auto index = value_from_text(schema_[*attribute], row_[i]);
      if (!index) problems_.add(row_line_, *attribute);
      good = good && index;
      values[*attribute] = index.value_or(0);
    }
    if (!good || !problems_.empty()) return;
    records_.push_back(*Record::create(schema_, std::move(values)));  // each index is one of its attribute
  }

  // The kinds of problems: the attribute that has no such value, or this.
  std::size_t field_count() const { return schema_.size(); }
  std::string describe(std::size_t kind) const {
    if (kind == field_count()) return "a row must have " + std::to_string(columns_->size()) + " fields like the header";
    return "column " + shown_column(schema_[kind]) + " must be " + accepted_values(schema_[kind], kBooleanWords);
  }
  std::string problems() const {
    return problems_.text([this](std::size_t kind) { return describe(kind); });
  }

  Error error(const std::string& message) const { return {ErrorCode::kInvalidRecord, options_.name + message}; }
  Error in_line(std::size_t line, const std::string& message) const {
    return error(", line " + std::to_string(line) + ": " + message);
  }

  Result<void> check_separator(std::string_view header) const {
    if (const auto separator = foreign_separator(schema_, header)) {
      return in_line(row_line_, std::string(*separator) + " separate the columns; commas must");
    }
    return {};
  }

  // libcsv gave up in this line.
  Error stopped(std::size_t line, int cause) const {
    if (cause != CSV_EPARSE) return {ErrorCode::kInternal, options_.name + ": out of memory"};
    std::string message = "a quote must be the first and last character of its field, and be doubled within the field";
    if (line != row_line_) message += "; the row began in line " + std::to_string(row_line_);
    return last_problem(line, message);
  }
  Error last_problem(std::size_t line, const std::string& message) const {
    if (problems_.empty()) return in_line(line, message);
    return error(", " + problems() + "; line " + std::to_string(line) + ": " + message);
  }

  Result<std::vector<Record>> finish() {
    if (!columns_) return error(" is empty; " + wanted_header(schema_));
    if (!problems_.empty()) return error(", " + problems());
    if (records_.empty()) return error(" has a header and no record");
    return std::move(records_);
  }

  const Schema& schema_;
  const CsvOptions& options_;
  std::optional<Columns> columns_;  // once the header is read
  std::vector<Record> records_;
  Problems problems_;
  std::vector<std::string> row_;
  std::size_t row_line_ = 0;  // where the row begins
  bool in_row_ = false;
  std::optional<Error> error_;  // of the header
};

}  // namespace

Result<std::vector<Record>> read_records(const Schema& schema, std::string_view csv, const CsvOptions& options) {
  if (const auto fault = find_text_fault(csv)) {
    return Error{ErrorCode::kInvalidRecord, options.name + ", " + *fault};
  }
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
    return Error{ErrorCode::kInternal, "the CSV library cannot be initialised"};
  const std::unique_ptr<csv_parser, decltype(&csv_free)> cleanup(&parser, &csv_free);
  return Reader(schema, options).read(csv, parser);
}

}  // namespace hearsay::csv
