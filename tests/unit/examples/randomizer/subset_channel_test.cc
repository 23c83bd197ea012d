// Checks the randomizer of the guide: its law is private and exact, its sampler has this law, and its estimator is
// unbiased.
#include "examples/randomizer/subset_channel.h"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "common/privacy/exponential.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"

namespace hearsay::examples {
namespace {

using Subset = SubsetChannel::Subset;

SubsetChannel channel(std::uint32_t values, std::uint32_t size, const char* epsilon) {
  return SubsetChannel::create(values, size, tests::eps(epsilon)).value();
}

std::vector<Subset> reports_of(const SubsetChannel& channel, std::uint32_t values) {
  std::vector<Subset> reports;
  for (Subset subset = 0; subset < Subset{1} << values; ++subset) {
    if (channel.is_report(subset)) reports.push_back(subset);
  }
  return reports;
}

struct Shape {
  std::uint32_t values;
  std::uint32_t size;
};

constexpr Shape kShapes[] = {{2, 1}, {6, 1}, {6, 2}, {6, 3}, {8, 2}, {8, 4}};

// Counts how often each report comes from `value`, over every choice of the sampler. γ·2^32 of the 2^32 coins tell the
// truth. The unit is 1/(2^32·|sets around 0|·|sets|).
std::map<Subset, std::uint64_t> law_of_sampler(const SubsetChannel& channel, const std::vector<Subset>& reports,
                                               std::uint32_t value) {
  std::map<Subset, std::uint64_t> law;
  std::vector<Subset> around_zero;
  for (const Subset subset : reports) {
    if (subset & 1U) around_zero.push_back(subset);
  }
  for (const Subset around : around_zero) {
    for (const Subset any : reports) {
      law[channel.subset({true, around, any}, value)] += channel.gamma();
      law[channel.subset({false, around, any}, value)] += (std::uint64_t{1} << 32U) - channel.gamma();
    }
  }
  return law;
}

TEST_CASE("subset selection spends at most its epsilon, and a gamma one unit larger is refuted") {
  for (const Shape shape : kShapes) {
    for (const char* epsilon : {"0.1", "1", "4"}) {
      CAPTURE(shape.values);
      CAPTURE(shape.size);
      CAPTURE(epsilon);
      const SubsetChannel subsets = channel(shape.values, shape.size, epsilon);
      const Rational bound = Rational::create(tests::eps(epsilon).num(), tests::eps(epsilon).den()).value();
      CHECK(compare_with_exp(subsets.weight_with(), subsets.weight_without(), bound) < 0);
      const std::uint64_t without = subsets.weight_without() - 1;
      const std::uint64_t with = (subsets.gamma() + 1) * (shape.values / shape.size) + without;
      CHECK(compare_with_exp(with, without, bound) > 0);
    }
  }
}

TEST_CASE("the sampler of subset selection has the law, over every choice that it can draw") {
  for (const Shape shape : kShapes) {
    const SubsetChannel subsets = channel(shape.values, shape.size, "1");
    const std::vector<Subset> reports = reports_of(subsets, shape.values);
    for (std::uint32_t value = 0; value < shape.values; ++value) {
      const auto law = law_of_sampler(subsets, reports, value);
      REQUIRE(law.size() == reports.size());
      // The probability of a report in these units is its weight times |sets around 0|.
      const std::uint64_t around_zero = reports.size() * shape.size / shape.values;
      for (const auto& [subset, share] : law) {
        const bool holds = ((subset >> value) & 1U) != 0;
        CHECK(share == around_zero * (holds ? subsets.weight_with() : subsets.weight_without()));
      }
    }
  }
}

TEST_CASE("draw() reaches every set of the right size, and no other set") {
  const SubsetChannel subsets = channel(6, 2, "1");
  std::map<Subset, int> around;
  std::map<Subset, int> any;
  tests::CounterBitSource bits("subset selection");
  // There are 15 and 5 equally likely sets. With random bits, one of them is missing among 1,000 draws with
  // probability below 1e-28. The bits are fixed.
  for (int i = 0; i < 1000; ++i) {
    const SubsetChannel::Draw draw = subsets.draw(bits);
    REQUIRE(subsets.is_report(draw.around_zero));
    REQUIRE(subsets.is_report(draw.any));
    REQUIRE((draw.around_zero & 1U) == 1);
    ++around[draw.around_zero];
    ++any[draw.any];
  }
  CHECK(around.size() == 5);
  CHECK(any.size() == 15);
}

TEST_CASE("the estimates of subset selection are unbiased") {
  for (const Shape shape : kShapes) {
    const SubsetChannel subsets = channel(shape.values, shape.size, "1");
    const std::vector<Subset> reports = reports_of(subsets, shape.values);
    // Everybody has the value 0, and each report comes in proportion to its probability.
    std::vector<std::uint64_t> counts(shape.values);
    std::uint64_t all = 0;
    for (const auto& [subset, share] : law_of_sampler(subsets, reports, 0)) {
      all += share;
      for (std::uint32_t v = 0; v < shape.values; ++v) counts[v] += ((subset >> v) & 1U) * share;
    }
    const std::vector<double> fractions = subsets.estimate(counts, all);
    for (std::uint32_t v = 0; v < shape.values; ++v)
      CHECK(fractions[v] == doctest::Approx(v == 0 ? 1 : 0).epsilon(1e-9));
  }
}

TEST_CASE("subset selection refuses sizes without an exact law, and reports that no device sends") {
  CHECK(!SubsetChannel::create(1, 1, tests::eps("1")));
  CHECK(!SubsetChannel::create(8, 8, tests::eps("1")));
  CHECK(!SubsetChannel::create(8, 3, tests::eps("1")));
  CHECK(!SubsetChannel::create(33, 11, tests::eps("1")));
  const SubsetChannel subsets = channel(32, 2, "1");
  CHECK(subsets.is_report(0x80000001));
  CHECK(!subsets.is_report(1));
  CHECK(!channel(8, 2, "1").is_report(0x101));
}

}  // namespace
}  // namespace hearsay::examples
