#include "aggregator/central/audit/distributional.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/central/audit/catalogue.h"
#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::kInfinity;
using tests::ratio;

AuditedMechanism with_loss(const Universe& universe, std::function<std::uint64_t(const Rows&, const Rows&)> loss) {
  const LossOf of = [loss = std::move(loss)](const Rows& first, const Rows& second) -> Result<PairLoss> {
    const LogRatio exact{{false, ratio(loss(first, second))}, {1, 1}};
    return PairLoss{false, {{exact, exact}}, true, std::nullopt};
  };
  return {"made up", ratio(1), 0, universe, Evidence::kExact, of, {}, {}};
}

TEST_CASE(
    "the audit sees a pair that exceeds alpha if beta is below the beta of Theorem 7.1, but not at the theorem's "
    "beta") {
  const AuditedMechanism mechanism =
      with_loss({4, 3, Neighbours::kReplaceOne, false}, [](const Rows& first, const Rows& second) {
        return first == Rows{0, 1, 2} && second == Rows{0, 1, 3} ? 5U : 0U;
      });
  const double beta = 1.0 / 16;
  const DistributionalLoss below = distributional_loss(mechanism, beta * 0.999).value();
  CHECK(below.alpha_low == 5);
  CHECK(below.differential_low == 5);
  CHECK(below.largest_beta == beta);
  CHECK(below.theorem_applies());
  CHECK(below.implies_differential());
  CHECK(below.population == Rows{0, 1, 2, 3});
  CHECK(below.populations == 5);
  const DistributionalLoss at = distributional_loss(mechanism, beta).value();
  CHECK(at.alpha_high == 0);
  CHECK_FALSE(at.theorem_applies());
  CHECK_FALSE(at.implies_differential());
}

// The loss between two samples is the absolute difference of their sums. The test itself counts the pairs over all
// uniform populations.
TEST_CASE("alpha is a quantile of the loss, for the worst population") {
  const auto apart = [](const Rows& a, const Rows& b) {
    const auto sum = [](const Rows& rows) { return rows[0] + rows[1]; };
    return sum(a) > sum(b) ? sum(a) - sum(b) : sum(b) - sum(a);
  };
  const AuditedMechanism mechanism = with_loss({5, 2, Neighbours::kReplaceOne, false}, apart);
  for (const double beta : {0.0, 0.05, 0.2, 0.5, 0.9}) {
    double alpha = 0;
    for (std::uint32_t set = 0; set < 32; ++set) {
      std::vector<Rows> samples;
      for (std::uint32_t i = 0; i < 5; ++i) {
        for (std::uint32_t j = i + 1; j < 5; ++j) {
          if ((set >> i & set >> j & 1U) != 0) samples.push_back({i, j});
        }
      }
      for (double candidate = 0; candidate <= 6; ++candidate) {
        double above = 0;
        for (const Rows& a : samples) {
          for (const Rows& b : samples) above += apart(a, b) > candidate ? 1 : 0;
        }
        if (above > beta * static_cast<double>(samples.size() * samples.size()) + 1e-9)
          alpha = std::max(alpha, candidate + 1);
      }
    }
    const DistributionalLoss found = distributional_loss(mechanism, beta).value();
    CHECK(found.alpha_low == alpha);
    CHECK(found.alpha_high == alpha);
  }
}

TEST_CASE("Theorem 7.1 holds for the mechanisms of the catalogue, and distributional privacy costs more") {
  std::size_t checked = 0;
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.name == "adaptive-session" || entry.name == "boxes" || entry.name == "online-median") continue;
    const auto mechanism = audited_mechanism({std::string(entry.name), std::nullopt, 4, 2});
    if (!mechanism || mechanism->universe.neighbours != Neighbours::kReplaceOne) continue;
    CAPTURE(entry.name);
    const auto found = distributional_loss(*mechanism, std::nullopt);
    REQUIRE(found);
    CHECK(found->alpha_low >= found->differential_low * (1 - 1e-9));
    CHECK(found->implies_differential());
    ++checked;
  }
  CHECK(checked >= 8);
  // Two samples may differ in two rows, so the sum loses more than between neighbours.
  const AuditedMechanism sum = audited_mechanism({"sum", std::nullopt, 6, 2}).value();
  CHECK(distributional_loss(sum, 0.01)->alpha_low > distributional_loss(sum, 0.01)->differential_low * 1.5);
}

