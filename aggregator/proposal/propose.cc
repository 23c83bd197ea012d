#include "aggregator/proposal/propose.h"

#include <algorithm>
#include <unordered_set>

#include "aggregator/csv/csv_text.h"
#include "aggregator/csv/labels.h"
#include "aggregator/csv/problems.h"
#include "aggregator/csv/read_records.h"
#include "aggregator/csv/row_check.h"
#include "aggregator/csv/rows.h"
#include "common/base/json_text.h"
#include "common/base/try.h"
#include "common/base/utf8.h"
#include "common/companion/rule.h"
#include "common/schema/names.h"

namespace hearsay::proposal {
namespace {

struct Table {
  std::vector<Column> columns;
  std::size_t rows = 0;
};

// Reads all rows. If rows do not fit the table, returns one error about all of them.
class TableReader {
 public:
  TableReader(const std::vector<std::string>& missing, std::string name)
      : missing_(missing.begin(), missing.end()), name_(std::move(name)) {}

  Result<Table> read(const csv::CsvText& csv) {
    const auto fault = csv::read_rows(
        csv.text, csv.separator,
        [this](std::size_t line, const std::vector<std::string>& fields) { return take(line, fields), true; });
    std::string problems;
    if (!problems_.empty()) {
      problems = ", " + problems_.text([this](std::size_t kind) {
        return rows_.describe(static_cast<csv::RowCheck::Kind>(kind));
      });
    }
    if (fault) problems += problems.empty() ? fault->text() : fault->text().replace(0, 1, ";");
    if (!problems.empty()) return Error{fault ? fault->code : ErrorCode::kInvalidRecord, name_ + problems};
    if (table_.columns.empty()) {
      return Error{ErrorCode::kInvalidRecord, name_ + " is empty; the first line must hold the columns' names"};
    }
    if (table_.rows == 0) return Error{ErrorCode::kInvalidRecord, name_ + " has a header and no row"};
    return std::move(table_);
  }

 private:
  void take(std::size_t line, const std::vector<std::string>& fields) {
    if (table_.columns.empty() && !fields.empty()) {
      rows_.start(fields);
      for (const std::string& label : csv::labels_of(fields))
        table_.columns.emplace_back(table_.columns.size() + 1, label);
      return;
    }
    if (const auto fault = rows_.check(line, fields)) {
      problems_.add(fault->line, static_cast<std::size_t>(fault->kind));
    }
    if (fields.empty() || !problems_.empty()) return;
    ++table_.rows;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string text(trimmed(fields[i]));
      table_.columns[i].add(text, line, missing_.contains(text));
    }
  }

