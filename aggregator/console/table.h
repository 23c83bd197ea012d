// Lays out tables for people and for spreadsheets.
#pragma once

#include <string>
#include <vector>

namespace hearsay::console {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each row has one cell for each header

  // Returns the table as text. Each column is padded to the width of its widest cell. Columns of numbers are aligned to
  // the right.
  std::string to_text() const;
  // Returns the table as CSV (RFC 4180).
  std::string to_csv() const;
};

// Returns the shortest text that reads back as the same double.
std::string exact_number(double value);
// Returns a number for people, with at most `digits` significant digits.
std::string short_number(double value, int digits = 4);

}  // namespace hearsay::console
