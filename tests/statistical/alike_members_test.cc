// Checks intervals when class means come from a public sample whose members look alike, although other people of the
// class differ.
//
// The query is `b0 and b1` on three booleans, at ε = 16. The sample has 64 people of each class. In each class the
// weights come from 32 people, and the class mean from the other 32. In class 0, 3 % have b0. With probability 0.97^32
// = 0.38 none of these other 32 has b0. Then the class mean is off by 0.06·g_0, about 0.02 (g_0 is the weight of b0).
// From the noise of 5,000 reports alone, the guaranteed interval would be ±0.01.
//
// Each of 4 fractions has 200 runs, with the same samples and noise. If the guaranteed interval covers with probability
// 95 %, more than 34 of 200 intervals miss with probability below 2e-10. The planted estimator takes the class means as
// exact. At fraction 0 its intervals miss whenever none of the other 32 has b0, and in some other runs. The expected
// number of misses is at least 75. Fewer than 35 have a probability below 2e-10.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/tally/tally.h"
#include "common/privacy/discrete_laplace.h"
#include "tests/statistical/simulation.h"

namespace hearsay::tests {
namespace {

constexpr std::size_t kRuns = 200;
constexpr std::size_t kReports = 5000;
constexpr std::size_t kMostMisses = 34;

// Returns a record of class 1 if `satisfies` is true, and of class 0 otherwise. In class 0, 97 % of the records have
// neither b0 nor b1, and 3 % have b0 alone.
Record person(const Task& task, bool satisfies, PopulationRandom& random) {
  const std::uint32_t a0 = satisfies || random.below(100) < 3 ? 1 : 0;
  const std::uint32_t a1 = satisfies ? 1 : 0;
  return Record::create(task.schema(), {a0, a1, random.below(2)}).value();
}

std::vector<Record> people(const Task& task, std::size_t ones, std::size_t zeros, PopulationRandom& random) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < ones + zeros; ++i) records.push_back(person(task, i < ones, random));
  return records;
}

struct Misses {
  std::size_t guaranteed = 0;
  std::size_t normal = 0;
  std::size_t unwarned = 0;

  void add(const estimator::Estimate& estimate, double truth) {
    const auto misses = [&](const estimator::Interval& interval) {
      return truth < interval.low || interval.high < truth ? 1U : 0U;
    };
    guaranteed += misses(estimate.guaranteed);
    normal += misses(estimate.normal);
    bool warned = false;
    for (const std::string& warning : estimate.warnings)
      warned = warned || warning.find("sampled") != std::string::npos;
    unwarned += warned ? 0 : 1;
  }
};

TEST_CASE("intervals cover if the sampled members of a class look alike") {
  const Task task = boolean_task(3, "16");
  const Query query = Query::parse(task.schema(), "b0 and b1").value();
  const DiscreteLaplace law = DiscreteLaplace::create(laplace(task).scale(0)).value();
  CounterBitSource bits("alike");
  PopulationRandom random(bits.bits(64));
  const std::array<std::size_t, 4> fractions{0, 5, 2500, 5000};
  std::array<Misses, 4> right;
  Misses planted;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::vector<Record> sample = people(task, 64, 64, random);
    compiler::Work work;
    compiler::LinearQuery linear = compiler::compile(task, query, work, sample).value().linear;
    std::array<std::int64_t, 3> noise{};
    for (std::int64_t& sum : noise) {
      for (std::size_t i = 0; i < kReports; ++i) sum += law.sample(bits);
    }
    for (std::size_t f = 0; f < fractions.size(); ++f) {
      tally::LaplaceTally tally(laplace(task).coordinates());
      tally.reports = kReports;
      for (std::size_t j = 0; j < noise.size(); ++j) tally.sum[j] = noise[j];
      for (const Record& record : people(task, fractions[f], kReports - fractions[f], random)) {
        for (std::uint32_t j = 0; j < noise.size(); ++j) tally.sum[j] += record[j] == 1 ? 1 : -1;
      }
      const double truth = static_cast<double>(fractions[f]) / kReports;
      const tally::Tally sums(std::move(tally));
      right[f].add(estimator::estimate(task, linear, sums, 0.95).value(), truth);
      if (fractions[f] > 0) continue;
      compiler::LinearQuery exact = linear;
      exact.class_members = {0, 0};
      exact.class_mean_variance = {0, 0};
      planted.add(estimator::estimate(task, exact, sums, 0.95).value(), truth);
    }
  }
  for (const Misses& misses : right) {
    CHECK(misses.guaranteed <= kMostMisses);
    CHECK(misses.normal <= kMostMisses);
    CHECK(misses.unwarned == 0);
  }
  CHECK(planted.guaranteed > kMostMisses);
  CHECK(planted.unwarned == kRuns);
}

}  // namespace
}  // namespace hearsay::tests
