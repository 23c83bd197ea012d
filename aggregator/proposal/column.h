// Collects the distinct texts of a column of a CSV file.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace hearsay::proposal {

struct DistinctText {
  std::string text;       // without white space at its ends
  std::size_t count = 0;  // the number of rows with this text
  std::size_t line = 0;   // the line of the first such row
};

class Column {
 public:
  Column(std::size_t number, std::string label) : number_(number), label_(std::move(label)) {}

  // Adds the text of a row that begins in `line`. `missing` says that the text stands for a missing value.
  void add(const std::string& text, std::size_t line, bool missing);

  std::size_t number() const { return number_; }  // the first column is number 1
  const std::string& label() const { return label_; }
  // Returns the distinct texts that are values, in the order of their first rows.
  const std::vector<DistinctText>& texts() const { return texts_; }
  // present() returns how many rows have a value, missing() how many have none.
  std::size_t present() const { return present_; }
  std::size_t missing() const { return missing_; }
  // Returns how many of the rows without a value have an empty text.
  std::size_t empty() const { return empty_; }

 private:
  std::size_t number_;
  std::string label_;
  std::vector<DistinctText> texts_;
  std::unordered_map<std::string, std::size_t> index_;
  std::size_t present_ = 0;
  std::size_t missing_ = 0;
  std::size_t empty_ = 0;
};

// Returns the text with small letters in place of capital letters, and with one space for each run of white space.
// Texts with the same result count as spellings of one category.
std::string folded(const std::string& text);

}  // namespace hearsay::proposal
