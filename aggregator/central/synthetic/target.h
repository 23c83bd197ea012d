// The scores of synthetic databases against one histogram, in integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/synthetic/multisets.h"
#include "aggregator/central/synthetic/query_class.h"

namespace hearsay::central {

// Scores synthetic databases D' of size m against a histogram D. Holds m·unit·q(D) for every query q, and n = ‖D‖₁.
// `queries` must outlive this object.
class Target {
 public:
  // Errors: see Selection::enumerate().
  static Result<Target> create(const QueryClass& queries, std::uint32_t size, std::span<const std::uint64_t> histogram);

  // Returns unit·q(D') for every query.
  std::vector<std::int64_t> answers(std::span<const std::uint32_t> counts) const;
  // Updates the answers for a database in which a copy of `from` becomes one of `to`.
  void replace(std::vector<std::int64_t>& answers, std::size_t from, std::size_t to) const;
  // Returns -max_q |m·unit·q(D) - n·unit·q(D')|.
  std::int64_t score(std::span<const std::int64_t> answers) const;

 private:
  Target(const QueryClass& queries, std::int64_t total, std::vector<std::int64_t> scaled)
      : queries_(&queries), total_(total), scaled_(std::move(scaled)) {}
  const QueryClass* queries_;
  std::int64_t total_;
  std::vector<std::int64_t> scaled_;
};

}  // namespace hearsay::central
