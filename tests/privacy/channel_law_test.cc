// Checks the ratio of probabilities for two records, over the whole integer pipeline. The test walks the decision tree
// of the device's sampler, and puts its noise through the channel's own addition and clamp. sampler_law_test.cc covers
// the noise alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/audit/audit.h"
#include "common/privacy/exact_samplers.h"
#include "tests/support/decision_tree.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay {
namespace {

using tests::Enclosure;
using tests::laplace_of;
using tests::laplace_task;
using tests::MergingCoin;
using tests::ratio;

// Paths with a smaller probability are not followed. Their total probability, the enclosure's residual, is near 1e-11.
constexpr long double kSmallest = 1e-15L;

struct Case {
  std::string shape;
  std::string epsilon;
  LaplaceCalibration calibration;
};

// For d = 1 and d = 8 the root in the paper's scale (2/ε)·√(2d(d+1)) is 2 and 12, so the scale is a small rational.
// Larger numerators make larger trees.
const std::vector<Case> kCases = {{"b", "0.25", LaplaceCalibration::kTight},
                                  {"b b", "1", LaplaceCalibration::kTight},
                                  {"b", "4", LaplaceCalibration::kTight},
                                  {"b c3", "2.5", LaplaceCalibration::kTight},
                                  {"r4 b", "0.8", LaplaceCalibration::kTight},
                                  {"b", "1", LaplaceCalibration::kPaper},
                                  {"b b b b b b b b", "4", LaplaceCalibration::kPaper},
                                  {"r9", "3", LaplaceCalibration::kPaper}};

Enclosure<std::int64_t> noise_law(const Rational& scale) {
  return tests::enumerate<std::int64_t, MergingCoin>(
      [&](MergingCoin& coin) { return discrete_laplace(coin, scale.num(), scale.den()); }, kSmallest);
}

// Returns the law of y_j for a_j = a.
Enclosure<std::int64_t> coordinate_law(const LaplaceChannel& channel, std::size_t dimension, std::size_t j, int a,
                                       const Enclosure<std::int64_t>& noise) {
  std::vector<std::int8_t> embedding(dimension, 1);
  embedding[j] = static_cast<std::int8_t>(a);
  std::vector<std::int64_t> drawn(channel.coordinates(), 0);
  std::vector<std::int32_t> y(channel.coordinates());
  Enclosure<std::int64_t> law;
  law.residual = noise.residual;
  for (const auto& [value, mass] : noise.mass) {
    drawn[j] = value;
    channel.add_noise(embedding, drawn, y);
    law.mass[y[j]] += mass;
  }
  return law;
}

// Returns a lower bound on the largest log-ratio of coordinate j between a = +1 and a = -1.
long double certified_loss(const LaplaceChannel& channel, std::size_t dimension, std::size_t j,
                           const Enclosure<std::int64_t>& noise) {
  const auto yes = coordinate_law(channel, dimension, j, +1, noise);
  const auto no = coordinate_law(channel, dimension, j, -1, noise);
  long double largest = 0;
  for (const auto& [y, low] : yes.mass) largest = std::max(largest, std::log(low / no.high(y)));
  for (const auto& [y, low] : no.mass) largest = std::max(largest, std::log(low / yes.high(y)));
  return largest;
}

// Returns a lower bound on the largest log-ratio of whole reports. The two records differ by as much as the
// arrangement allows: Δ_b/2 coordinates in each block b.
long double certified_loss(const Task& task, const LaplaceChannel& channel) {
  long double sum = 0;
  for (const AttributeBlock& block : std::get<Literals>(task.arrangement().kind()).blocks()) {
    const auto noise = noise_law(channel.scale(block.offset));
    const long double one = certified_loss(channel, task.arrangement().dimension(), block.offset, noise);
    sum += one * static_cast<long double>(block.sensitivity) / 2;
  }
  return sum;
}

TEST_CASE("every coordinate has the law that the audit reads") {
  for (const Case& c : kCases) {
    CAPTURE(c.shape);
    CAPTURE(c.epsilon);
    const Task task = laplace_task(c.shape, c.epsilon, {c.calibration, {}});
    const LaplaceChannel& channel = laplace_of(task);
    const auto noise = noise_law(channel.scale(0));
    REQUIRE(noise.residual < 1e-10L);
    const long double q = std::exp(-1 / static_cast<long double>(channel.scale(0).approximate()));
    for (const int a : {-1, 1}) {
      const auto found = coordinate_law(channel, task.arrangement().dimension(), 0, a, noise);
      for (std::int64_t y = -channel.bound(0); y <= channel.bound(0); ++y) {
        const LaplaceChannel::Atom atom = channel.atom(0, a, y);
        const long double p = (atom.end ? 1 : 1 - q) / (1 + q) * std::pow(q, static_cast<long double>(atom.power));
        // The factor 1e-12 allows for the rounding of p, whose scale is a double.
        CHECK(found.low(y) <= p * (1 + 1e-12L));
        CHECK(found.high(y) >= p * (1 - 1e-12L));
      }
    }
  }
}

TEST_CASE("the pipeline spends what the audit states, and no more") {
  for (const Case& c : kCases) {
    CAPTURE(c.shape);
    CAPTURE(c.epsilon);
    const Task task = laplace_task(c.shape, c.epsilon, {c.calibration, {}});
    const auto stated = static_cast<long double>(audit(task, task.channel()).value().actual.approximate());
    const long double found = certified_loss(task, laplace_of(task));
    CHECK(found <= stated * (1 + 1e-15L));
    CHECK(found > stated - 1e-6L);
  }
}

TEST_CASE("the enclosures certify that a scale one unit too small spends more") {
  for (const Case& c : kCases) {
    if (c.calibration == LaplaceCalibration::kPaper) continue;  // `paper` spends at most 1/√2 of its ε
    const Task task = laplace_task(c.shape, c.epsilon);
    std::vector<Rational> scales = tests::scales_of(task);
    if (scales[0].num() == 1) continue;
    CAPTURE(c.shape);
    CAPTURE(c.epsilon);
    for (Rational& scale : scales) scale = ratio(scale.num() - 1, scale.den());
    const LaplaceChannel planted = laplace_of(task).with_scales(scales).value();
    CHECK(certified_loss(task, planted) > static_cast<long double>(task.epsilon().approximate()));
  }
}

}  // namespace
}  // namespace hearsay
