// Bytes for which the sampler of discrete Laplace noise draws a wanted value.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/rational.h"
#include "common/privacy/laplace_cells.h"

namespace hearsay::tests {

// Digits of 32 bits that lead into cell i and are no more than it takes to tell: the middle of the cell where one digit
// can tell, otherwise, from where the cell begins, the first number that is surely in it.
inline std::vector<std::uint32_t> digits_of_cell(const LaplaceCells& cells, std::size_t i) {
  const auto compare = [&](const std::vector<std::uint32_t>& digits, std::size_t end) {
    return compare_digits(digits, 32, cells.end(end), cells.scale());
  };
  const auto inside = [&](const std::vector<std::uint32_t>& digits) {
    return (i == 0 || compare(digits, i - 1) == std::partial_ordering::greater) &&
           (i + 1 == cells.size() || compare(digits, i) == std::partial_ordering::less);
  };
  const std::uint64_t start = cells.start(i);
  const std::uint64_t end = i + 1 < cells.size() ? cells.start(i + 1) : std::uint64_t{1} << 32U;
  if (end - start > 4) return {static_cast<std::uint32_t>((start + end) / 2)};
  std::vector<std::uint32_t> digits;
  for (;;) {
    // The least digit that is not surely in front of the cell.
    std::uint64_t low = 0;
    std::uint64_t high = 0xffffffff;
    digits.push_back(0);
    while (i > 0 && low < high) {
      const std::uint64_t middle = (low + high) / 2;
      digits.back() = static_cast<std::uint32_t>(middle);
      if (compare(digits, i - 1) == std::partial_ordering::less) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (std::uint64_t digit = low; digit <= 0xffffffff && digit <= low + 2; ++digit) {
      digits.back() = static_cast<std::uint32_t>(digit);
      if (inside(digits)) return digits;
    }
    digits.back() = static_cast<std::uint32_t>(low);
  }
}

// Appends to `bytes` what makes DiscreteLaplace(scale)::sample() return y and stop. Users check that the sampler
// agrees.
inline void append_noise_script(const Rational& scale, std::int64_t y, std::vector<std::uint8_t>& bytes) {
  struct Known {
    LaplaceCells cells;
    std::map<std::size_t, std::vector<std::uint32_t>> digits;
  };
  static std::map<Rational, Known> all;
  Known& known = all.try_emplace(scale, Known{LaplaceCells(scale), {}}).first->second;
  const LaplaceCells& cells = known.cells;
  const auto append = [&bytes](std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  };
  const auto append_cell = [&](std::size_t i) {
    auto found = known.digits.find(i);
    if (found == known.digits.end()) found = known.digits.emplace(i, digits_of_cell(cells, i)).first;
    for (const std::uint32_t digit : found->second) append(digit, 4);
  };

  const auto magnitude = static_cast<std::uint64_t>(y < 0 ? -1 - y : y);
  std::uint64_t steps = magnitude >> cells.log2_step();
  std::size_t sign = y < 0 ? cells.steps() + 1 : 0;  // the sign's first cell
  for (; steps >= cells.steps(); steps -= cells.steps()) {
    append_cell(sign + cells.steps());
    sign = 0;  // that of further cells does not matter
  }
  append_cell(sign + steps);
  if (cells.log2_step() == 0) return;
  append(magnitude, (cells.log2_step() + 7) / 8);  // higher bits are not looked at
  append(0xffffffff, 4);                           // keeps every offset
}

}  // namespace hearsay::tests
