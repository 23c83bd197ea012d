// All multisets of m elements of a domain, each with a number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::central {

// How often each element occurs in a synthetic database.
using Counts = std::vector<std::uint32_t>;

// The C(|X|+m-1, m) multisets of size m over |X| elements, in lexicographic order of their counts. Immutable,
// thread-safe.
class Multisets {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 22U;

  // Errors: kInvalidArgument unless domain >= 1 and size >= 1; kDomainTooLarge above kMost multisets.
  static Result<Multisets> create(std::size_t domain, std::uint32_t size);

  std::uint64_t count() const { return from(domain_, size_); }
  std::size_t domain() const { return domain_; }
  std::uint32_t size() const { return size_; }

  // Returns the multiset with the number `index`, which is below count().
  Counts at(std::uint64_t index) const;
  // Returns the number of the multiset `counts`.
  std::uint64_t index_of(std::span<const std::uint32_t> counts) const;
  // Changes `counts` to the multiset with the next number. `counts` must not be the last multiset.
  static void advance(Counts& counts);

 private:
  Multisets(std::size_t domain, std::uint32_t size, std::vector<std::uint64_t> table)
      : domain_(domain), size_(size), table_(std::move(table)) {}
  // Returns the number of multisets of `size` elements out of the last `elements` ones.
  std::uint64_t from(std::size_t elements, std::uint32_t size) const {
    return table_[elements * (std::size_t{size_} + 1) + size];
  }
  std::size_t domain_;
  std::uint32_t size_;
  std::vector<std::uint64_t> table_;
};

// Returns ln C(domain+size-1, size), for utility bounds. domain, size >= 1.
double log_multisets(std::uint64_t domain, std::uint64_t size);

}  // namespace hearsay::central
