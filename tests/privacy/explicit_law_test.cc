// Checks the channel `laplace` on explicit vectors: the law of whole reports for every pair of records, from the
// sampler's decision tree, and the audit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "common/audit/audit.h"
#include "common/privacy/exact_samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/decision_tree.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay {
namespace {

using tests::Enclosure;
using tests::explicit_spec;
using tests::laplace_of;
using tests::MergingCoin;
using tests::ratio;

constexpr long double kSmallest = 1e-15L;

struct Case {
  std::string name;
  std::string shape;
  std::string epsilon;
  ExplicitSpec vectors;
};

// Returns cases whose sensitivity is a few units, so that the trees are small. In the first case all entries exceed the
// sensitivity.
std::vector<Case> cases() {
  return {{"far from 0", "c3", "1", {1, {120, 122, 125}, {{"a0 = v0", {1}}}}},
          {"both signs", "b b", "2.5", {2, {-3, 1, 2, 0, 0, -1, 3, 1}, {{"a0", {1, 1}}}}},
          {"one record apart", "r4", "0.8", {3, {1, 1, 0, 1, 1, 0, 1, 1, 0, -1, 2, 1}, {{"a0 >= 0", {1, 1, 0}}}}},
          {"two alike", "b b", "4", {2, {5, -7, 5, -7, 6, -7, 5, -9}, {{"a0", {1, 0}}}}}};
}

// Returns the law of y_0 for a_0 = a with the given noise, by the channel's own addition and clamp.
Enclosure<std::int64_t> coordinate_law(const LaplaceChannel& channel, int a, const Enclosure<std::int64_t>& noise) {
  const std::vector<std::int8_t> embedding(channel.coordinates(), static_cast<std::int8_t>(a));
  std::vector<std::int64_t> drawn(channel.coordinates(), 0);
  std::vector<std::int32_t> y(channel.coordinates());
  Enclosure<std::int64_t> law;
  law.residual = noise.residual;
  for (const auto& [value, mass] : noise.mass) {
    drawn[0] = value;
    channel.add_noise(embedding, drawn, y);
    law.mass[y[0]] += mass;
  }
  return law;
}

Enclosure<std::int64_t> noise_law(const Rational& scale) {
  return tests::enumerate<std::int64_t, MergingCoin>(
      [&](MergingCoin& coin) { return discrete_laplace(coin, scale.num(), scale.den()); }, kSmallest);
}

// Returns a lower bound on the largest log-ratio between two records. Coordinates are independent and have one law, so
// the largest ratios multiply.
long double certified_loss(const Task& task, const LaplaceChannel& channel) {
  const auto noise = noise_law(channel.scale(0));
  const auto& vectors = std::get<Explicit>(task.arrangement().kind());
  std::map<int, Enclosure<std::int64_t>> laws;
  for (std::size_t x = 0; x < vectors.records(); ++x) {
    for (const std::int8_t entry : vectors.vector_of(x)) laws.emplace(entry, coordinate_law(channel, entry, noise));
  }
  std::map<std::pair<int, int>, long double> of_entries;
  for (const auto& [a, law] : laws) {
    for (const auto& [b, other] : laws) {
      long double largest = 0;
      for (const auto& [y, low] : law.mass) largest = std::max(largest, std::log(low / other.high(y)));
      of_entries[{a, b}] = largest;
    }
  }
  long double largest = 0;
  for (std::size_t x = 0; x < vectors.records(); ++x) {
    for (std::size_t other = 0; other < vectors.records(); ++other) {
      long double sum = 0;
      for (std::size_t j = 0; j < vectors.dimension(); ++j) {
        sum += of_entries[{vectors.vector_of(x)[j], vectors.vector_of(other)[j]}];
      }
      largest = std::max(largest, sum);
    }
  }
  return largest;
}

TEST_CASE("a report about explicit vectors spends epsilon, and no more") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const Task task = Task::create(explicit_spec(c.shape, c.vectors, c.epsilon)).value();
    const auto epsilon = static_cast<long double>(task.epsilon().approximate());
    const long double found = certified_loss(task, laplace_of(task));
    CHECK(found <= epsilon * (1 + 1e-15L));
    CHECK(found > epsilon - 1e-6L);

