// Tests the (α, τ)-privacy of the online median mechanism, by its enumerated law on a domain of two elements.

#include "aggregator/central/median/median_law.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "aggregator/central/median/median_session.h"
#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using Queries = std::vector<std::vector<std::uint32_t>>;
using Records = std::vector<std::uint64_t>;

// There are three multisets of size m = 2 over two elements, so there are three candidates and at most two hard
// queries. With delta near 1 the thresholds are low, so hard queries are likely even with few records.
OnlineMedian tiny(const char* alpha, double tau, Neighbours neighbours = Neighbours::kReplaceOne) {
  MedianAgreement a{Epsilon::parse(alpha).value(), tau, neighbours, 2, 2, 1, 3, 0.99, 2, std::nullopt};
  if (neighbours == Neighbours::kAddRemove) a.alpha_for_total = Epsilon::parse("0.25").value();
  return OnlineMedian::create(a).value();
}

const Queries kQueries{{1, 0}, {0, 1}, {1, 0}};

struct Worst {
  std::vector<HockeyStick> sticks;  // the largest divergence at each alpha
  double ratio = 0;                 // the largest |ln a/b| of outcomes that are likely enough to be exact
};
void compare(const MedianLaw& a, const MedianLaw& b, const std::vector<double>& alphas, Worst& worst) {
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    const HockeyStick stick = hockey_stick(a, b, alphas[i]).value();
    worst.sticks[i].lower = std::max(worst.sticks[i].lower, stick.lower);
    worst.sticks[i].upper = std::max(worst.sticks[i].upper, stick.upper);
  }
  for (std::size_t i = 0; i < a.probabilities.size(); ++i) {
    const double ratio = a.probabilities[i] / b.probabilities[i];
    if (b.probabilities[i] > 1e-25 && ratio > worst.ratio) worst.ratio = ratio;
  }
}

// Goes over all neighbouring histograms of `records` records. For kAddRemove a neighbour has one record fewer.
Worst worst_pair(const OnlineMedian& median, std::uint64_t records, const std::vector<double>& alphas) {
  const AnswerWindow window{-45, static_cast<std::int64_t>(records) + 45};
  const bool replace = median.agreement().neighbours == Neighbours::kReplaceOne;
  const auto law = [&](std::uint64_t first, std::uint64_t all) {
    const Records data{first, all - first};
    return median_law(median, static_cast<std::int64_t>(records), data, kQueries, window).value();
  };
  Worst worst{std::vector<HockeyStick>(alphas.size(), {0, 0}), 0};
  const auto both_ways = [&](const MedianLaw& a, const MedianLaw& b) {
    compare(a, b, alphas, worst);
    compare(b, a, alphas, worst);
  };
  MedianLaw before = law(0, records);
  for (std::uint64_t first = 1; first <= records; ++first) {
    MedianLaw now = law(first, records);
    if (replace) {
      both_ways(now, before);
    } else {
      const MedianLaw less = law(first - 1, records - 1);  // one record of the first or the second element is removed
      both_ways(now, less);
      both_ways(before, less);
    }
    before = std::move(now);
  }
  worst.ratio = std::log(worst.ratio);
  return worst;
}

TEST_CASE("the law adds up to 1, and the window leaves out the stated probability") {
  const OnlineMedian median = tiny("4", 0);
  const auto mass = [&](AnswerWindow window) {
    const MedianLaw law = median_law(median, 110, Records{100, 10}, kQueries, window).value();
    const double listed = std::accumulate(law.probabilities.begin(), law.probabilities.end(), 0.0);
    return std::pair{listed, law.unlisted};
  };
  for (const AnswerWindow window : {AnswerWindow{-70, 180}, {0, 110}, {95, 95}}) {
    const auto [listed, unlisted] = mass(window);
    CHECK(listed + unlisted == doctest::Approx(1).epsilon(1e-11));
  }
  CHECK(mass({-70, 180}).second < 1e-12);
  CHECK(mass({95, 95}).second > 0.1);
}

// With τ = 0 the mechanism is purely private: no outcome is more than e^α times as likely, and the divergence at α is
// below 1e-9. At α/8 the divergence is above 1/20. So the test would refute a mechanism with an eighth of the noise.
TEST_CASE("with τ = 0 the mechanism is purely α-private") {
  const Worst worst = worst_pair(tiny("4", 0), 110, {4, 0.5});
  MESSAGE("α = 4, τ = 0: divergence at most " << worst.sticks[0].upper << ", largest log-ratio " << worst.ratio);
  CHECK(worst.sticks[0].upper < 1e-9);
  CHECK(worst.ratio <= 4 * (1 + 1e-9));
  CHECK(worst.ratio > 2);
  CHECK(worst.sticks[1].lower > 0.05);
}

TEST_CASE("with τ > 0 the divergence at α stays below τ, for both kinds of neighbours") {
  constexpr double kTau = 0.05;
  const OnlineMedian replace = tiny("4", kTau);
  CHECK(replace.epsilon_per_round() > Rational::create(2, 1).value());
  const Worst replaced = worst_pair(replace, 110, {4, 0.5});
  MESSAGE("replace-one, τ = 0.05: divergence at α at most " << replaced.sticks[0].upper);
  CHECK(replaced.sticks[0].upper <= kTau);
  CHECK(replaced.sticks[1].lower > kTau);
  // The law is for a released number of records, whose release has cost 0.25.
  const Worst added = worst_pair(tiny("4.25", kTau, Neighbours::kAddRemove), 110, {4, 0.5});
  MESSAGE("add-remove, τ = 0.05: divergence at α - 0.25 at most " << added.sticks[0].upper);
  CHECK(added.sticks[0].upper <= kTau);
  CHECK(added.sticks[1].lower > kTau);
}