  const std::unordered_set<std::string> missing_;
  const std::string name_;
  Table table_;
  csv::RowCheck rows_;
  csv::Problems problems_;
};

// Returns the decimal mark of most columns that fit only one mark. If there are no such columns, returns the mark that
// usually goes with the separator.
char decimal_mark_of(const std::vector<Column>& columns, char separator) {
  std::ptrdiff_t commas = 0;
  for (const Column& column : columns) {
    const bool point = style_of(column, '.').has_value();
    const bool comma = style_of(column, ',').has_value();
    if (point != comma) commas += comma ? 1 : -1;
  }
  if (commas != 0) return commas > 0 ? ',' : '.';
  return separator == ';' ? ',' : '.';
}

// If almost all texts of the column are numbers, returns the lines of the others, such as "; numbers, except in line
// 7".
std::string near_numbers(const Column& column, const GuessOptions& options) {
  constexpr std::size_t kMaxLines = 5;
  constexpr std::size_t kMostOf = 10;  // at most one text in ten may be something else
  std::vector<std::string> lines;
  for (const DistinctText& text : column.texts()) {
    if (!is_number(text.text, options.decimal_mark)) lines.push_back(std::to_string(text.line));
  }
  if (lines.empty() || lines.size() * kMostOf > column.texts().size()) return "";
  return std::string("; numbers, except in ") + (lines.size() == 1 ? "line " : "lines ") +
         csv::first_of(lines, kMaxLines, lines.size()) +
         (lines.size() == 1 ? "; --missing with the text of this line keeps the numbers"
                            : "; --missing with the text of each of these lines keeps the numbers");
}

// Returns true if the label looks like one of the column's texts. This is so if the label equals a text, if both are
// numbers (but the label is no year), or if both are days.
bool is_like_its_texts(const Column& column) {
  const std::string& label = column.label();
  const auto& texts = column.texts();
  if (texts.empty()) return false;
  const std::string text = folded(label);
  if (std::any_of(texts.begin(), texts.end(), [&](const DistinctText& one) { return folded(one.text) == text; })) {
    return true;
  }
  const bool year = label.size() == 4 && (label.starts_with("19") || label.starts_with("20"));
  Column alone(column.number(), label);
  alone.add(label, 1, false);
  for (const char mark : {'.', ','}) {
    if (!year && is_number(label, mark) && style_of(column, mark)) return true;
  }
  return guess_date(alone, {}) && guess_date(column, {});
}

bool is_number_or_day(const Column& column) {
  return style_of(column, '.') || style_of(column, ',') || guess_date(column, {});
}

// Returns kInvalidRecord if the first line looks like the rows below. Then the file may have no header, and the first
// person would be lost. Ignores a column of mostly different texts, such as names, if no row has the label. In such a
// column the first person's text would differ from all others, too.
Result<void> check_header(const std::vector<Column>& columns, const std::string& name) {
  std::size_t telling = 0;
  std::size_t alike = 0;
  std::size_t measured = 0;  // columns of numbers or days
  std::size_t measured_alike = 0;
  for (const Column& column : columns) {
    if (column.texts().empty()) continue;
    const bool is_like = is_like_its_texts(column);
    const bool is_measured = is_number_or_day(column);
    if (is_measured) ++measured;
    if (is_measured && is_like) ++measured_alike;
    if (is_like) ++alike;
    if (is_like || is_measured || column.texts().size() * 2 <= column.present()) ++telling;
  }
  const bool most = alike > 0 && alike * 2 >= telling;
  if (!most && (measured == 0 || measured_alike < measured)) return {};
  return Error{ErrorCode::kInvalidRecord, name +
                                              ", line 1: this may be a row, since its fields are like the fields "
                                              "below; the first line must hold the columns' names"};
}

bool contains(const std::vector<std::string>& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Outcome outcome_of(const Column& column, const ProposalOptions& options, const GuessOptions& guess) {
  if (contains(options.leave_out, column.label())) return LeftOut{"--leave-out says so"};
  if (column.label().size() > Companion::kMaxTextBytes) {
    return LeftOut{"its name has more than " + std::to_string(Companion::kMaxTextBytes) + " bytes"};
  }
  if (column.present() == 0) return LeftOut{"the column is empty in every row"};
  const bool keep = contains(options.keep, column.label());
  if (auto outcome = guess_boolean(column, guess)) return *outcome;
  if (auto outcome = guess_date(column, guess)) return *outcome;
  if (auto outcome = guess_number(column, guess, keep)) return *outcome;
  Outcome outcome = guess_category(column, guess, keep);
  std::visit([&](auto& of) { of.why += near_numbers(column, guess); }, outcome);
  return outcome;
}

// Returns the label if it can be an attribute's name, otherwise "column" and its number.
std::string name_of(const Column& column) {
  return check_name(column.label(), "") ? column.label() : "column " + std::to_string(column.number());
}

Result<void> check_labels(const std::vector<Column>& columns, const std::vector<std::string>& labels,
                          const std::string& flag) {
  for (const std::string& label : labels) {
    const bool known =
        std::any_of(columns.begin(), columns.end(), [&](const Column& column) { return column.label() == label; });
    if (!known) return Error{ErrorCode::kInvalidArgument, flag + ": no column has the label " + in_quotes(label)};
  }
  return {};
}

// Adds one column's element to the schema and its rule to the companion document.
void add_attribute(const Column& column, Guess guess, Json& schema, Json& rules) {
  const std::string name = name_of(column);
  guess.attribute["name"] = name;
  if (name != column.label()) guess.attribute["title"] = beginning_of(column.label(), Attribute::kMaxTitleBytes);
  guess.rule["attribute"] = name;
  guess.rule["column"] = column.label();
  schema.push_back(std::move(guess.attribute));
  rules.push_back(std::move(guess.rule));
}

Json layout_json(const CsvLayout& layout, char separator) {
  Json csv{{"separator", std::string(1, separator)}};
  if (!layout.encoding.empty()) csv["encoding"] = layout.encoding;
  return csv;
}

std::string lines_of(const Json& array, std::size_t indent) {
  std::string text = "[";
  for (const Json& element : array) {
    text += (text.size() > 1 ? ",\n" : "\n") + std::string(indent, ' ') + json_text(element);
  }
  return text + '\n' + std::string(indent - 2, ' ') + ']';
}

// Returns the companion document with one attribute in each line, so that people can edit it.
std::string document_of(const Json& layout, const Json& rules) {
  return "{\n  \"version\": 1,\n  \"csv\": " + json_text(layout) + ",\n  \"attributes\": " + lines_of(rules, 4) + "\n}";
}

// Returns the error that no column can be an attribute. The error names columns by their numbers, since the first line
// may have a person's texts.
Error no_attribute(const std::string& name, const std::vector<Decision>& decisions) {
  constexpr std::size_t kMaxShown = 8;
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    reasons.push_back("column " + std::to_string(i + 1) + ": " + decisions[i].why);
  }
  return {ErrorCode::kInvalidArgument, name + ": no column can be an attribute; --keep COLUMN keeps a column anyway. " +
                                           csv::first_of(reasons, kMaxShown, reasons.size())};
}

}  // namespace

