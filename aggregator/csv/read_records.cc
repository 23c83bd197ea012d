#include "aggregator/csv/read_records.h"

#include <optional>
#include <string>
#include <utility>

#include "aggregator/csv/csv_text.h"
#include "aggregator/csv/header.h"
#include "aggregator/csv/labels.h"
#include "aggregator/csv/problems.h"
#include "aggregator/csv/row_check.h"
#include "aggregator/csv/rows.h"
#include "common/base/try.h"
#include "common/base/utf8.h"
#include "common/schema/names.h"
#include "common/schema/value_text.h"

namespace hearsay::csv {
namespace {

// Finds the columns and reads the cells, by the schema alone or by a companion document.
class Cells {
 public:
  Cells(const Schema& schema, const Companion* companion, bool ignore_unknown_columns)
      : schema_(schema), companion_(companion), ignore_unknown_columns_(ignore_unknown_columns) {}

  const Schema& schema() const { return schema_; }

  // Errors: kInvalidRecord.
  Result<std::vector<std::size_t>> columns_of(const std::vector<std::string>& header) const {
    if (companion_ != nullptr) return labelled_columns(*companion_, header);
    HEARSAY_TRY(const Columns attributes, read_header(schema_, header, ignore_unknown_columns_));
    std::vector<std::size_t> columns(schema_.size());
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (attributes[i]) columns[*attributes[i]] = i;
    }
    return columns;
  }

  std::optional<std::uint32_t> index_from_text(std::size_t attribute, std::string_view text) const {
    return companion_ != nullptr ? companion_->index_from_text(attribute, text)
                                 : value_from_text(schema_[attribute], text);
  }

  std::string describe(std::size_t attribute) const {
    if (companion_ == nullptr) {
      return "column " + shown_column(schema_[attribute]) + " must be " +
             accepted_values(schema_[attribute], kBooleanWords);
    }
    return "column " + in_quotes(companion_->column(attribute)) + " must be " + companion_->accepted_texts(attribute);
  }

 private:
  const Schema& schema_;
  const Companion* companion_;
  const bool ignore_unknown_columns_;
};

// Makes records from rows. A faulty header or quote ends the reading. The reader gathers faulty values for one message.
class Reader {
 public:
  Reader(const Cells& cells, std::string name) : cells_(cells), name_(std::move(name)) {}

  Result<std::vector<Record>> read(std::string_view text, char separator) {
    const auto fault = read_rows(
        text, separator, [this](std::size_t line, std::vector<std::string>& fields) { return take(line, fields); });
    if (error_) return *error_;
    if (fault && problems_.empty()) return Error{fault->code, name_ + fault->text()};
    if (fault) return Error{fault->code, name_ + ", " + problems() + fault->text().replace(0, 1, ";")};
    if (columns_.empty()) return error(" is empty; " + wanted_header(cells_.schema()));
    if (!problems_.empty()) return error(", " + problems());
    if (records_.empty()) return error(" has a header and no record");
    return std::move(records_);
  }

 private:
  bool take(std::size_t line, const std::vector<std::string>& fields) {
    if (columns_.empty() && !fields.empty()) return read_header_row(line, fields);
    if (const auto fault = rows_.check(line, fields)) {
      problems_.add(fault->line, cells_.schema().size() + static_cast<std::size_t>(fault->kind));
    } else if (!fields.empty() && !columns_.empty()) {
      read_record(line, fields);
    }
    return true;
  }

  bool read_header_row(std::size_t line, const std::vector<std::string>& header) {
    rows_.start(header);
    auto columns = cells_.columns_of(header);
    if (columns)
      columns_ = *std::move(columns);
    else
      error_ = error(", line " + std::to_string(line) + ": " + columns.error().message);
    return !error_;
  }

  void read_record(std::size_t line, const std::vector<std::string>& fields) {
    std::vector<std::uint32_t> values(columns_.size());
    bool good = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto index = cells_.index_from_text(i, fields[columns_[i]]);
      if (!index) problems_.add(line, i);
      good = good && index;
      values[i] = index.value_or(0);
    }
    if (!good || !problems_.empty()) return;
    records_.push_back(*Record::create(cells_.schema(), std::move(values)));  // cannot fail: each value is valid
  }

  // Describes a kind of problem. A number below the schema's size means an invalid value of this attribute. The numbers
  // from the schema's size on are the kinds of RowCheck.
  std::string describe(std::size_t kind) const {
    const std::size_t attributes = cells_.schema().size();
    return kind < attributes ? cells_.describe(kind) : rows_.describe(static_cast<RowCheck::Kind>(kind - attributes));
  }
  std::string problems() const {
    return problems_.text([this](std::size_t kind) { return describe(kind); });
  }
  Error error(const std::string& message) const { return {ErrorCode::kInvalidRecord, name_ + message}; }

  const Cells& cells_;
  const std::string name_;
  RowCheck rows_;
  std::vector<std::size_t> columns_;  // the column of each attribute; empty until the header is read
  std::vector<Record> records_;
  Problems problems_;
  std::optional<Error> error_;
};

// Returns an error if the fields of the first line that is not blank are separated by another character than the comma.
Result<void> check_separator(const Schema& schema, std::string_view csv, const std::string& name) {
  for (std::size_t line = 1; !csv.empty(); ++line) {
    const std::string_view text = first_line(csv);
    csv.remove_prefix(text.size());
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
    const auto separator = foreign_separator(schema, text);
    if (!separator) return {};
    return Error{
        ErrorCode::kInvalidRecord,
        name + ", line " + std::to_string(line) + ": " + std::string(*separator) +
            " separate the columns; save the file with commas, or give its companion document with --companion"};
  }
  return {};
}

}  // namespace

Result<std::vector<Record>> read_records(const Schema& schema, std::string_view csv, const CsvOptions& options) {
  if (const auto fault = find_text_fault(csv)) {
    return Error{ErrorCode::kInvalidRecord, options.name + ", " + *fault};
  }
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  HEARSAY_CHECK_OK(check_separator(schema, csv, options.name));
  return Reader(Cells(schema, nullptr, options.ignore_unknown_columns), options.name).read(csv, ',');
}

Result<std::vector<Record>> read_records(const Companion& companion, std::string_view bytes, const std::string& name) {
  HEARSAY_TRY(const CsvText csv, read_csv_text(bytes, companion.csv(), name));
  return Reader(Cells(companion.schema(), &companion, false), name).read(csv.text, csv.separator);
}

}  // namespace hearsay::csv
