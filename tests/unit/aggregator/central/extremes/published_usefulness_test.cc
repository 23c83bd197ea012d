// Compares the usefulness that Xiao, Xiong, Yuan 2010 claim for their release of max with its true usefulness.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aggregator/central/extremes/published_extreme.h"
#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"

namespace hearsay::central {
namespace {

using Rows = std::vector<std::uint32_t>;
constexpr std::uint32_t kDomain = 100;
constexpr std::uint32_t kReach = 5;

void shuffle(Rows& rows, BitSource& bits) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[uniform_below(bits, i)]);
}

double mass(const std::vector<double>& law, std::uint32_t low, std::uint32_t high) {
  return std::accumulate(law.begin() + low, law.begin() + std::min(high + 1, kDomain), 0.0);
}

// The probabilities of three events: the answer is within ε of the maximum (Definition 3.3), within ε/2 of the maximum
// (proof of Theorem 4.4), or in [max-ε+1, max] (section 8.3). Each probability is a mean over random orders of the
// rows.
struct Near {
  double within_reach = 0;
  double within_half = 0;
  double last_reach = 0;
};
PublishedExtreme published(Reading reading, std::uint32_t reach) {
  return PublishedExtreme::create(reading, kDomain, reach, Epsilon::parse("0.05").value()).value();
}

Near mean_mass(Reading reading, std::uint32_t reach, Rows rows, int orders, BitSource& bits) {
  const PublishedExtreme mechanism = published(reading, reach);
  const std::uint32_t max = *std::ranges::max_element(rows);
  Near near;
  for (int i = 0; i < orders; ++i) {
    shuffle(rows, bits);
    const std::vector<double> law = mechanism.law(rows).value();
    near.within_reach += mass(law, max - reach, max + reach) / orders;
    near.within_half += mass(law, max - reach / 2, max + reach / 2) / orders;
    near.last_reach += mass(law, max - reach + 1, max) / orders;
  }
  return near;
}

// Returns the number of rows of Theorem 4.4: n = (β/(αε))·ln(β/(εδ(e^α+1)²)), with β values in the domain. By the
// paper, n uniform rows give a value within ε of the extreme with probability 1 - δ.
double rows_claimed_to_suffice(std::uint32_t reach, double alpha, double delta) {
  const double cells = static_cast<double>(kDomain) / reach;
  return cells / alpha * (std::log(cells) - std::log(delta) - 2 * std::log(std::exp(alpha) + 1));
}

TEST_CASE("the number of rows of Theorem 4.4 follows from the printed formula") {
  const double rows = rows_claimed_to_suffice(kReach, 0.05, 0.1);
  CHECK(rows == doctest::Approx(100 / 0.25 * std::log(100 / (0.5 * std::pow(std::exp(0.05) + 1, 2)))).epsilon(1e-12));
  CHECK(std::ceil(rows) == 1545);
}

// The theorem claims at least 0.9 for uniform rows. The rows are spread evenly over the domain, in 40 random orders. At
// ε = 5 and n = 1,545 the half-open readings have 0.83 within ε, and the closed readings 0.906. But the proof bounds
// the probability within ε/2, which is below half of the claim at ε = 5. At ε = 10 and n = 634 all readings are clearly
// below 0.9.
TEST_CASE("under no reading is the maximum approximated with the probability of Theorem 4.4") {
  tests::CounterBitSource bits("theorem 4.4");
  for (const std::uint32_t reach : {5U, 10U}) {
    const double stated = rows_claimed_to_suffice(reach, 0.05, 0.1);
    Rows rows;
    for (std::uint32_t i = 0; i < stated; ++i) rows.push_back(i % kDomain);
    for (const Reading reading : {Reading::kDomainHalfOpen, Reading::kDomainClosed, Reading::kDataHalfOpen,
                                  Reading::kDataClosed, Reading::kComplement}) {
      const Near near = mean_mass(reading, reach, rows, 40, bits);
      MESSAGE("reading " << static_cast<int>(reading) << ", ε " << reach << ", n " << rows.size()
                         << ": claimed 0.9, within ε " << near.within_reach << ", within ε/2 " << near.within_half);
      if (reading == Reading::kComplement) CHECK(near.within_reach < 0.05);
      const bool closed = reading == Reading::kDomainClosed || reading == Reading::kDataClosed;
      if (reach == 5) {
        CHECK(near.within_half < 0.45);
        CHECK(near.within_reach < (closed ? 0.92 : 0.86));
      } else {
        CHECK(near.within_reach < 0.86);
      }
    }
  }
}

// Section 8.3 has 10,000 rows of a normal law with mean 50 on {1..100} and "variance 20", which the test reads as
// variance or as standard deviation. The claim is 0.9116 in [max-ε+1, max].
TEST_CASE("under three of five readings the maximum is not approximated with the probability of section 8.3") {
  tests::CounterBitSource bits("section 8.3");
  for (const double deviation : {std::sqrt(20.0), 20.0}) {
    Rows rows;
    const auto below = [&](double x) { return 0.5 * std::erfc((50 - x) / (deviation * std::sqrt(2.0))); };
    for (std::uint32_t v = 0; v < kDomain; ++v) {
      const double share = below(v + 1.5) - below(v + 0.5);
      rows.insert(rows.end(), static_cast<std::size_t>(std::llround(10'000 * share)), v);
    }
    for (const Reading reading : {Reading::kDomainHalfOpen, Reading::kDomainClosed, Reading::kComplement}) {
      const Near near = mean_mass(reading, kReach, rows, 5, bits);
      MESSAGE("deviation " << deviation << ", reading " << static_cast<int>(reading) << ": claimed 0.9116, found "
                           << near.last_reach);
      CHECK(near.last_reach < 0.8);
    }
  }
}

}  // namespace
}  // namespace hearsay::central
