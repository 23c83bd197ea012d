// How the raw texts of one attribute are read.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "common/companion/day.h"
#include "common/companion/decimal.h"

namespace hearsay {

// The kinds of format.md. A kind finds the place of a value among those that numbers and dates can mean; a place
// outside lies beyond the ends.

struct TextsKind {
  std::optional<std::uint32_t> other;  // the index of the value that every further text means
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
  std::unordered_map<std::string, std::uint32_t> spellings;  // of `texts` and `missing`: raw text to index
  std::variant<TextsKind, StepsKind, BinsKind, DatesKind> kind;
  std::uint32_t first = 0;  // the indices that numbers and dates can mean
  std::uint32_t last = 0;
  bool clamp = false;

  // The index of the value that the text means.
  std::optional<std::uint32_t> index_from_text(std::string_view text) const;
};

// The text without the white space at its ends that does not count.
std::string_view trimmed(std::string_view text);

}  // namespace hearsay
