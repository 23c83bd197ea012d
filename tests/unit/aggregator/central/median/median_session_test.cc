#include "aggregator/central/median/median_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using Query = std::vector<std::uint32_t>;
using Records = std::vector<std::uint64_t>;

MedianAgreement agreement(const char* alpha, Neighbours neighbours) {
  MedianAgreement a{Epsilon::parse(alpha).value(), 0, neighbours, 3, 8, 1, 30, 0.2, 0, std::nullopt};
  if (neighbours == Neighbours::kAddRemove) a.alpha_for_total = Epsilon::parse("0.1").value();
  return a;
}

OnlineMedian median_of(const MedianAgreement& a) { return OnlineMedian::create(a).value(); }

double answer_to(const Query& query, const Records& records, std::uint64_t unit) {
  double sum = 0;
  for (std::size_t x = 0; x < records.size(); ++x) sum += query[x] * static_cast<double>(records[x]);
  return sum / static_cast<double>(unit);
}

TEST_CASE("the scales of the noise follow from the ε of a round, the size and the unit") {
  MedianAgreement a = agreement("1", Neighbours::kReplaceOne);
  a.unit = 10;
  const OnlineMedian median = median_of(a);
  CHECK(median.hard_budget() == 6);  // there are 45 sparse databases, and ⌊log2 45⌋ + 1 = 6
  CHECK(median.epsilon_per_round() == Rational::create(1, 6).value());
  const auto ratio = [](std::uint64_t num, std::uint64_t den) { return Rational::create(num, den).value(); };
  CHECK(median.threshold_noise().scale() == ratio(80 * 6 * 7, 2));  // the sensitivity 8·10, divided by 2/7 of 1/6
  CHECK(median.gap_noise().scale() == ratio(2 * 80 * 6 * 7, 3));
  CHECK(median.answer_noise().scale() == ratio(10 * 6 * 7, 2));
  CHECK_FALSE(median.total_noise());
  a.tau = 0.1;
  CHECK(median_of(a).epsilon_per_round() > ratio(1, 6));
  const OnlineMedian open = median_of(agreement("1", Neighbours::kAddRemove));
  CHECK(open.epsilon_per_round() == ratio(9, 60));  // 0.9 remains after the total's share of 0.1
  CHECK(open.total_noise()->scale() == ratio(10, 1));
  a.queries = 2;
  CHECK(median_of(a).hard_budget() == 2);
}

// Tries all histograms of 4 records, all queries with weights in thirds, and all medians. A record also changes a hard
// answer's integer by at most the unit.
TEST_CASE("a record changes the gap between a true answer and the median by at most the size times the unit") {
  MedianAgreement a = agreement("1", Neighbours::kReplaceOne);
  a.unit = 3;
  const OnlineMedian median = median_of(a);
  std::int64_t largest_gap = 0;
  std::int64_t largest_answer = 0;
  for (std::uint32_t code = 0; code < 64; ++code) {
    const Query query{code & 3U, code >> 2U & 3U, code >> 4U};
    for (std::uint32_t kept = 0; kept < 27; ++kept) {  // the three records that are not replaced
      const std::int64_t rest = std::int64_t{query[kept % 3]} + query[kept / 3 % 3] + query[kept / 9];
      for (std::int64_t middle = 0; middle <= 8 * 3; ++middle) {
        for (std::size_t x = 0; x < 3; ++x) {
          const std::int64_t with = rest + query[x];
          for (const std::int64_t other : {rest, rest + query[0], rest + query[1], rest + query[2]}) {
            largest_gap = std::max(largest_gap, std::abs(median.gap(with, 4, middle) - median.gap(other, 4, middle)));
            largest_answer = std::max(largest_answer, std::abs(with - other));
          }
        }
      }
    }
  }
  CHECK(largest_gap == 8 * 3);
  CHECK(largest_answer == 3);
}

TEST_CASE("for every histogram, some sparse database answers every predicate within the stated error") {
  for (const std::uint32_t size : {2U, 3U, 5U}) {
    MedianAgreement a = agreement("1", Neighbours::kReplaceOne);
    a.size = size;
    a.queries = 1'000'000;
    const double stated = median_of(a).sparse_error();
    CHECK(stated == 3.0 / (4 * size));
    double worst = 0;
    for (std::uint32_t n = 1; n <= 13; ++n) {
      for (std::uint32_t x = 0; x <= n; ++x) {
        for (std::uint32_t y = 0; x + y <= n; ++y) {
          double best = 1;
          for (std::uint32_t s = 0; s <= size; ++s) {
            for (std::uint32_t t = 0; s + t <= size; ++t) {
              const double d[3] = {static_cast<double>(x) / n - static_cast<double>(s) / size,
                                   static_cast<double>(y) / n - static_cast<double>(t) / size,
                                   static_cast<double>(n - x - y) / n - static_cast<double>(size - s - t) / size};
              double largest = 0;
              for (const double sign : {1.0, -1.0}) {
                double part = 0;
                for (const double difference : d) part += std::max(0.0, sign * difference);
                largest = std::max(largest, part);
              }
              best = std::min(best, largest);
            }
          }
          worst = std::max(worst, best);
        }
      }
    }
    CHECK(worst <= stated);
    CHECK(worst > 0.8 * stated);
  }
  MedianAgreement large = agreement("1", Neighbours::kReplaceOne);
  large.domain = 12;
  large.size = 6;
  large.queries = 1;  // the error √(ln 2/12) = 0.24 is below the bound for all predicates, 12/24
  CHECK(median_of(large).sparse_error() == doctest::Approx(std::sqrt(std::log(2) / 12)).epsilon(1e-12));
}