    const Rational scale = laplace_of(task).scale(0);
    if (scale.num() == 1) continue;
    const std::vector<Rational> less(laplace_of(task).coordinates(), ratio(scale.num() - 1, scale.den()));
    CHECK(certified_loss(task, laplace_of(task).with_scales(less).value()) > epsilon);
  }
}

TEST_CASE("the printed scale for explicit vectors is (2/ε)·R·√d, and leaves some of epsilon unspent") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const Task task = Task::create(explicit_spec(c.shape, c.vectors, c.epsilon, LaplaceCalibration::kPaper)).value();
    const auto& vectors = std::get<Explicit>(task.arrangement().kind());
    double square = 0;
    for (std::size_t x = 0; x < vectors.records(); ++x) {
      double norm = 0;
      for (const std::int8_t entry : vectors.vector_of(x)) norm += entry * entry;
      square = std::max(square, norm);
    }
    CHECK(laplace_of(task).coordinates() == vectors.dimension());
    const double printed =
        2 / task.epsilon().approximate() * std::sqrt(square * static_cast<double>(vectors.dimension()));
    const double scale = laplace_of(task).scale(0).approximate();
    CHECK(scale >= printed * (1 - 1e-15));
    CHECK(scale <= printed + 2 / task.epsilon().approximate() * 0x1p-16);
    const AuditResult result = audit(task, task.channel()).value();
    CHECK(result.holds);
    CHECK(result.actual < result.claimed);
  }
}

TEST_CASE("an honest report about explicit vectors is clamped with probability below 2^-64") {
  for (const Case& c : cases()) {
    const Task task = Task::create(explicit_spec(c.shape, c.vectors, c.epsilon)).value();
    const LaplaceChannel& channel = laplace_of(task);
    const auto& vectors = std::get<Explicit>(task.arrangement().kind());
    double chance = 0;
    for (std::size_t j = 0; j < channel.coordinates(); ++j) {
      // With A = largest_entry(), m = bound - A + 1 and q = exp(-1/t): Pr[|a + Y| > bound] <= Pr[|Y| > bound - A] =
      // 2q^m/(1+q).
      const double t = channel.scale(j).approximate();
      const auto m = static_cast<double>(channel.bound(j) - vectors.largest_entry() + 1);
      chance += 2 * std::exp(-m / t) / (1 + std::exp(-1 / t));
    }
    CAPTURE(c.name);
    CHECK(chance < 0x1p-64);
    CHECK(chance > 0x1p-70);  // so the bound is hardly wider than needed
  }
}

TEST_CASE("for random vectors the audit finds exactly epsilon, and refutes a smaller scale") {
  tests::CounterBitSource bits("audited vectors");
  for (const std::string shape : {"b", "b b", "c5", "b c3", "r7 b"}) {
    for (const std::uint32_t dimension : {1U, 3U, 8U}) {
      for (const int largest : {1, 9, 127}) {
        for (const std::string epsilon : {"0.3", "1", "4"}) {
          CAPTURE(shape);
          CAPTURE(dimension);
          CAPTURE(largest);
          const auto made =
              Task::create(explicit_spec(shape, tests::random_vectors(shape, dimension, largest, bits), epsilon));
          if (!made) continue;  // all records have the same vector
          const AuditResult result = audit(*made, made->channel()).value();
          CHECK(result.holds);
          CHECK(result.exact);
          CHECK(result.actual == result.claimed);
          // This report has the largest loss: Σ (|y - b| - |y - a|)/t.
          const LaplaceChannel& channel = laplace_of(*made);
          std::vector<std::int8_t> a(dimension);
          std::vector<std::int8_t> b(dimension);
          made->arrangement().encode(result.worst_first, a);
          made->arrangement().encode(result.worst_second, b);
          std::int64_t units = 0;
          for (std::size_t j = 0; j < dimension; ++j) {
            const std::int64_t y = result.worst_report[j];
            units += std::abs(y - b[j]) - std::abs(y - a[j]);
          }
          CHECK(static_cast<std::uint64_t>(units) == made->arrangement().sensitivity().value());

          const Rational scale = channel.scale(0);
          const std::vector<Rational> less(dimension, ratio(1000 * scale.num() - 1, 1000 * scale.den()));
          CHECK_FALSE(audit(*made, tests::planted(*made, less)).value().holds);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hearsay