Result<Proposal> propose(std::string_view bytes, const ProposalOptions& options, const std::string& name) {
  HEARSAY_TRY(const csv::CsvText csv, csv::read_csv_text(bytes, options.layout, name));
  HEARSAY_TRY(const Table table, TableReader(options.guess.missing, name).read(csv));
  HEARSAY_CHECK_OK(check_header(table.columns, name));
  HEARSAY_CHECK_OK(check_labels(table.columns, options.leave_out, "--leave-out"));
  HEARSAY_CHECK_OK(check_labels(table.columns, options.keep, "--keep"));
  GuessOptions guess = options.guess;
  guess.only_that_mark = options.decimal_mark.has_value();
  guess.decimal_mark = options.decimal_mark.value_or(decimal_mark_of(table.columns, csv.separator));

  Json schema_json = Json::array();
  Json rules = Json::array();
  std::vector<Decision> decisions;
  for (const Column& column : table.columns) {
    Outcome outcome = outcome_of(column, options, guess);
    if (auto* left_out = std::get_if<LeftOut>(&outcome)) {
      decisions.push_back({column.label(), "", "left out", left_out->why});
      continue;
    }
    auto& found = std::get<Guess>(outcome);
    decisions.push_back({column.label(), name_of(column), found.what, found.why});
    add_attribute(column, std::move(found), schema_json, rules);
  }
  if (rules.empty()) return no_attribute(name, decisions);
  HEARSAY_TRY(const Schema schema, Schema::parse(json_text(schema_json)));
  const std::string document = document_of(layout_json(options.layout, csv.separator), rules);
  HEARSAY_TRY(Companion companion, Companion::parse(schema, document));
  // Makes sure that the companion document reads every row. Otherwise a later use of the document would lose rows.
  HEARSAY_TRY(const auto records, csv::read_records(companion, bytes, name));
  if (records.size() != table.rows) return Error{ErrorCode::kInternal, name + ": the proposal does not read every row"};
  return Proposal{schema,     std::move(companion), lines_of(schema_json, 2), document, std::move(decisions),
                  table.rows, csv.separator};
}

}  // namespace hearsay::proposal
