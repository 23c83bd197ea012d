// The rule by which raw texts of one attribute are read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/companion/day.h"
#include "common/companion/decimal.h"

namespace hearsay {

// The structs below are the kinds that format.md describes. A kind maps a text to a place among the values that numbers
// and dates can mean. A place outside of these values stands for a number or date beyond the ends.

struct TextsKind {
  // The index of the value that all texts without another meaning have.
  std::optional<std::uint32_t> other;
};

struct StepsKind {
  NumberStyle style;
  Decimal step;
  bool whole = false;      // `integer`: only whole numbers, and the step is 1
  std::int64_t first = 0;  // the number of steps that the first value stands for
};

struct BinsKind {
  NumberStyle style;
  std::vector<Decimal> edges;
};

struct DatesKind {
  DateOrder order = DateOrder::kYearMonthDay;
  std::vector<std::chrono::sys_days> edges;
};

struct Rule {
  std::string column;
  // Maps each raw text under the document's keys `texts` and `missing` to an index. Not a hash table, since a
  // stranger's document could make a hash table slow.
  std::map<std::string, std::uint32_t, std::less<>> spellings;
  std::variant<TextsKind, StepsKind, BinsKind, DatesKind> kind;
  // The indices that numbers and dates can mean.
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool clamp = false;

  // Returns the index of the value that the text means. Returns nothing if the text means no value.
  std::optional<std::uint32_t> index_from_text(std::string_view text) const;
};

// Returns the text without the white space at its ends that format.md ignores.
std::string_view trimmed(std::string_view text);

}  // namespace hearsay
