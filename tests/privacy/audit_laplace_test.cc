// Audits every calibration over small schemas with every kind of attribute. `tight` spends exactly its ε, and the
// audit refutes any smaller noise. `paper` spends less than its ε, since its bound is not tight.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "common/audit/audit.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay {
namespace {

using tests::laplace_of;
using tests::laplace_task;
using tests::planted;
using tests::ratio;

const std::vector<std::string> kShapes = {"b",  "b b",  "b b b", "c2",    "c3",    "c5",    "r2",       "r3",
                                          "r6", "b c3", "b r4",  "c3 r4", "c3 c4", "r2 r5", "b b c3 r3"};
const std::vector<std::string> kEpsilons = {"0.25", "1", "4", "0.1", "2.5", "0.123457"};

Rational exact(const Epsilon& epsilon) { return ratio(epsilon.num(), epsilon.den()); }

std::vector<std::vector<std::uint32_t>> share_variants(std::size_t attributes) {
  std::vector<std::uint32_t> uneven;
  for (std::size_t b = 0; b < attributes; ++b) uneven.push_back(static_cast<std::uint32_t>(5 * b * b + 2 * b + 3));
  return {{}, std::vector<std::uint32_t>(attributes, 1), uneven};
}

// Returns the largest rational below the scale with the denominator n·scale.den().
Rational just_below(const Rational& scale, std::uint64_t n) { return ratio(n * scale.num() - 1, n * scale.den()); }

void refutes(const Task& task, const std::vector<Rational>& scales) {
  const AuditResult result = audit(task, planted(task, scales)).value();
  CHECK_FALSE(result.holds);
  CHECK(result.actual > result.claimed);
}

TEST_CASE("tight spends exactly its epsilon, and a scale one unit smaller is refuted") {
  for (const std::string& shape : kShapes) {
    for (const std::string& epsilon : kEpsilons) {
      for (const auto& shares : share_variants(tests::schema_of(shape).size())) {
        CAPTURE(shape);
        CAPTURE(epsilon);
        CAPTURE(shares.size());
        const Task task = laplace_task(shape, epsilon, {LaplaceCalibration::kTight, shares});
        const AuditResult result = audit(task, task.channel()).value();
        CHECK(result.holds);
        CHECK(result.exact);
        CHECK(result.actual == exact(task.epsilon()));
        CHECK(result.claimed == exact(task.epsilon()));

        const std::vector<Rational> scales = tests::scales_of(task);
        for (const std::uint64_t n : {1U, 1000U}) {
          std::vector<Rational> all;
          for (const Rational& scale : scales) {
            if (n * scale.num() > 1) all.push_back(just_below(scale, n));
          }
          if (all.size() == scales.size()) refutes(task, all);
        }
        for (std::size_t j = 0; j < scales.size(); ++j) {
          std::vector<Rational> one = scales;
          one[j] = just_below(scales[j], scales[j].num() > 1 ? 1 : 1000);
          refutes(task, one);
        }
      }
    }
  }
}

TEST_CASE("over characters tight spends exactly its epsilon, and a scale one unit smaller is refuted") {
  for (const std::string& shape : kShapes) {
    for (std::uint32_t order = 1; order <= tests::schema_of(shape).size(); ++order) {
      for (const std::string& epsilon : kEpsilons) {
        CAPTURE(shape);
        CAPTURE(order);
        CAPTURE(epsilon);
        const Task task = laplace_task(shape, epsilon, {}, CharactersSpec{order});
        const AuditResult result = audit(task, task.channel()).value();
        CHECK(result.holds);
        CHECK(result.exact);
        CHECK(result.actual == exact(task.epsilon()));

        const std::vector<Rational> scales = tests::scales_of(task);
        const Rational least =
            ratio(task.arrangement().sensitivity().value(), 1).divided_by(exact(task.epsilon())).value();
        for (const Rational& scale : scales) CHECK(scale == least);
        refutes(task, std::vector<Rational>(scales.size(), just_below(least, 1000)));
      }
    }
  }
}

TEST_CASE("paper spends less than its epsilon, by the slack of the Cauchy-Schwarz bound") {
  for (const std::string& shape : kShapes) {
    for (const std::string& epsilon : kEpsilons) {
      CAPTURE(shape);
      CAPTURE(epsilon);
      const Task task = laplace_task(shape, epsilon, {LaplaceCalibration::kPaper, {}});
      const AuditResult result = audit(task, task.channel()).value();
      CHECK(result.holds);
      CHECK(result.exact);
      CHECK(result.actual < result.claimed);

      // The ε that `paper` spends is the L1 sensitivity Δ divided by the scale t = (2/ε)·m/2^16. Here m is the least
      // integer with m² >= 2^33·d(d+1).
      const std::uint64_t d = task.arrangement().dimension();
      auto m = static_cast<std::uint64_t>(std::sqrt(std::ldexp(static_cast<double>(d * (d + 1)), 33)));
      while (m * m >= d * (d + 1) << 33U) --m;
      while (m * m < d * (d + 1) << 33U) ++m;
      const Rational part = ratio(task.arrangement().sensitivity().value() << 15U, m);
      CHECK(result.actual == part.times(exact(task.epsilon())).value());

      // If all attributes are booleans, `paper` spends ε·k/√(2k(k+1)). The rounding of the scale lowers this by at
      // most one part in 2^17.
      if (task.arrangement().sensitivity().value() == 2 * d) {
        const auto k = static_cast<double>(d);
        const double printed = task.epsilon().approximate() * k / std::sqrt(2 * k * (k + 1));
        CHECK(result.actual.approximate() <= printed * (1 + 1e-15));
        CHECK(result.actual.approximate() >= printed * (1 - std::ldexp(1.0, -17)));
      }

      // The least sufficient scale is Δ/ε. The last coordinate needs no noise.
      const Rational least =
          ratio(task.arrangement().sensitivity().value(), 1).divided_by(exact(task.epsilon())).value();
      std::vector<Rational> scales(d + 1, least);
      scales.back() = ratio(1, 1000);
      const AuditResult enough = audit(task, planted(task, scales)).value();
      CHECK(enough.holds);
      CHECK(enough.actual == enough.claimed);
      for (std::size_t j = 0; j < d; ++j) scales[j] = just_below(least, 1000);
      refutes(task, scales);
    }
  }
}

}  // namespace
}  // namespace hearsay
