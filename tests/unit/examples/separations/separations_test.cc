#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "common/channel/channel.h"
#include "common/privacy/samplers.h"
#include "examples/separations/local_channels.h"
#include "examples/separations/noninteractive.h"
#include "examples/separations/parity_gap.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/small_domains.h"

namespace hearsay::examples {
namespace {

using tests::eps;

TEST_CASE("no channel exceeds the bounds of Lemma 2 and Proposition 2, or the mean of Parseval's identity") {
  for (const char* epsilon : {"0.1", "1", "4"}) {
    for (const unsigned bits : {1U, 2U, 3U, 6U}) {
      const auto channels = local_channels(bits, eps(epsilon)).value();
      CHECK(channels.size() == (bits == 1 ? 6U : bits == 2 ? 8U : 10U));
      for (const LocalChannel& channel : channels) {
        CAPTURE(channel.name);
        CHECK(mean(channel) <= distance_bounds(bits, std::stod(epsilon), 1).mean * (1 + 1e-9));
        for (const double alpha : {0.05, 1.0 / 3, 0.8}) {
          const DistanceBounds bounds = distance_bounds(bits, std::stod(epsilon), alpha);
          CHECK(quantile(channel, 1 - alpha) <= bounds.lemma_2);
          CHECK(bounds.lemma_2 < bounds.as_printed);
        }
      }
    }
  }
}

// For one bit, the distance of the best channel is (e^ε-1)/(e^ε+1). This distance equals the bound on the mean to
// first order in ε.
TEST_CASE("simple channels have the known distances") {
  const double gamma = std::tanh(0.5);
  const auto of_one_bit = local_channels(1, eps("1")).value();
  for (const LocalChannel& channel : of_one_bit) {
    if (channel.name == "literals, Laplace" || channel.name == "literals, Laplace of the paper") continue;
    CHECK(channel.distances[1] == doctest::Approx(gamma).epsilon(1e-9));
  }
  const auto of_four_bits = local_channels(4, eps("1")).value();
  for (const LocalChannel& channel : of_four_bits) {
    if (channel.name == "literals, sampled singly") {
      for (std::uint32_t r = 1; r < 16; ++r) {
        CHECK(channel.distances[r] == doctest::Approx(std::has_single_bit(r) ? gamma / 4 : 0).epsilon(1e-9));
      }
    }
    if (channel.name == "characters of order 2, raw pairs") {
      const double pairs = std::expm1(1) / (std::expm1(1) + 4);
      CHECK(channel.distances[3] == doctest::Approx(pairs / 6).epsilon(1e-9));
      CHECK(channel.distances[1] == doctest::Approx(pairs / 2).epsilon(1e-9));
      CHECK(channel.distances[7] == doctest::Approx(0).epsilon(1e-9));
    }
  }
}

// Enumerates the noisy coordinates of two bits. With this ε the bounds of the coordinates are small.
TEST_CASE("the distances of a product are those of its enumerated law") {
  const auto channels = local_channels(2, eps("30")).value();
  const Arrangement arrangement = Arrangement::create(LiteralsSpec{}, tests::schema_of("b b")).value();
  const LaplaceChannel channel = LaplaceChannel::create({}, arrangement, eps("30")).value();
  const auto probability = [&](std::size_t j, int a, std::int64_t y) {
    const double q = std::exp(-1 / channel.scale(j).approximate());
    const auto atom = channel.atom(j, a, y);
    return (atom.end ? 1 : 1 - q) / (1 + q) * std::pow(q, static_cast<double>(atom.power));
  };
  std::vector<double> distances(4, 0);
  for (std::int64_t y0 = -channel.bound(0); y0 <= channel.bound(0); ++y0) {
    for (std::int64_t y1 = -channel.bound(1); y1 <= channel.bound(1); ++y1) {
      for (std::uint32_t r = 1; r < 4; ++r) {
        double difference = 0;
        for (std::uint32_t x = 0; x < 4; ++x) {
          const double p = probability(0, (x & 1U) != 0 ? 1 : -1, y0) * probability(1, (x & 2U) != 0 ? 1 : -1, y1);
          difference += std::popcount(x & r) % 2 == 0 ? p : -p;
        }
        distances[r] += std::abs(difference) / 4;
      }
    }
  }
  for (std::uint32_t r = 1; r < 4; ++r) CHECK(channels[0].distances[r] == doctest::Approx(distances[r]).epsilon(1e-9));
  CHECK(distances[3] < distances[1]);
}

TEST_CASE("no release exceeds the bounds of Theorem 3, and a release of one row is a local report") {
  for (const auto& [bits, rows] : {std::pair{3U, 1U}, {2U, 2U}, {3U, 2U}, {2U, 3U}}) {
    for (const char* epsilon : {"0.1", "1"}) {
      const ReleaseBounds bounds = release_bounds(bits, rows, std::stod(epsilon));
      const auto releases = noninteractive_releases(bits, rows, eps(epsilon)).value();
      for (const ReleaseDistances& release : releases) {
        CAPTURE(release.name);
        std::vector<double> sorted = release.distances;
        std::sort(sorted.begin(), sorted.end());
        CHECK(static_cast<double>(sorted.size()) == std::pow(std::exp2(bits) - 1, rows));
        const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
        CHECK(mean <= bounds.mean * (1 + 1e-9));
        CHECK(mean > 0);
        CHECK(sorted[(2 * sorted.size() + 2) / 3 - 1] <= bounds.theorem_3);
      }
    }
  }
  // The release of one row is randomized response among 2^d values.
  const auto one = noninteractive_releases(3, 1, eps("1")).value();
  for (const double distance : one[1].distances) {
    CHECK(distance == doctest::Approx(std::expm1(1) / (std::expm1(1) + 8)).epsilon(1e-9));
  }
  // With two rows, the releases are independent. The distance of the two products is computed by hand.
  const double truth = std::exp(1) / (std::exp(1) + 3);
  const double even =
      truth / 2 + (1 - truth) / 6;  // the probability of each single value that has the row's own parity
  const double odd = (1 - truth) / 3;
  double distance = 0;
  for (const unsigned told : {0U, 1U, 2U, 3U}) {  // the parities that the two rows report
    const double p0 = ((told & 1U) == 0 ? even : odd) * ((told & 2U) == 0 ? even : odd);
    const double p1 = ((told & 1U) == 1 ? even : odd) * ((told & 2U) == 2 ? even : odd);
    distance += 4 * std::abs(p0 - p1) / 2;
  }
  const auto two = noninteractive_releases(2, 2, eps("1")).value();
  for (const double found : two[1].distances) {
    CHECK(found == doctest::Approx(distance).epsilon(1e-9));
  }
}

TEST_CASE("two databases that share half their rows differ in a parity, and a database with equal rows is refused") {
  tests::CounterBitSource bits("gap");
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t rows = 1 + uniform_below(bits, 8);
    std::vector<std::uint32_t> values(32);
    std::iota(values.begin(), values.end(), 0U);
    for (std::size_t i = 0; i < values.size(); ++i)
      std::swap(values[i], values[i + uniform_below(bits, values.size() - i)]);
    const std::vector<std::uint32_t> first(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows));
    const auto skipped = static_cast<std::ptrdiff_t>(rows - rows / 2);
    const std::vector<std::uint32_t> second(values.begin() + skipped,
                                            values.begin() + skipped + static_cast<std::ptrdiff_t>(rows));
    const ParityGap found = widest_parity(first, second, 5).value();
    double widest = 0;
    for (std::uint32_t s = 0; s < 32; ++s) {
      double difference = 0;
      for (const std::uint32_t row : first) difference += std::popcount(row & s) % 2 == 0 ? 1 : 0;
      for (const std::uint32_t row : second) difference -= std::popcount(row & s) % 2 == 0 ? 1 : 0;
      widest = std::max(widest, std::abs(difference) / static_cast<double>(rows));
    }
    CHECK(found.gap == doctest::Approx(widest).epsilon(1e-12));
    CHECK(found.gap >= parity_gap_bound(rows) * std::sqrt(2.0) - 1e-12);
  }
  using Rows = std::vector<std::uint32_t>;
  CHECK(widest_parity(Rows{1, 1}, Rows{2, 3}, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(widest_parity(Rows{1, 2}, Rows{3, 3}, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(widest_parity(Rows{1}, Rows{2, 3}, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(widest_parity(Rows{8}, Rows{2}, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(widest_parity(Rows{}, Rows{}, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(widest_parity(Rows{1}, Rows{2}, 21).error().code == ErrorCode::kDomainTooLarge);
}

TEST_CASE("a universe that is too large to enumerate is an error") {
  CHECK(local_channels(13, eps("1")).error().code == ErrorCode::kDomainTooLarge);
  CHECK(local_channels(8, eps("0.000159")).error().code == ErrorCode::kDomainTooLarge);
  CHECK(local_channels(8, eps("0.000001")).error().message.find("0.000160") != std::string::npos);
  CHECK(local_channels(0, eps("1")).error().code == ErrorCode::kInvalidArgument);
  CHECK(noninteractive_releases(5, 3, eps("1")).error().code == ErrorCode::kDomainTooLarge);
  CHECK(noninteractive_releases(7, 1, eps("1")).error().code == ErrorCode::kDomainTooLarge);
  CHECK(noninteractive_releases(2, 4, eps("1")).error().code == ErrorCode::kDomainTooLarge);
  CHECK(noninteractive_releases(0, 1, eps("1")).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::examples