// The loss between two samples is the absolute difference of their sums.
TEST_CASE("in a population with repetitions, samples draw members, not values") {
  const auto apart = [](const Rows& a, const Rows& b) {
    const auto sum = [](const Rows& rows) { return rows[0] + rows[1]; };
    return sum(a) > sum(b) ? sum(a) - sum(b) : sum(b) - sum(a);
  };
  const AuditedMechanism mechanism = with_loss({5, 2, Neighbours::kReplaceOne, false}, apart);
  const Rows members{0, 0, 0, 1, 3, 3, 4};
  std::vector<Rows> draws;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) draws.push_back({members[i], members[j]});
  }
  double rarest = 1;
  double differential = 0;
  std::map<std::pair<Rows, Rows>, double> pairs;
  for (const Rows& a : draws) {
    for (const Rows& b : draws) pairs[{a, b}] += 1.0 / static_cast<double>(draws.size() * draws.size());
  }
  for (const auto& [pair, probability] : pairs) {
    const auto& [a, b] = pair;
    const bool share = a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
    if (!share || a == b) continue;
    rarest = std::min(rarest, probability);
    differential = std::max<double>(differential, apart(a, b));
  }
  for (const double beta : {0.0, 0.01, 0.05, 0.2, 0.5, 0.9}) {
    CAPTURE(beta);
    double alpha = 0;
    for (double candidate = 0; candidate <= 8; ++candidate) {
      double above = 0;
      for (const auto& [pair, probability] : pairs) {
        above += apart(pair.first, pair.second) > candidate ? probability : 0;
      }
      if (above > beta + 1e-9) alpha = candidate + 1;
    }
    const DistributionalLoss found = distributional_loss(mechanism, {3, 0, 4, 0, 1, 3, 0}, beta).value();
    CHECK(found.alpha_low == alpha);
    CHECK(found.alpha_high == alpha);
    CHECK(found.largest_beta == doctest::Approx(rarest).epsilon(1e-12));
    CHECK(found.differential_low == differential);
    CHECK(found.population == members);
  }
}

TEST_CASE("the alpha of one population is at most the alpha of all sets of values") {
  const AuditedMechanism sum = audited_mechanism({"sum", std::nullopt, 5, 2}).value();
  for (const double beta : {0.0, 0.1, 0.4}) {
    const DistributionalLoss one = distributional_loss(sum, {0, 1, 2, 3, 4}, beta).value();
    CHECK(one.alpha_low <= distributional_loss(sum, beta)->alpha_low);
    if (beta == 0) CHECK(one.alpha_low == distributional_loss(sum, beta)->alpha_low);
  }
}

TEST_CASE("Theorem 7.1 holds in populations with repetitions, for the mechanisms of the catalogue") {
  std::size_t checked = 0;
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.name == "adaptive-session" || entry.name == "boxes" || entry.name == "online-median") continue;
    const auto mechanism = audited_mechanism({std::string(entry.name), std::nullopt, 4, 2});
    if (!mechanism || mechanism->universe.neighbours != Neighbours::kReplaceOne) continue;
    CAPTURE(entry.name);
    for (const Rows& members : {Rows{0, 0, 1}, Rows{0, 1, 1, 1, 3, 3}, Rows{2, 2, 2, 3}}) {
      const auto found = distributional_loss(*mechanism, members, std::nullopt);
      REQUIRE(found);
      CHECK(found->theorem_applies());
      CHECK(found->implies_differential());
    }
    ++checked;
  }
  CHECK(checked >= 8);
}

TEST_CASE("a population that is too small or too large, has one value or is out of the domain is refused") {
  const AuditedMechanism mechanism =
      with_loss({40, 2, Neighbours::kReplaceOne, false}, [](const Rows&, const Rows&) { return 0U; });
  const auto code = [&](Rows members) {
    return distributional_loss(mechanism, std::move(members), std::nullopt).error().code;
  };
  CHECK(code({1}) == ErrorCode::kInvalidArgument);
  CHECK(code({}) == ErrorCode::kInvalidArgument);
  CHECK(code({1, 40}) == ErrorCode::kInvalidArgument);
  CHECK(code({7, 7, 7}) == ErrorCode::kInvalidArgument);
  Rows many;
  for (std::uint32_t value = 0; value < 40; ++value) many.push_back(value);
  CHECK(code(many) == ErrorCode::kDomainTooLarge);             // there would be 780 samples
  CHECK(code(Rows(20'000, 3)) == ErrorCode::kDomainTooLarge);  // there would be 2·10^8 samples
}

TEST_CASE("requests for distributional privacy that cannot be enumerated are refused") {
  const auto code = [](const Universe& universe, double beta) {
    return distributional_loss(with_loss(universe, [](const Rows&, const Rows&) { return 0U; }), beta).error().code;
  };
  CHECK(code({4, 2, Neighbours::kAddRemove, false}, 0.1) == ErrorCode::kInvalidArgument);
  CHECK(code({2, 2, Neighbours::kReplaceOne, false}, 0.1) == ErrorCode::kInvalidArgument);
  CHECK(code({4, 2, Neighbours::kReplaceOne, false}, 1) == ErrorCode::kInvalidArgument);
  CHECK(code({4, 2, Neighbours::kReplaceOne, false}, tests::kNaN) == ErrorCode::kInvalidArgument);
  CHECK(code({17, 2, Neighbours::kReplaceOne, false}, 0) == ErrorCode::kDomainTooLarge);
  CHECK(code({16, 8, Neighbours::kReplaceOne, false}, 0) == ErrorCode::kDomainTooLarge);
}

}  // namespace
}  // namespace hearsay::central
