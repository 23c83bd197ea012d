#include "aggregator/estimator/consistency/projection.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "aggregator/compiler/compile.h"
#include "aggregator/tally/tally.h"
#include "tests/support/bit_sources.h"
#include "tests/support/question_cases.h"
#include "tests/support/small_domains.h"

namespace hearsay::estimator {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)

Task task_of(const std::string& shape, ArrangementSpec arrangement, ChannelSpec channel) {
  return Task::create({.title = shape,
                       .schema = schema_of(shape),
                       .arrangement = arrangement,
                       .channel = std::move(channel),
                       .epsilon = Epsilon::parse("1").value(),
                       .task_start = 0,
                       .task_duration = 3600,
                       .time_precision = 3600})
      .value();
}

std::vector<compiler::LinearQuery> compile_all(const Task& task, const std::vector<std::string>& texts) {
  compiler::Work work;
  std::vector<compiler::LinearQuery> result;
  for (const std::string& text : texts) {
    const Query query = Query::parse(task.schema(), text).value();
    result.push_back(compiler::compile(task, query, work).value().linear);
  }
  return result;
}

tally::Tally tally_of(const Task& task, int people, BitSource& bits) {
  const std::vector<Record> universe = all_records(task.schema());
  tally::Tally tally = tally::Tally::empty(task.channel());
  for (int i = 0; i < people; ++i) {
    const Record& record = universe[bits.bits(16) * bits.bits(16) / 65536 % universe.size() / 3];
    REQUIRE(tally.add(task.channel(), task.channel().randomize(task.arrangement(), record, bits)));
  }
  return tally;
}

TEST_CASE("projected values agree with each other") {
  CounterBitSource bits("projection");
  const SampledSpec sampled{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 4}}, .group_size = 0};
  for (const ChannelSpec& channel : std::vector<ChannelSpec>{LaplaceSpec{}, sampled}) {
    const Task task = task_of("b c3 b r5", CharactersSpec{.order = 2}, channel);
    const Estimator estimator = Estimator::create(task, tally_of(task, 3000, bits)).value();
    const auto queries = compile_all(
        task, {"a0 and a1 = v0", "a0 and a1 = v1", "a0 and a1 = v2", "a0", "not a0", "a0 and a2", "a0 and not a2",
               "a2 and a3 >= 1", "a2", "a2 or a3 >= 1", "a0 or not a0", "a1 in {v0, v1, v2}"});
    const auto consistent = project(task, estimator, queries, {});
    REQUIRE(consistent);
    const std::vector<double>& v = consistent->values;
    REQUIRE(v.size() == queries.size());
    for (const double value : v) {
      CHECK(value > -1e-9);
      CHECK(value < 1 + 1e-9);
    }
    CHECK(std::abs(v[0] + v[1] + v[2] - v[3]) < 1e-9);
    CHECK(std::abs(v[3] + v[4] - 1) < 1e-9);
    CHECK(std::abs(v[5] + v[6] - v[3]) < 1e-9);
    CHECK(v[7] < v[8] + 1e-9);
    CHECK(v[8] < v[9] + 1e-9);
    CHECK(v[10] == 1);
    CHECK(v[11] == doctest::Approx(1).scale(0).epsilon(1e-9));
    double moved = 0;
    for (std::size_t q = 0; q < v.size(); ++q) {
      moved = std::max(moved, std::abs(v[q] - estimator.estimate(queries[q], 0.95)->value));
    }
    CHECK(moved > 0.01);
  }
}

