#include "aggregator/csv/rows.h"

#include <csv.h>

#include <memory>

namespace hearsay::csv {
namespace {

// Collects the fields that libcsv passes to its callbacks. Gives libcsv one line at a time, because libcsv does not
// count lines.
class RowReader {
 public:
  RowReader(char separator, const TakeRow& take) : separator_(separator), take_(take) {}

  std::optional<RowFault> read(std::string_view text) {
    csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) return internal("the CSV library cannot be initialised");
    const std::unique_ptr<csv_parser, decltype(&csv_free)> cleanup(&parser, &csv_free);
    csv_set_delim(&parser, static_cast<unsigned char>(separator_));
    csv_set_blk_size(&parser, std::size_t{1} << 14U);  // the bytes by which a field's buffer grows
    for (line_ = 1; !text.empty() && !stopped_; ++line_) {
      const std::string_view line = first_line(text);
      text.remove_prefix(line.size());
      if (!in_row_ && is_blank(line)) {
        row_line_ = line_;
        end_of_row();
        continue;
      }
      if (!in_row_) row_line_ = line_;
      in_row_ = true;
      if (csv_parse(&parser, line.data(), line.size(), &on_field, &on_row, this) != line.size()) {
        return csv_error(&parser) == CSV_EPARSE ? stray_quote() : internal("out of memory");
      }
    }
    if (!stopped_ && csv_fini(&parser, &on_field, &on_row, this) != 0) {
      return RowFault{ErrorCode::kInvalidRecord, row_line_, in_field() + "the quote of a field is never closed"};
    }
    return fault_;
  }

 private:
  static void on_field(void* text, std::size_t size, void* reader) {
    static_cast<RowReader*>(reader)->add_field({static_cast<const char*>(text), size});
  }
  static void on_row(int /*terminator*/, void* reader) { static_cast<RowReader*>(reader)->end_of_row(); }

  // Keeps one field more than the first row has, so that the caller sees that the row is too long. If the text were all
  // separators, keeping every field would take many times the text's size in memory.
  void add_field(std::string_view text) {
    if (row_.size() <= most_) row_.emplace_back(text);
  }

  void end_of_row() {
    in_row_ = false;
    if (stopped_) return;
    const bool first = most_ == kMaxColumns && !row_.empty();
    if (first && row_.size() > kMaxColumns) {
      fault_ = RowFault{ErrorCode::kInvalidRecord, row_line_, "more than " + std::to_string(kMaxColumns) + " columns"};
      stopped_ = true;
      return;
    }
    if (first) most_ = row_.size();
    stopped_ = !take_(row_line_, row_);
    row_.clear();
  }

  bool is_blank(std::string_view line) const {
    return line.find_first_not_of(separator_ == '\t' ? " \r\n" : " \t\r\n") == std::string_view::npos;
  }

  std::string in_field() const { return "field " + std::to_string(row_.size() + 1) + ": "; }

  RowFault internal(const std::string& message) const { return {ErrorCode::kInternal, line_, message}; }

  RowFault stray_quote() const {
    std::string message =
        in_field() + "a quote must be the first and last character of its field, and be doubled within the field";
    if (line_ != row_line_) message += "; the row began in line " + std::to_string(row_line_);
    return {ErrorCode::kInvalidRecord, line_, message};
  }

  const char separator_;
  const TakeRow& take_;
  std::size_t most_ = kMaxColumns;  // the number of fields of the first row, once it is known
  std::vector<std::string> row_;
  std::size_t line_ = 0;
  std::size_t row_line_ = 0;
  bool in_row_ = false;
  bool stopped_ = false;
  std::optional<RowFault> fault_;
};

}  // namespace

std::optional<RowFault> read_rows(std::string_view text, char separator, const TakeRow& take) {
  return RowReader(separator, take).read(text);
}

std::string_view first_line(std::string_view text) {
  std::size_t end = text.find_first_of("\r\n");
  if (end == std::string_view::npos) return text;
  if (text.substr(end).starts_with("\r\n")) ++end;
  return text.substr(0, end + 1);
}

}  // namespace hearsay::csv
