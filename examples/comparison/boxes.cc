#include "examples/comparison/boxes.h"

#include <numeric>

namespace hearsay::examples {
namespace {

std::uint64_t intervals(std::uint64_t size) { return size * (size + 1) / 2; }

// Returns the interval with this number. The intervals are numbered row by row, size + 1 in a row. Row r first holds
// the intervals that start at size - 1 - r, then the intervals that start at r.
Boxes::Interval interval(std::uint64_t number, std::uint64_t size) {
  const std::uint64_t row = number / (size + 1);
  const std::uint64_t column = number % (size + 1);
  const std::uint64_t first = column > row ? row : size - 1 - row;
  const std::uint64_t last = column > row ? column - 1 : size - 1 - column;
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

}  // namespace

Boxes::Boxes(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)), count_(1) {
  for (const std::uint32_t size : sizes_) count_ *= intervals(size);
  --count_;
  stride_ = count_ * 5 / 8 + 1;
  while (std::gcd(stride_, count_) != 1) ++stride_;
}

std::vector<Boxes::Interval> Boxes::in_order(std::uint64_t number) const {
  std::vector<Interval> box;
  for (const std::uint64_t size : sizes_) {
    box.push_back(interval(number % intervals(size), size));
    number /= intervals(size);
  }
  return box;
}

std::vector<Boxes::Interval> Boxes::operator[](std::uint64_t number) const {
  std::uint64_t everybody = 0;
  std::uint64_t place = 1;
  for (const std::uint64_t size : sizes_) {
    everybody += place * size;  // interval number `size` holds all values
    place *= intervals(size);
  }
  const std::uint64_t scattered = number * stride_ % count_;
  return in_order(scattered < everybody ? scattered : scattered + 1);
}

}  // namespace hearsay::examples