TEST_CASE("projected cells are not negative, sum to 1, and agree with other tables and with queries") {
  CounterBitSource bits("projected cells");
  const SampledSpec sampled{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 4}}, .group_size = 0};
  for (const ChannelSpec& channel : std::vector<ChannelSpec>{LaplaceSpec{}, sampled}) {
    const Task task = task_of("b c3 b r5", CharactersSpec{.order = 2}, channel);
    const Estimator estimator = Estimator::create(task, tally_of(task, 3000, bits)).value();
    // The first table is a marginal of the second, so the problem does not contain the first.
    const std::vector<std::vector<std::uint32_t>> tables{{1}, {1, 3}, {0, 1}};
    double lowest = 0;
    for (const auto& attributes : tables) {
      const ContingencyTable table = estimator.table(attributes, 0.95).value();
      lowest = std::min(lowest, *std::min_element(table.values.begin(), table.values.end()));
    }
    CHECK(lowest < -0.01);  // the unbiased cells are negative somewhere, so the projection has something to change
    const auto queries = compile_all(task, {"a1 = v2", "a1 = v1 and a3 = 2", "a0 and a1 != v0", "a2 and a3 >= 2"});
    const Consistent consistent = project(task, estimator, queries, tables).value();
    REQUIRE(consistent.tables.size() == 3);
    const auto& [one, pair, other] = std::tie(consistent.tables[0], consistent.tables[1], consistent.tables[2]);
    REQUIRE(one.size() == 3);
    REQUIRE(pair.size() == 15);
    REQUIRE(other.size() == 6);
    for (const auto& cells : consistent.tables) {
      for (const double cell : cells) CHECK(cell >= 0);
      CHECK(std::abs(std::accumulate(cells.begin(), cells.end(), -1.0)) < 1e-9);
    }
    for (std::size_t v = 0; v < 3; ++v) {
      CHECK(std::abs(std::accumulate(pair.begin() + 5 * v, pair.begin() + 5 * v + 5, -one[v])) < 1e-9);
      CHECK(std::abs(other[v] + other[3 + v] - one[v]) < 1e-9);
    }
    CHECK(std::abs(consistent.values[0] - one[2]) < 1e-9);
    CHECK(std::abs(consistent.values[1] - pair[1 * 5 + 4]) < 1e-9);
    CHECK(std::abs(consistent.values[2] - other[4] - other[5]) < 1e-9);
  }
}

TEST_CASE("tables that cannot be made consistent are refused") {
  CounterBitSource bits("refused");
  const Task literals = task_of("b b", LiteralsSpec{}, LaplaceSpec{});
  const Estimator of_literals = Estimator::create(literals, tally_of(literals, 100, bits)).value();
  const auto refused = project(literals, of_literals, compile_all(literals, {"a0 and a1"}), {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kUnsupported);

  const Task small = task_of("b b", CharactersSpec{.order = 1}, LaplaceSpec{});
  const Task other = task_of("b b b", CharactersSpec{.order = 2}, LaplaceSpec{});
  const Estimator estimator = Estimator::create(small, tally_of(small, 100, bits)).value();
  const auto foreign = project(small, estimator, compile_all(other, {"a1 and a2"}), {});
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().code == ErrorCode::kInvalidArgument);
  CHECK(project(small, estimator, {}, {})->values.empty());
  const std::vector<std::vector<std::uint32_t>> pair{{0, 1}};
  CHECK(project(small, estimator, {}, pair).error().code == ErrorCode::kQueryNotCovered);
}

TEST_CASE("queries and tables also agree with each other if the reports ask half-circles") {
  CounterBitSource bits("projection of questions");
  for (const QuestionCase& c : {question_cases()[0], question_cases()[3]}) {
    const Task task = c.task();
    const Estimator estimator = Estimator::create(task, tally_of(task, 1000, bits)).value();
    const std::uint32_t first = task.schema()[0].size();
    const std::uint32_t second = task.schema()[1].size();
    const std::vector<Functions> functions{{between(1, 1, first), between(1, 2, second)},
                                           {between(1, 1, first), {}},
                                           {{}, between(2, second - 1, second)}};
    std::vector<compiler::LinearQuery> queries;
    for (const Functions& of_query : functions) queries.push_back(product_query(task, of_query));
    const std::vector<std::vector<std::uint32_t>> tables{{0, 1}, {1}};
    const Consistent result = project(task, estimator, queries, tables).value();
    REQUIRE(result.tables[0].size() == first * second);
    std::vector<double> sums(queries.size(), 0);
    double all = 0;
    bool any_below = false;
    const ContingencyTable raw = estimator.table(tables[0], 0.95).value();
    for (std::uint32_t x = 0; x < first; ++x) {
      for (std::uint32_t y = 0; y < second; ++y) {
        const double cell = result.tables[0][x * second + y];
        CHECK(cell >= 0);
        all += cell;
        any_below = any_below || raw.values[x * second + y] < 0;
        const Record record = Record::create(task.schema(), {x, y}).value();
        for (std::size_t q = 0; q < queries.size(); ++q) sums[q] += cell * product_at(functions[q], record);
      }
    }
    CHECK(all == doctest::Approx(1));
    CHECK(any_below);
    for (std::size_t q = 0; q < queries.size(); ++q) CHECK(result.values[q] == doctest::Approx(sums[q]).epsilon(1e-6));
    queries.front().weights.push_back({0, 1});
    CHECK(project(task, estimator, queries, tables).error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::estimator
