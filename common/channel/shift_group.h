// Subtracts records, so that the channel `strategy` can shift a row of probabilities by a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/channel/public_division.h"

namespace hearsay {

// The records of a universe as an algebraic group: records are subtracted attribute by attribute, modulo the
// attribute's number of values. Records are given by their numbers, in the order in which the last attribute changes
// fastest.
class ShiftGroup {
 public:
  // `values` has the number of values of each attribute, at least 2. The product of these numbers is at most 2^21.
  explicit ShiftGroup(std::vector<std::uint32_t> values) : values_(std::move(values)) {
    for (const std::uint32_t count : values_) size_ *= count;
  }

  const std::vector<std::uint32_t>& values() const { return values_; }
  std::uint32_t size() const { return size_; }  // the number of records

  // Returns the number of the record x - z. Neither the time nor the addresses depend on x or z, since both may be
  // secret.
  std::uint32_t difference(std::uint32_t x, std::uint32_t z) const {
    std::uint32_t number = 0;
    std::uint32_t place = 1;
    for (std::size_t i = values_.size(); i-- > 0;) {
      const Quotient of_x = divide_by_public(x, values_[i]);
      const Quotient of_z = divide_by_public(z, values_[i]);
      const std::uint32_t difference = of_x.remainder - of_z.remainder;
      const std::uint32_t is_negative = difference >> 31U;
      number += (difference + values_[i] * is_negative) * place;
      place *= values_[i];
      x = static_cast<std::uint32_t>(of_x.quotient);
      z = static_cast<std::uint32_t>(of_z.quotient);
    }
    return number;
  }

 private:
  std::vector<std::uint32_t> values_;
  std::uint32_t size_ = 1;
};

}  // namespace hearsay
