// The rule that says which raw text means which value of one attribute.
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

// The structs below are the kinds that format.md describes. A kind maps a number or date to a place among the values
// from Rule::first to Rule::last. A place outside of these values stands for a number or date beyond the ends.

struct TextsKind {
  // The index of the value that every other non-empty text means.
  std::optional<std::uint32_t> other;
};

struct StepsKind {
  NumberStyle style;
  Decimal step;
  bool whole = false;      // `integer`: only whole numbers, and the step is 1
  std::int64_t first = 0;  // the first value means the numbers from first·step on
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
  // Numbers and dates mean the value indices from `first` to `last`.
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool clamp = false;

  // Returns the index of the value that the text means. Returns nothing if the text means no value.
  std::optional<std::uint32_t> index_from_text(std::string_view text) const;
};

// Returns the text without the white space at its ends that format.md ignores.
std::string_view trimmed(std::string_view text);

}  // namespace hearsay
