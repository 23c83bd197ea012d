#include "examples/separations/noninteractive.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "aggregator/central/synthetic/general_release.h"
#include "common/base/try.h"
#include "examples/separations/local_channels.h"
#include "examples/separations/parity_transform.h"

namespace hearsay::examples {
namespace {

// law[z][x] = Pr[z | x]; x holds the rows side by side, with the first row in the lowest bits.
using ReleaseLaw = std::vector<std::vector<double>>;

std::size_t databases(unsigned bits, unsigned rows) { return std::size_t{1} << (bits * rows); }

std::vector<std::uint32_t> rows_of(std::size_t x, unsigned bits, unsigned rows) {
  std::vector<std::uint32_t> values;
  for (unsigned i = 0; i < rows; ++i) {
    values.push_back(static_cast<std::uint32_t>(x >> (i * bits)) & ((std::uint32_t{1} << bits) - 1));
  }
  return values;
}

Result<central::QueryClass> parities(unsigned bits) {
  std::vector<std::vector<std::uint8_t>> queries;
  for (std::uint32_t r = 1; r < std::uint32_t{1} << bits; ++r) {
    queries.emplace_back();
    for (std::uint32_t x = 0; x < std::uint32_t{1} << bits; ++x) queries.back().push_back(std::popcount(r & x) % 2);
  }
  return central::QueryClass::predicates(queries);
}

Result<ReleaseLaw> synthetic_law(unsigned bits, unsigned rows, const Epsilon& epsilon) {
  HEARSAY_TRY(central::QueryClass queries, parities(bits));
  HEARSAY_TRY(const auto release, central::GeneralRelease::create(std::move(queries), rows, epsilon));
  const double rate = release.selection().decay().rate().approximate();
  std::map<std::vector<std::uint32_t>, std::vector<double>> known;  // keyed by the sorted rows
  ReleaseLaw law;
  for (std::size_t x = 0; x < databases(bits, rows); ++x) {
    std::vector<std::uint32_t> values = rows_of(x, bits, rows);
    std::sort(values.begin(), values.end());
    std::vector<double>& probabilities = known[values];
    if (probabilities.empty()) {
      std::vector<std::uint64_t> histogram(std::size_t{1} << bits, 0);
      for (const std::uint32_t value : values) ++histogram[value];
      HEARSAY_TRY(const auto scores, release.selection().scores(histogram));
      const std::int64_t best = *std::max_element(scores.begin(), scores.end());
      double total = 0;
      for (const std::int64_t score : scores) {
        probabilities.push_back(std::exp(rate * static_cast<double>(score - best)));
        total += probabilities.back();
      }
      for (double& one : probabilities) one /= total;
    }
    law.resize(probabilities.size(), std::vector<double>(databases(bits, rows)));
    for (std::size_t z = 0; z < law.size(); ++z) law[z][x] = probabilities[z];
  }
  return law;
}

ReleaseLaw response_law(unsigned bits, unsigned rows, double epsilon) {
  const double others = std::exp2(bits) - 1;
  const double truth = std::exp(epsilon) / (std::exp(epsilon) + others);
  ReleaseLaw law(databases(bits, rows), std::vector<double>(databases(bits, rows), 1));
  for (std::size_t z = 0; z < law.size(); ++z) {
    const auto told = rows_of(z, bits, rows);
    for (std::size_t x = 0; x < law.size(); ++x) {
      const auto values = rows_of(x, bits, rows);
      for (unsigned i = 0; i < rows; ++i) law[z][x] *= told[i] == values[i] ? truth : (1 - truth) / others;
    }
  }
  return law;
}

// Returns all r = (r_1, …, r_n) in which no r_i is zero.
std::vector<std::size_t> all_parities(unsigned bits, unsigned rows) {
  std::vector<std::size_t> all;
  for (std::size_t r = 0; r < databases(bits, rows); ++r) {
    const auto values = rows_of(r, bits, rows);
    if (std::find(values.begin(), values.end(), 0U) == values.end()) all.push_back(r);
  }
  return all;
}

// The two distributions are E_x Π(1 ± (-1)^{r_i·x_i})·Pr[z | x]. In their difference, products of an even number of
// parities cancel, and products of an odd number of parities count twice.
std::vector<double> distances_of(ReleaseLaw law, unsigned bits, unsigned rows) {
  const std::size_t row_mask = (std::size_t{1} << bits) - 1;
  std::vector<std::size_t> odd;
  for (unsigned subset = 1; subset < 1U << rows; ++subset) {
    if (std::popcount(subset) % 2 == 0) continue;
    std::size_t mask = 0;
    for (unsigned i = 0; i < rows; ++i) mask |= (subset >> i & 1U) != 0 ? row_mask << (i * bits) : 0;
    odd.push_back(mask);
  }
  const std::vector<std::size_t> parities = all_parities(bits, rows);
  std::vector<double> distances(parities.size(), 0);
  for (std::vector<double>& row : law) {
    walsh_hadamard(std::span<double>(row));
    for (std::size_t i = 0; i < parities.size(); ++i) {
      double difference = 0;
      for (const std::size_t mask : odd) difference += 2 * row[parities[i] & mask];
      distances[i] += std::abs(difference) / static_cast<double>(row.size()) / 2;
    }
  }
  return distances;
}

}  // namespace

Result<std::vector<ReleaseDistances>> noninteractive_releases(unsigned bits, unsigned rows, const Epsilon& epsilon) {
  if (bits == 0 || rows == 0)
    return Error{ErrorCode::kInvalidArgument, "a database needs at least one row, and a row at least one bit"};
  if (rows > kMostRows || bits > kMostRowBits || bits > kMostJointBits / rows) {
    return Error{ErrorCode::kDomainTooLarge,
                 "all databases are enumerated up to 3 rows, 6 bits of a row and 12 bits of all rows"};
  }
  HEARSAY_TRY(ReleaseLaw synthetic, synthetic_law(bits, rows, epsilon));
  return std::vector<ReleaseDistances>{
      {"synthetic database for all parities", distances_of(std::move(synthetic), bits, rows)},
      {"randomized response on each row", distances_of(response_law(bits, rows, epsilon.approximate()), bits, rows)}};
}

ReleaseBounds release_bounds(unsigned bits, unsigned rows, double epsilon) {
  const DistanceBounds step = distance_bounds(bits, epsilon, 1.0 / (6 * rows));
  return {rows * step.lemma_2, rows * step.mean};
}

}  // namespace hearsay::examples
