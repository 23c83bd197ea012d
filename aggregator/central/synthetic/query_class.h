// The finite class of queries that a synthetic database is to answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::central {

// Linear queries q in [0,1]^|X|: one weight for each element of the domain X, a multiple of 1/unit. With unit 1, the
// queries are predicates. The answer on a histogram D is q·D, in records. Immutable, thread-safe. Roth 2010, section 2.
class QueryClass {
 public:
  static constexpr std::uint64_t kMostWeights = std::uint64_t{1}
                                                << 26U;  // the number of queries times the number of elements
  static constexpr std::uint64_t kLargestUnit = 1'000'000;

  // queries[q][x] != 0 means that element x satisfies q. Errors: kInvalidArgument unless there is a query and an
  // element, and every query has one entry for each element; kDomainTooLarge above kMostWeights.
  static Result<QueryClass> predicates(const std::vector<std::vector<std::uint8_t>>& queries);
  // queries[q][x] in [0, 1] is rounded to the nearest multiple of 1/unit. The release is for the rounded class, so
  // rounding costs no privacy. Errors: those of predicates(); kInvalidArgument for NaN, weights outside [0, 1] and
  // units outside [1, 10^6].
  static Result<QueryClass> linear(const std::vector<std::vector<double>>& queries, std::uint64_t unit);

  std::size_t size() const { return queries_; }
  std::size_t domain() const { return columns_.size() / queries_; }
  std::uint64_t unit() const { return unit_; }
  // Returns the weights of element x in all queries, times unit().
  std::span<const std::uint32_t> weights_of(std::size_t x) const {
    return std::span(columns_).subspan(x * queries_, queries_);
  }

 private:
  QueryClass(std::size_t queries, std::uint64_t unit, std::vector<std::uint32_t> columns)
      : queries_(queries), unit_(unit), columns_(std::move(columns)) {}
  std::size_t queries_;
  std::uint64_t unit_;
  std::vector<std::uint32_t> columns_;
};

}  // namespace hearsay::central
