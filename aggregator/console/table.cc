#include "aggregator/console/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "aggregator/csv/fields.h"

namespace hearsay::console {
namespace {

// Continuation bytes of UTF-8 take no column.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool looks_numeric(const std::string& cell) { return cell.find_first_not_of("0123456789.,+-e") == std::string::npos; }

struct Column {
  std::size_t width;
  bool numeric;  // every cell is a number or empty
};

void append_row(const std::vector<std::string>& row, const std::vector<Column>& layout, std::string& out) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += "  ";
    const std::string padding(layout[i].width - columns(row[i]), ' ');
    line += layout[i].numeric ? padding + row[i] : row[i] + padding;
  }
  out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

}  // namespace

std::string Table::to_text() const {
  std::vector<Column> layout;
  for (std::size_t i = 0; i < header.size(); ++i) {
    Column column{columns(header[i]), !rows.empty()};
    for (const auto& row : rows) {
      column.width = std::max(column.width, columns(row[i]));
      column.numeric = column.numeric && looks_numeric(row[i]);
    }
    layout.push_back(column);
  }
  std::string text;
  append_row(header, layout, text);
  for (const auto& row : rows) append_row(row, layout, text);
  return text;
}

std::string Table::to_csv() const {
  std::string text = csv::write_fields(header) + "\r\n";
  for (const auto& row : rows) text += csv::write_fields(row) + "\r\n";
  return text;
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

}  // namespace hearsay::console
