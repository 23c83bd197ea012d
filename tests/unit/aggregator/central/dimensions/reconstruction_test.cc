#include "aggregator/central/dimensions/reconstruction.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "aggregator/central/dimensions/accuracy_limits.h"
#include "aggregator/central/dimensions/attacked_releases.h"
#include "aggregator/central/dimensions/named_class.h"
#include "aggregator/central/synthetic/general_release.h"
#include "aggregator/central/synthetic/linear_release.h"
#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/selection_laws.h"

namespace hearsay::central {
namespace {

using tests::eps;
using tests::ratio;

// Tries every secret. Each answer is off by at most `error`.
TEST_CASE("Lemma 2: the attack misses no more of a secret than the error allows, and nothing without an error") {
  tests::CounterBitSource bits("attack");
  for (const char* name : {"subsets", "parities", "conjunctions", "distances"}) {
    const QueryClass queries = named_class(name, std::string(name) == "distances" ? 9 : 4).value();
    const AccuracyLowerBound bound = accuracy_lower_bound(queries, 0, 0, Neighbours::kAddRemove).value();
    const Reconstruction attack = Reconstruction::create(queries, bound.witness).value();
    for (const std::uint32_t secret : attack.secrets()) {
      for (const double error : {0.0, 0.2, 0.45, 0.8}) {
        const std::vector<std::uint64_t> database = attack.database(secret);
        std::vector<double> answers(queries.size(), 0);
        for (std::size_t q = 0; q < queries.size(); ++q) {
          for (std::size_t x = 0; x < queries.domain(); ++x) {
            answers[q] +=
                static_cast<double>(database[x] * queries.weights_of(x)[q]) / static_cast<double>(queries.unit());
          }
          answers[q] += uniform_below(bits, 2) == 0 ? error : -error;
        }
        const double missed = std::popcount(secret & ~attack.guess(answers));
        CHECK(missed <= attack.most_missed(error) + 1e-9);
      }
    }
  }
}

// Computes the usefulness (ε, δ) of the linear release at each α from its law on the worst database.
TEST_CASE("Theorem 2: no private release is more accurate than the bound") {
  const QueryClass queries = named_class("subsets", 4).value();
  for (const char* alpha : {"0.1", "1", "4", "10"}) {
    const LinearRelease release =
        LinearRelease::create(queries, 2, Neighbours::kReplaceOne, eps(alpha), std::nullopt).value();
    const AccuracyLowerBound any = accuracy_lower_bound(queries, 0, 0, Neighbours::kReplaceOne).value();
    const Reconstruction attack = Reconstruction::create(queries, any.witness).value();
    for (const double error : {0.0, 0.5, 0.99, 1.5}) {
      double delta = 0;
      for (const std::uint32_t secret : attack.secrets()) {
        const std::vector<std::int64_t> scores = release.selection().scores(attack.database(secret)).value();
        const tests::LogLaw law = tests::log_law(ExponentialMechanism(release.selection().decay()), scores);
        double useful = 0;
        for (std::size_t i = 0; i < scores.size(); ++i) {
          if (static_cast<double>(-scores[i]) <= 2 * error) useful += static_cast<double>(std::exp(law[i]));
        }
        delta = std::max(delta, 1 - useful);
      }
      if (delta >= 1) continue;
      const double bound =
          accuracy_lower_bound(queries, std::stod(alpha), std::max(0.0, delta), Neighbours::kReplaceOne)->error;
      CHECK(error >= bound - 1e-9);
    }
  }
}

TEST_CASE("the lower bound on the error agrees with the formula, in which add-remove has twice the epsilon") {
  const QueryClass queries = named_class("subsets", 6).value();
  const double r = std::exp(2 * 0.5);
  CHECK(accuracy_lower_bound(queries, 0.5, 0, Neighbours::kAddRemove)->error == doctest::Approx(6.0 / 4 / (1 + r)));
  CHECK(accuracy_lower_bound(queries, 1, 0.1, Neighbours::kReplaceOne)->error ==
        doctest::Approx(6.0 / 4 * (1 - 0.1 * (1 + std::exp(1.0))) / (0.9 * (1 + std::exp(1.0)))));
  CHECK(accuracy_lower_bound(queries, 0.5, 1.001 / (1 + r), Neighbours::kAddRemove)->error == 0);
  CHECK_FALSE(accuracy_lower_bound(queries, 0.5, 1, Neighbours::kAddRemove));
  CHECK_FALSE(accuracy_lower_bound(queries, -1, 0, Neighbours::kAddRemove));
}

// There are 40 secrets of d bits. The standard deviation of the misses of one secret is at most d/8. So a false alarm
// needs 5.6 standard deviations of the mean.
TEST_CASE("releases that are too accurate reveal the records, and private releases do not") {
  tests::CounterBitSource bits("releases");
  const auto run = [&](std::uint32_t size, ReleaseKind kind, const char* epsilon) {
    const QueryClass queries = named_class("subsets", size).value();
    const Reconstruction attack =
        Reconstruction::create(queries, accuracy_lower_bound(queries, 0, 0, Neighbours::kAddRemove)->witness).value();
    CHECK(attack.elements() == size);
    const AttackSummary found = attack_releases(queries, attack, kind, eps(epsilon), 40, bits).value();
    CHECK(found.mean_missed <= found.mean_most_missed);
    return found.mean_missed;
  };
  CHECK(run(8, ReleaseKind::kExact, "1") == 0);
  CHECK(run(4, ReleaseKind::kLaplace, "64") < 0.1);
  CHECK(run(4, ReleaseKind::kLaplace, "0.1") > 0.55);
  CHECK(run(8, ReleaseKind::kSynthetic, "64") == 0);
  CHECK(run(8, ReleaseKind::kSynthetic, "0.1") > 1.1);
  CHECK_FALSE(release_kind("other"));
  CHECK_FALSE(Reconstruction::create(named_class("points", 3).value(), Shattering{{}, {0}}));
}

TEST_CASE("the sizes by the VC dimension are the least sizes that satisfy their condition") {
  for (const std::uint64_t v : {0, 1, 4}) {
    for (const double error : {0.1, 0.5}) {
      const auto slack = [&](std::uint64_t size) {
        const auto m = static_cast<double>(size);
        const auto d = static_cast<double>(v);
        return std::log(8.0) + (v == 0 ? 0 : d * (1 + std::log(m / d))) - m * error * error / 128;
      };
      const std::uint64_t size = vc_synthetic_size(v, error).value();
      CHECK(slack(size) < 0);
      CHECK(slack(size - 1) >= 0);
      CHECK(fat_synthetic_size(v, error).value() > size);
      CHECK(fat_synthetic_size(v + 1, error).value() > fat_synthetic_size(v, error).value());
    }
  }
  CHECK(fat_scale(0.32).value() == ratio(1, 200));
  CHECK_FALSE(vc_synthetic_size(1, 0));
  CHECK_FALSE(fat_synthetic_size(1, 1));
  // For few queries on many records the union bound is smaller. For many queries of small dimension the bound by the VC
  // dimension is smaller.
  CHECK(synthetic_size(std::log(100.0), 0.1).value() < vc_synthetic_size(2, 0.1).value());
  CHECK(synthetic_size(1e6, 0.1).value() > vc_synthetic_size(2, 0.1).value());
}

}  // namespace
}  // namespace hearsay::central