// There are 1,000 sessions of 30 adaptive queries at a relative error of 0.3. In at most a share δ of the sessions an
// answer is refused or beyond this error (false alarm 1e-6). The data make some queries hard. A hard answer
// within the error removes at least half of the candidates.
TEST_CASE("at the stated number of records, all answers are within the error") {
  for (const Neighbours neighbours : {Neighbours::kReplaceOne, Neighbours::kAddRemove}) {
    tests::CounterBitSource bits("median usefulness");
    const MedianAgreement a = agreement("2", neighbours);
    const OnlineMedian median = median_of(a);
    constexpr double kEta = 0.3;
    const std::uint64_t records =
        median.rows_needed(kEta).value() + 200;  // the noise of the private number of records has the scale 10
    CHECK(median.error_bound(static_cast<std::int64_t>(records)) <= kEta * static_cast<double>(records));
    const Records data{records - records / 10, records / 10, 0};
    std::uint64_t failures = 0;
    std::uint64_t hard = 0;
    std::uint64_t not_halved = 0;
    for (int run = 0; run < 1000; ++run) {
      MedianSession session = MedianSession::start(median, data, bits).value();
      bool failed = false;
      std::uint32_t last = 1;  // the next query depends on the last answer
      for (int i = 0; i < 30; ++i) {
        const Query query{static_cast<std::uint32_t>(i % 3 == 0), last, static_cast<std::uint32_t>(bits.bits(1))};
        const std::uint64_t before = session.candidates();
        const auto given = session.answer(query, bits);
        failed = failed || !given ||
                 std::abs(given->value - answer_to(query, data, 1)) > kEta * static_cast<double>(records);
        if (!given) break;
        last = given->integer % 2 == 0 ? 1 : 0;
        if (given->hard && 2 * session.candidates() > before) ++not_halved;
      }
      hard += session.hard();
      if (failed) ++failures;
    }
    const std::uint64_t most = tests::binomial_band(1000, a.delta, 2e-6).high;
    CHECK(failures <= most);
    CHECK(not_halved <= most);
    CHECK(hard > 1000);
  }
}

