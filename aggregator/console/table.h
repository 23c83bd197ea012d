// Tables for people and for spreadsheets.
#pragma once

#include <string>
#include <vector>

namespace hearsay::console {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header

  // Columns padded to their widest cell; those of numbers to the right.
  std::string to_text() const;
  // RFC 4180.
  std::string to_csv() const;
};

// Shortest text that reads back as the same double.
std::string exact_number(double value);
// For people: `digits` significant digits.
std::string short_number(double value, int digits = 4);

}  // namespace hearsay::console
