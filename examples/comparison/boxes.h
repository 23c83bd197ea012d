// All boxes on some ordered attributes, without a list of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hearsay::examples {

// The products of one interval of values an attribute, but for the one that holds everybody. On one attribute these are
// its ranges.
class Boxes {
 public:
  // The attributes' numbers of values. At most 2^16 combinations of values.
  explicit Boxes(std::vector<std::uint32_t> sizes);

  using Interval = std::pair<std::uint32_t, std::uint32_t>;  // the first and the last value

  std::uint64_t count() const { return count_; }
  // An interval an attribute. Boxes of neighbouring numbers, from 0 to count() - 1, have little in common: the first
  // of them are a sample of all.
  std::vector<Interval> operator[](std::uint64_t number) const;

 private:
  std::vector<Interval> in_order(std::uint64_t number) const;

  std::vector<std::uint32_t> sizes_;
  std::uint64_t count_;
  std::uint64_t stride_;
};

}  // namespace hearsay::examples
