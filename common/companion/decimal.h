// Reads decimal numbers from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/int128.h"

namespace hearsay {

// How a number is written.
struct NumberStyle {
  char decimal_mark = '.';
  std::optional<char> grouping;  // ',', '.', '\'' or ' '
};

// Holds a number x as ⌊x·10^18⌋. A comparison with a number y of at most 18 decimals is exact: x ≥ y if and only if
// x.scaled ≥ y.scaled. Numbers beyond ±10^18 become ±10^18.
struct Decimal {
  static constexpr int kPlaces = 18;
  static constexpr Int128 kOne = 1'000'000'000'000'000'000;

  Int128 scaled = 0;
  bool exact = true;  // true if no digit was cut off and the number is within ±10^18
  // True for whole numbers: behind the decimal mark there are only zeros, or nothing.
  bool whole = true;

  // Returns ⌊this / step⌋, exactly if `step` is exact and positive.
  Int128 steps(const Decimal& step) const;
};

// Reads a number as format.md says. Returns nothing if the text is no number. Time: linear in the text.
std::optional<Decimal> decimal_from_text(std::string_view text, const NumberStyle& style = {});

}  // namespace hearsay