TEST_CASE("after the hard budget or the agreed queries, a session refuses without reading data or bits") {
  tests::CounterBitSource bits("median budget");
  MedianAgreement a = agreement("64", Neighbours::kReplaceOne);
  a.hard = 2;
  const OnlineMedian median = median_of(a);
  const Records data{100'000, 0, 0};
  MedianSession session = MedianSession::start(median, data, bits).value();
  const Query first{1, 0, 0};
  const Query others{0, 1, 1};
  // At first the candidates' median is about 8/3 of 8 records, but the true answer is all records.
  CHECK(session.answer(first, bits)->hard);
  CHECK(session.candidates() <= 45 / 2);
  CHECK_FALSE(session.answer(first, bits)->hard);
  a.hard = 1;
  MedianSession short_session = MedianSession::start(median_of(a), data, bits).value();
  CHECK(short_session.answer(first, bits)->hard);
  const std::uint64_t consumed = bits.consumed();
  for (int i = 0; i < 5; ++i) {
    CHECK(short_session.answer(others, bits).error().code == ErrorCode::kBudgetExhausted);
    CHECK(short_session.answer(first, bits).error().code == ErrorCode::kBudgetExhausted);
  }
  CHECK(bits.consumed() == consumed);
  CHECK(short_session.answered() == 1);

  a.hard = 0;
  a.queries = 3;
  MedianSession three = MedianSession::start(median_of(a), Records{30, 30, 40}, bits).value();
  for (int i = 0; i < 3; ++i) CHECK(three.answer(first, bits));
  CHECK(three.answer(first, bits).error().code == ErrorCode::kBudgetExhausted);
}

TEST_CASE("easy answers are the scaled median, and hard answers are multiples of the unit") {
  tests::CounterBitSource bits("median answers");
  MedianAgreement a = agreement("64", Neighbours::kReplaceOne);
  a.unit = 4;
  MedianSession session = MedianSession::start(median_of(a), Records{50'000, 50'000, 0}, bits).value();
  const Query query{3, 1, 0};
  const MedianAnswer hard = session.answer(query, bits).value();
  CHECK(hard.hard);
  CHECK(hard.value == static_cast<double>(hard.integer) / 4);
  // The noise has the scale 1.3, in quarters of a record.
  CHECK(std::abs(hard.value - 50'000) < 50);
  const MedianAnswer easy = session.answer(query, bits).value();
  CHECK_FALSE(easy.hard);
  CHECK(easy.value == 100'000.0 * static_cast<double>(easy.integer) / (8 * 4));
}

TEST_CASE("if the source of random bits fails, the session ends") {
  tests::CounterBitSource bits("median entropy");
  tests::FailingBitSource none;
  MedianSession session =
      MedianSession::start(median_of(agreement("1", Neighbours::kReplaceOne)), Records{5, 5, 5}, bits).value();
  const Query query{1, 0, 0};
  CHECK_THROWS_AS((void)session.answer(query, none), EntropyError);
  CHECK(session.answer(query, bits).error().code == ErrorCode::kBudgetExhausted);
}

TEST_CASE("data and queries with another number of elements are refused") {
  tests::CounterBitSource bits("median shapes");
  const OnlineMedian fixed = median_of(agreement("1", Neighbours::kReplaceOne));
  CHECK(MedianSession::start(fixed, Records{1, 2}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(MedianSession::start(fixed, Records{0, 0, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(MedianSession::start(fixed, Records{~0ULL, 1, 0}, bits).error().code == ErrorCode::kLimitExceeded);
  CHECK(MedianSession::start(fixed, Records{1ULL << 32U, 1, 0}, bits).error().code == ErrorCode::kLimitExceeded);
  MedianSession session = MedianSession::start(fixed, Records{1ULL << 32U, 0, 0}, bits).value();
  CHECK(session.answer(Query{1, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(session.answer(Query{2, 0, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(session.answered() == 0);
  CHECK(std::isfinite(session.answer(Query{1, 1, 1}, bits)->value));
  // If the number of records is private, a database of any size gets an answer.
  const OnlineMedian private_total = median_of(agreement("1", Neighbours::kAddRemove));
  for (const Records& records :
       {Records{~0ULL, ~0ULL, ~0ULL}, Records{1ULL << 32U, 1, 0}, Records{1ULL << 33U, 0, 0}}) {
    auto many = MedianSession::start(private_total, records, bits);
    REQUIRE(many);
    CHECK(many->total() < (std::int64_t{1} << 32U) + 1000);
    CHECK(std::isfinite(many->answer(Query{1, 1, 1}, bits)->value));
  }
  const OnlineMedian open = median_of(agreement("1", Neighbours::kAddRemove));
  MedianSession empty = MedianSession::start(open, Records{0, 0, 0}, bits).value();
  for (int i = 0; i < 30; ++i) {
    const auto given = empty.answer(Query{1, 0, 1}, bits);
    if (!given) break;
    CHECK(std::isfinite(given->value));
  }
}

TEST_CASE(
    "budgets and sizes that are out of range are refused, and extreme budgets and sizes give finite numbers or an "
    "error") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto code = [](const auto& change) {
    MedianAgreement a = agreement("1", Neighbours::kReplaceOne);
    change(a);
    return OnlineMedian::create(a).error().code;
  };
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  for (const double tau : {-0.1, 1.0, kNan}) CHECK(code([&](MedianAgreement& a) { a.tau = tau; }) == kInvalid);
  for (const double delta : {0.0, 1.0, kNan}) CHECK(code([&](MedianAgreement& a) { a.delta = delta; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.unit = 0; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.unit = 1'000'001; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.queries = 0; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.queries = ~0ULL; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.size = 0; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.size = 4'000'000'000U; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.domain = 0; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.hard = 2000; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.domain = 1000; }) == ErrorCode::kDomainTooLarge);
  CHECK(code([](MedianAgreement& a) { a.alpha_for_total = Epsilon::parse("0.1").value(); }) == kInvalid);
  CHECK(code([](MedianAgreement& a) { a.neighbours = Neighbours::kAddRemove; }) == kInvalid);
  CHECK(code([](MedianAgreement& a) {
          a.neighbours = Neighbours::kAddRemove;
          a.alpha_for_total = a.alpha;
        }) == kInvalid);
  MedianAgreement least = agreement("0.000001", Neighbours::kReplaceOne);
  least.delta = 1e-300;
  CHECK(std::isfinite(median_of(least).error_bound(1'000'000)));
  CHECK(median_of(least).rows_needed(0.5).error().code == ErrorCode::kOverflow);
  const OnlineMedian median = median_of(agreement("1", Neighbours::kReplaceOne));
  for (const double eta : {0.09375, 0.0, -1.0, 1.5, kNan}) CHECK(median.rows_needed(eta).error().code == kInvalid);
  const std::uint64_t rows = median.rows_needed(0.2).value();
  const auto enough = [&](std::uint64_t n) {
    return median.error_bound(static_cast<std::int64_t>(n)) <= 0.2 * static_cast<double>(n);
  };
  CHECK((enough(rows) && !enough(rows - 1)));
}

}  // namespace
}  // namespace hearsay::central
