#include "aggregator/cli/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace hearsay::aggregator {
namespace {

// Continuation bytes of UTF-8 take no column.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool looks_numeric(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.+-e[], %±") == std::string::npos;
}

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of("\",\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void append_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths, std::string& out) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += "  ";
    const std::string padding(widths[i] - columns(row[i]), ' ');
    line += looks_numeric(row[i]) ? padding + row[i] : row[i] + padding;
  }
  out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

}  // namespace

std::string Table::to_text() const {
  std::vector<std::size_t> widths(header.size());
  for (std::size_t i = 0; i < header.size(); ++i) {
    widths[i] = columns(header[i]);
    for (const auto& row : rows) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string text;
  append_row(header, widths, text);
  for (const auto& row : rows) append_row(row, widths, text);
  return text;
}

std::string Table::to_csv() const {
  std::string csv;
  const auto append = [&csv](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) csv += (i > 0 ? "," : "") + csv_cell(row[i]);
    csv += "\r\n";
  };
  append(header);
  for (const auto& row : rows) append(row);
  return csv;
}

std::string exact_number(double value) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string short_number(double value, int digits) {
  std::array<char, 48> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace hearsay::aggregator
