#include "aggregator/central/dimensions/attacked_releases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "aggregator/central/laplace/laplace_mechanism.h"
#include "aggregator/central/synthetic/linear_release.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

// Returns the answers to all queries, in units of 1/unit().
std::vector<std::int64_t> answers_in_units(const QueryClass& queries, std::span<const std::uint64_t> database) {
  std::vector<std::int64_t> answers(queries.size(), 0);
  for (std::size_t x = 0; x < queries.domain(); ++x) {
    const auto weights = queries.weights_of(x);
    for (std::size_t q = 0; q < answers.size(); ++q) answers[q] += static_cast<std::int64_t>(database[x] * weights[q]);
  }
  return answers;
}

using Answers = std::vector<double>;
using Release = std::function<Result<Answers>(const std::vector<std::uint64_t>&)>;

Answers in_records(const QueryClass& queries, std::span<const std::int64_t> units) {
  Answers answers;
  for (const std::int64_t one : units)
    answers.push_back(static_cast<double>(one) / static_cast<double>(queries.unit()));
  return answers;
}

Result<Release> laplace_release(const QueryClass& queries, const Epsilon& epsilon, BitSource& bits) {
  // The sensitivity is taken as at least 1. A class of zeros has the sensitivity 0, for which no noise can be made.
  std::uint64_t sensitivity = 1;
  for (std::size_t x = 0; x < queries.domain(); ++x) {
    std::uint64_t sum = 0;
    for (const std::uint32_t weight : queries.weights_of(x)) sum += weight;
    sensitivity = std::max(sensitivity, sum);
  }
  HEARSAY_TRY(const auto laplace, LaplaceMechanism::create(epsilon, whole(sensitivity), Neighbours::kAddRemove));
  return Release([&queries, &bits, laplace](const std::vector<std::uint64_t>& database) -> Result<Answers> {
    return in_records(queries, laplace.release(answers_in_units(queries, database), bits));
  });
}

Result<Release> synthetic_release(const QueryClass& queries, std::size_t size, const Epsilon& epsilon,
                                  BitSource& bits) {
  HEARSAY_TRY(const auto linear, LinearRelease::create(queries, static_cast<std::uint32_t>(size),
                                                       Neighbours::kReplaceOne, epsilon, std::nullopt));
  return Release([&queries, &bits, linear](const std::vector<std::uint64_t>& database) -> Result<Answers> {
    HEARSAY_TRY(const ScaledDatabase released, linear.release(database, bits));
    // The synthetic database and the secret have equally many records, so no scaling is needed.
    const auto& counts = released.database.counts;
    return in_records(queries, answers_in_units(queries, std::vector<std::uint64_t>(counts.begin(), counts.end())));
  });
}

Result<Release> release_of(const QueryClass& queries, const Reconstruction& attack, ReleaseKind kind,
                           const Epsilon& epsilon, BitSource& bits) {
  switch (kind) {
    case ReleaseKind::kLaplace:
      return laplace_release(queries, epsilon, bits);
    case ReleaseKind::kSynthetic:
      return synthetic_release(queries, attack.elements() / 2, epsilon, bits);
    case ReleaseKind::kExact:
      break;
  }
  return Release([&queries](const std::vector<std::uint64_t>& database) -> Result<Answers> {
    return in_records(queries, answers_in_units(queries, database));
  });
}

}  // namespace

Result<ReleaseKind> release_kind(std::string_view name) {
  if (name == "laplace") return ReleaseKind::kLaplace;
  if (name == "synthetic") return ReleaseKind::kSynthetic;
  if (name == "exact") return ReleaseKind::kExact;
  return Error{ErrorCode::kNotFound,
               "there is no release '" + std::string(name) + "'; choose laplace, synthetic or exact"};
}

Result<AttackSummary> attack_releases(const QueryClass& queries, const Reconstruction& attack, ReleaseKind kind,
                                      const Epsilon& epsilon, std::uint64_t runs, BitSource& bits) {
  HEARSAY_TRY(const Release release, release_of(queries, attack, kind, epsilon, bits));
  AttackSummary sum{0, 0, 0};
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::uint32_t secret = attack.secrets()[uniform_below(bits, attack.secrets().size())];
    const std::vector<std::uint64_t> database = attack.database(secret);
    HEARSAY_TRY(const Answers answers, release(database));
    const Answers truth = in_records(queries, answers_in_units(queries, database));
    double error = 0;
    for (std::size_t q = 0; q < truth.size(); ++q) error = std::max(error, std::abs(truth[q] - answers[q]));
    sum.mean_error += error;
    sum.mean_missed += std::popcount(secret & ~attack.guess(answers));
    sum.mean_most_missed += attack.most_missed(error);
  }
  const auto count = static_cast<double>(runs);
  return AttackSummary{sum.mean_error / count, sum.mean_missed / count, sum.mean_most_missed / count};
}

}  // namespace hearsay::central
