// Checks that the rows below a header fit the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hearsay::csv {

class RowCheck {
 public:
  // The faults that a row can have.
  enum class Kind : std::uint8_t {
    kFieldCount,      // more or fewer fields than the header
    kEmpty,           // all fields are empty, so the row may stand for nobody
    kRepeatedHeader,  // the header once more; perhaps two files were joined
    kBlankLine,       // a blank line between rows of one column; it could be an empty field
  };
  struct Fault {
    Kind kind;
    std::size_t line;
  };

  void start(std::vector<std::string> header) { header_ = std::move(header); }

  // Checks a row that begins in `line`. A blank line is a row without fields. Call check() for every row below the
  // header, in order.
  std::optional<Fault> check(std::size_t line, const std::vector<std::string>& fields);

  // Returns a text for messages, such as "a row must have 3 fields like the header".
  std::string describe(Kind kind) const;

 private:
  std::vector<std::string> header_;
  std::size_t blank_line_ = 0;  // the latest blank line; 0 once a row has followed it
};

}  // namespace hearsay::csv
