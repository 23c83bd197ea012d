#include "aggregator/central/halfspaces/net.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"

namespace hearsay::central {
namespace {

TEST_CASE(
    "a net has each vector on the surface of its cube once, and each vector and its number convert into each other") {
  for (const auto& [k, l] : {std::pair{1U, 3U}, {2U, 1U}, {2U, 4U}, {3U, 2U}, {4U, 1U}, {5U, 2U}}) {
    const HalfspaceNet net = HalfspaceNet::create(k, l).value();
    std::set<std::vector<std::int32_t>> all;
    for (std::uint64_t index = 0; index < net.size(); ++index) {
      const std::vector<std::int32_t> vector = net.at(index);
      std::int32_t longest = 0;
      for (const std::int32_t x : vector) longest = std::max(longest, std::abs(x));
      CHECK(longest == static_cast<std::int32_t>(l));
      all.insert(vector);
      CHECK(net.near(std::vector<double>(vector.begin(), vector.end())) == index);
    }
    CHECK(all.size() == net.size());
    CHECK(net.size() == static_cast<std::uint64_t>(std::pow(2 * l + 1, k) - std::pow(2 * l - 1, k)));
  }
}

TEST_CASE("every direction is within the radius of the net") {
  tests::CounterBitSource bits("net");
  for (const auto& [k, l] : {std::pair{2U, 3U}, {3U, 2U}, {5U, 2U}, {8U, 1U}}) {
    const HalfspaceNet net = HalfspaceNet::create(k, l).value();
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> y;
      for (unsigned j = 0; j < k; ++j) y.push_back(static_cast<double>(bits.bits(32)) * 0x1p-31 - 1);
      double yy = 0;
      double vv = 0;
      double product = 0;
      const std::vector<std::int32_t> v = net.at(net.near(y));
      for (unsigned j = 0; j < k; ++j) {
        yy += y[j] * y[j];
        vv += v[j] * v[j];
        product += y[j] * v[j];
      }
      CHECK(product > 0);
      CHECK(1 - product * product / (yy * vv) <= net.radius() * net.radius() + 1e-12);  // sin² of the angle
    }
  }
}

TEST_CASE("the radius of a net is at most the requested radius, and a net of more than a million vectors is refused") {
  const HalfspaceNet net = HalfspaceNet::with_radius(3, 0.375).value();
  CHECK(net.resolution() == 2);
  CHECK(net.radius() <= 0.375);
  CHECK(HalfspaceNet::with_radius(1, 0.1).value().size() == 2);
  CHECK(HalfspaceNet::create(2, 125'000).value().size() == 1'000'000);
  for (const auto& [k, l] : {std::pair{2U, 125'001U}, {13U, 1U}, {14'654U, 1U}, {4'000'000'000U, 4'000'000'000U}}) {
    CHECK(HalfspaceNet::create(k, l).error().code == ErrorCode::kDomainTooLarge);
  }
  CHECK(HalfspaceNet::with_radius(14'654, 0.375).error().code == ErrorCode::kDomainTooLarge);
  CHECK(HalfspaceNet::with_radius(3, 1e-300).error().code == ErrorCode::kDomainTooLarge);
  CHECK_FALSE(HalfspaceNet::create(0, 1));
  CHECK_FALSE(HalfspaceNet::create(1, 0));
  for (const double bad : {0.0, -1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(HalfspaceNet::with_radius(3, bad).error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::central