// Compares the frequencies of patterns of hard queries (false alarm 1e-9 each) with the law. Also compares the first
// hard answer of sessions whose first query is hard, by χ² (1e-9).
TEST_CASE("sessions follow the enumerated law") {
  tests::CounterBitSource bits("median law");
  const OnlineMedian median = tiny("4", 0);
  const Records data{100, 10};
  constexpr AnswerWindow kWindow{-45, 155};
  constexpr int kRuns = 40'000;
  constexpr std::size_t kAnswers = 201;
  std::vector<std::uint64_t> patterns(8);
  std::vector<double> first_answers(kAnswers);
  for (int run = 0; run < kRuns; ++run) {
    MedianSession session = MedianSession::start(median, data, bits).value();
    std::size_t pattern = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto given = session.answer(kQueries[i], bits);
      if (!given) break;
      if (!given->hard) continue;
      if (i == 0) ++first_answers[static_cast<std::size_t>(given->integer - kWindow.low)];
      pattern |= std::size_t{1} << i;
    }
    ++patterns[pattern];
  }
  // The law lists the outcome without a hard query first. Then, for each first hard query and its answer, the law
  // lists the rest in the same order.
  const std::vector<double> law = median_law(median, 110, data, kQueries, kWindow)->probabilities;
  std::vector<double> expected(8);
  std::vector<double> expected_first(kAnswers);
  std::size_t next = 0;
  expected[0] += law[next++];
  for (std::size_t a = 0; a < kAnswers; ++a) {
    const std::size_t start = next;
    expected[1] += law[next++];
    for (std::size_t b = 0; b < kAnswers; ++b) expected[3] += law[next++];
    for (std::size_t b = 0; b < kAnswers; ++b) expected[5] += law[next++];
    for (std::size_t i = start; i < next; ++i) expected_first[a] += law[i];
  }
  for (std::size_t a = 0; a < kAnswers; ++a) {
    expected[2] += law[next++];
    for (std::size_t b = 0; b < kAnswers; ++b) expected[6] += law[next++];
  }
  for (std::size_t a = 0; a < kAnswers; ++a) expected[4] += law[next++];
  REQUIRE(next == law.size());
  for (std::size_t pattern = 0; pattern < 8; ++pattern) {
    CAPTURE(pattern);
    CHECK(tests::binomial_band(kRuns, std::min(1.0, expected[pattern]), 1e-9).contains(patterns[pattern]));
  }
  double chi_square = 0;
  int classes = 0;
  for (std::size_t a = 0; a < kAnswers; ++a) {
    const double mean = kRuns * expected_first[a];
    if (mean < 25) continue;
    chi_square += (first_answers[a] - mean) * (first_answers[a] - mean) / mean;
    ++classes;
  }
  CHECK(classes >= 5);
  CHECK(chi_square < tests::chi_square_threshold(classes, 1e-9));
}

TEST_CASE("laws of malformed data, queries or windows are refused, and so are laws that are too large to list") {
  const OnlineMedian median = tiny("4", 0);
  const Records data{25, 5};
  const auto code = [&](std::int64_t total, const Records& records, const Queries& queries, AnswerWindow window) {
    return median_law(median, total, records, queries, window).error().code;
  };
  CHECK(code(30, {1, 2, 3}, kQueries, {0, 9}) == ErrorCode::kInvalidArgument);
  CHECK(code(30, data, {{1, 0, 0}}, {0, 9}) == ErrorCode::kInvalidArgument);
  CHECK(code(30, data, {{2, 0}}, {0, 9}) == ErrorCode::kInvalidArgument);
  CHECK(code(30, data, Queries(4, {1, 0}), {0, 9}) == ErrorCode::kInvalidArgument);
  CHECK(code(-1, data, kQueries, {0, 9}) == ErrorCode::kInvalidArgument);
  CHECK(code(30, {~0ULL, 1}, kQueries, {0, 9}) == ErrorCode::kInvalidArgument);
  CHECK(code(30, data, kQueries, {9, 0}) == ErrorCode::kInvalidArgument);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(code(30, data, kQueries, {-kMost, kMost}) == ErrorCode::kInvalidArgument);
  CHECK(code(30, data, kQueries, {0, 10'000}) == ErrorCode::kDomainTooLarge);
  const MedianLaw none = median_law(median, 110, data, {}, {0, 9}).value();
  CHECK(none.probabilities == std::vector<double>{1});
  const MedianLaw law = median_law(median, 110, data, kQueries, {0, 9}).value();
  CHECK(hockey_stick(law, none, 1).error().code == ErrorCode::kInvalidArgument);
  for (const double alpha : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    CHECK(hockey_stick(law, law, alpha).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(hockey_stick(law, law, 710)->lower == 0);
}

}  // namespace
}  // namespace hearsay::central
