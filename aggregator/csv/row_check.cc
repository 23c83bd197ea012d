#include "aggregator/csv/row_check.h"

#include <algorithm>
#include <utility>

namespace hearsay::csv {

std::optional<RowCheck::Fault> RowCheck::check(std::size_t line, const std::vector<std::string>& fields) {
  if (header_.empty()) return std::nullopt;
  if (fields.empty()) {
    blank_line_ = line;
    return std::nullopt;
  }
  const std::size_t blank = std::exchange(blank_line_, 0);
  if (fields.size() != header_.size()) return Fault{Kind::kFieldCount, line};
  if (header_.size() == 1 && blank != 0) return Fault{Kind::kBlankLine, blank};
  if (fields.size() == 1) return std::nullopt;
  if (fields == header_) return Fault{Kind::kRepeatedHeader, line};
  const bool empty = std::all_of(fields.begin(), fields.end(), [](const std::string& text) { return text.empty(); });
  if (empty) return Fault{Kind::kEmpty, line};
  return std::nullopt;
}

std::string RowCheck::describe(Kind kind) const {
  switch (kind) {
    case Kind::kFieldCount:
      return "a row must have " + std::to_string(header_.size()) + " fields like the header";
    case Kind::kEmpty:
      return "a row must have a text in some field; delete the row if no person belongs to it";
    case Kind::kRepeatedHeader:
      return "the header stands here once more; delete this line";
    case Kind::kBlankLine:
      break;
  }
  return "a blank line may be a row without a text, or no row; write \"\" if the line is a row, or delete the line";
}

}  // namespace hearsay::csv
