#include "aggregator/central/dimensions/reconstruction.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace hearsay::central {

Reconstruction::Reconstruction(const QueryClass& queries, Shattering witness, std::size_t elements)
    : witness_(std::move(witness)), elements_(elements), domain_(queries.domain()) {
  const auto unit = static_cast<double>(queries.unit());
  gap_ = (witness_.elements[0].high - witness_.elements[0].low) / unit;
  for (std::uint32_t secret = 0; secret < std::uint32_t{1} << elements_; ++secret) {
    if (static_cast<std::size_t>(std::popcount(secret)) != elements_ / 2) continue;
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < elements_; ++j) {
      if ((secret >> j & 1U) != 0) sum += queries.weights_of(witness_.elements[j].element)[witness_.queries[secret]];
    }
    secrets_.push_back(secret);
    own_answers_.push_back(static_cast<double>(sum) / unit);
  }
}

Result<Reconstruction> Reconstruction::create(const QueryClass& queries, Shattering witness) {
  const std::size_t elements = std::min(witness.dimension(), kMostElements) / 2 * 2;
  if (elements == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the class shatters fewer than two elements: nothing can be reconstructed"};
  }
  for (const ShatteredElement& one : witness.elements) {
    if (one.low != witness.elements[0].low || one.high != witness.elements[0].high) {
      return Error{ErrorCode::kInvalidArgument,
                   "all elements must be shattered with the same low and the same high level"};
    }
  }
  return Reconstruction(queries, std::move(witness), elements);
}

std::vector<std::uint64_t> Reconstruction::database(std::uint32_t secret) const {
  std::vector<std::uint64_t> counts(domain_, 0);
  for (std::size_t j = 0; j < elements_; ++j) {
    if ((secret >> j & 1U) != 0) counts[witness_.elements[j].element] = 1;
  }
  return counts;
}

std::uint32_t Reconstruction::guess(std::span<const double> answers) const {
  std::uint32_t best = secrets_[0];
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < secrets_.size(); ++i) {
    const double shortfall = own_answers_[i] - answers[witness_.queries[secrets_[i]]];
    if (shortfall >= least) continue;
    least = shortfall;
    best = secrets_[i];
  }
  return best;
}

double Reconstruction::most_missed(double error) const {
  return std::min(static_cast<double>(elements_) / 2, 2 * error / gap_);
}

}  // namespace hearsay::central
