// Numbers all boxes on some ordered attributes, without making a list.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hearsay::examples {

// A box is one interval of values for each attribute. This class holds all boxes except the box that contains
// everybody. With one attribute, the boxes are the attribute's ranges.
class Boxes {
 public:
  // `sizes`: the number of values of each attribute. There may be at most 2^16 combinations of values.
  explicit Boxes(std::vector<std::uint32_t> sizes);

  using Interval = std::pair<std::uint32_t, std::uint32_t>;  // the first and the last value

  std::uint64_t count() const { return count_; }
  // Returns the box with this number, from 0 to count() - 1, as one interval for each attribute. Boxes with
  // neighbouring numbers have little in common, so the first boxes are like a sample of all boxes.
  std::vector<Interval> operator[](std::uint64_t number) const;

 private:
  std::vector<Interval> in_order(std::uint64_t number) const;

  std::vector<std::uint32_t> sizes_;
  std::uint64_t count_;
  std::uint64_t stride_;
};

}  // namespace hearsay::examples
