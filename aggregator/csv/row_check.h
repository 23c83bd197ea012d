// Checks that the rows below a header are rows of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hearsay::csv {

class RowCheck {
 public:
  // What is wrong with a row.
  enum class Kind : std::uint8_t {
    kFieldCount,      // not as many fields as the header
    kEmpty,           // no field has a text, so nobody knows whether the row is a person
    kRepeatedHeader,  // the header once more: two files, one behind the other
    kBlankLine,       // in a file of one column, a blank line among the rows could be an empty field
  };
  struct Fault {
    Kind kind;
    std::size_t line;
  };

  void start(std::vector<std::string> header) { header_ = std::move(header); }

  // Checks a row or a blank line, which has no fields, that begins in `line`. Call this for every row below the header,
  // in their order.
  std::optional<Fault> check(std::size_t line, const std::vector<std::string>& fields);

  // Says what a row must be.
  std::string describe(Kind kind) const;

 private:
  std::vector<std::string> header_;
  std::size_t blank_line_ = 0;  // the last one, if no row has followed
};

}  // namespace hearsay::csv
