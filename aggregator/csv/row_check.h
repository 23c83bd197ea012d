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
    kFieldCount,      // more or fewer fields than the header
    kEmpty,           // no field has a text, so the row may be no person
    kRepeatedHeader,  // the header once more: two files were joined
    kBlankLine,       // a blank line in a file of one column could be an empty field
  };
  struct Fault {
    Kind kind;
    std::size_t line;
  };

  void start(std::vector<std::string> header) { header_ = std::move(header); }

  // Checks a row that begins in `line`. A blank line is a row without fields. Call this for every row below the header,
  // in order.
  std::optional<Fault> check(std::size_t line, const std::vector<std::string>& fields);

  // Says what a row must be like.
  std::string describe(Kind kind) const;

 private:
  std::vector<std::string> header_;
  std::size_t blank_line_ = 0;  // the latest, if no row has followed yet
};

}  // namespace hearsay::csv
