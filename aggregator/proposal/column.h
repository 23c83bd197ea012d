// The distinct texts of a column of a CSV file.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace hearsay::proposal {

struct DistinctText {
  std::string text;       // without white space at its ends
  std::size_t count = 0;  // rows
  std::size_t line = 0;   // of the first of them
};

class Column {
 public:
  Column(std::size_t number, std::string label) : number_(number), label_(std::move(label)) {}

  // Adds the text of a row. `missing`: the text means that there is none.
  void add(const std::string& text, std::size_t line, bool missing);

  std::size_t number() const { return number_; }  // from 1
  const std::string& label() const { return label_; }
  // The texts that mean something, in the order of their first rows.
  const std::vector<DistinctText>& texts() const { return texts_; }
  // The rows that have such a text, and those that have none.
  std::size_t present() const { return present_; }
  std::size_t missing() const { return missing_; }
  // The rows, of those that have none, whose text is empty.
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

// The text in small letters (ASCII), in which one space stands for each run of white space. Texts that are equal so are
// spellings of one category.
std::string folded(const std::string& text);

}  // namespace hearsay::proposal
