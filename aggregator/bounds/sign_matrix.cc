#include "aggregator/bounds/sign_matrix.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/base/number_text.h"

namespace hearsay::bounds {
namespace {

Error at_line(std::size_t line, const std::string& what) {
  return {ErrorCode::kInvalidArgument, "line " + std::to_string(line) + ": " + what};
}

bool separates(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

bool append_entries(std::string_view line, std::vector<std::int8_t>& entries) {
  for (std::size_t i = 0; i < line.size();) {
    if (separates(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && !separates(line[end])) ++end;
    const std::string_view word = line.substr(i, end - i);
    if (word != "1" && word != "+1" && word != "-1") return false;
    entries.push_back(word == "-1" ? -1 : 1);
    i = end;
  }
  return true;
}

}  // namespace

Result<SignMatrix> SignMatrix::create(std::size_t rows, std::size_t columns, std::vector<std::int8_t> entries) {
  if (rows == 0 || columns == 0)
    return Error{ErrorCode::kInvalidArgument, "a sign matrix must have at least one row and one column"};
  if (rows > kMaxEntries / columns || std::min(rows, columns) > kMaxSide) {
    return Error{ErrorCode::kLimitExceeded,
                 "the matrix of " + counted(rows, "record") + " and " + with_separators(columns) +
                     " queries is too large: a matrix may have " + with_separators(kMaxEntries) +
                     " entries, and on its smaller side at most " + with_separators(kMaxSide)};
  }
  if (entries.size() != rows * columns) {
    return Error{ErrorCode::kInvalidArgument,
                 "the number of entries must be the number of rows times the number of columns"};
  }
  if (std::any_of(entries.begin(), entries.end(), [](std::int8_t entry) { return entry != 1 && entry != -1; })) {
    return Error{ErrorCode::kInvalidArgument, "an entry of a sign matrix must be 1 or -1"};
  }
  return SignMatrix(rows, columns, std::move(entries));
}

Result<SignMatrix> SignMatrix::parse(std::string_view text) {
  std::vector<std::int8_t> entries;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('#')) continue;
    const std::size_t before = entries.size();
    if (!append_entries(line, entries)) return at_line(line_number, "an entry is neither 1 nor -1");
    const std::size_t length = entries.size() - before;
    if (length == 0) continue;
    if (rows == 0) columns = length;
    if (length != columns) {
      return at_line(line_number, "the row has " + std::to_string(length) + " entries, and the first row has " +
                                      std::to_string(columns));
    }
    ++rows;
    if (entries.size() > kMaxEntries) break;  // create() refuses so many entries
  }
  return create(rows, columns, std::move(entries));
}

std::size_t SignMatrix::satisfying(std::size_t column) const {
  std::size_t count = 0;
  for (std::size_t row = 0; row < rows_; ++row) count += (*this)(row, column) == 1 ? 1 : 0;
  return count;
}

double SignMatrix::imbalance(std::size_t column) const {
  return std::abs(2 * static_cast<double>(satisfying(column)) / static_cast<double>(rows_) - 1);
}

std::vector<std::size_t> SignMatrix::almost_balanced(double most) const {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < columns_; ++column) {
    if (imbalance(column) <= most) columns.push_back(column);
  }
  return columns;
}

SignMatrix SignMatrix::with_columns(const std::vector<std::size_t>& columns) const {
  std::vector<std::int8_t> entries;
  entries.reserve(rows_ * columns.size());
  for (std::size_t row = 0; row < rows_; ++row) {
    for (const std::size_t column : columns) entries.push_back(static_cast<std::int8_t>((*this)(row, column)));
  }
  return {rows_, columns.size(), std::move(entries)};
}

}  // namespace hearsay::bounds
