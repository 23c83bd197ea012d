#include "aggregator/cli/layout.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "aggregator/console/terminal.h"
#include "common/base/number_text.h"

namespace hearsay::cli {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }  // UTF-8

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// Returns how many bytes the first `characters` characters take.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    if (!starts_character(text[bytes])) continue;
    if (characters == 0) break;
    --characters;
  }
  return bytes;
}

std::vector<std::string_view> words_of(std::string_view text, std::size_t columns) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    for (std::string_view word = text.substr(0, end); !word.empty();) {
      const std::size_t piece = bytes_of(word, columns);
      words.push_back(word.substr(0, piece));
      word.remove_prefix(piece);
    }
    text.remove_prefix(end);
  }
  return words;
}

}  // namespace

std::size_t line_columns() {
  constexpr std::size_t kLeast = 40;
  return std::clamp(console::terminal_columns(STDOUT_FILENO).value_or(kColumns), kLeast, kColumns);
}

std::string shortened(std::string_view text, std::size_t columns) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  if (columns_of(line) <= columns) return line;
  line.resize(bytes_of(line, columns - 1));
  return line + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  for (const std::string_view word : words_of(text, columns)) {
    const std::size_t used = columns_of(lines.back());
    if (used > 0 && used + 1 + columns_of(word) > columns) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string paragraph(std::string_view text) {
  std::string lines;
  for (const std::string& line : wrapped(text, line_columns())) lines += line + '\n';
  return lines;
}

std::string to_text(const console::Table& table) {
  const std::size_t last = table.header.size() - 1;
  std::size_t left = line_columns();
  for (std::size_t i = 0; i < last; ++i) {
    std::size_t width = columns_of(table.header[i]);
    for (const auto& row : table.rows) width = std::max(width, columns_of(row[i]));
    left -= std::min(left, width + 2);
  }
  console::Table narrow{table.header, {}};
  for (const auto& row : table.rows) {
    std::vector<std::string> cells = row;
    for (std::string& line : wrapped(row[last], std::max<std::size_t>(left, 20))) {
      cells[last] = std::move(line);
      narrow.rows.push_back(cells);
      std::fill(cells.begin(), cells.end(), "");
    }
  }
  return narrow.to_text();
}

std::string times_text(double ratio) {
  constexpr double kMostWhole = 0x1p53;
  if (ratio < 1000 || ratio > kMostWhole) return console::short_number(ratio);
  return with_separators(static_cast<std::uint64_t>(std::round(ratio)));
}

std::string shell_quoted(const std::string& argument) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:=@%+,").find(c) != std::string_view::npos;
  };
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), plain)) return argument;
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace hearsay::cli
