#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/audit/audit.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay {
namespace {

using tests::response_matrix;
using tests::strategy_task;

TEST_CASE("the audit of a strategy finds its largest ratio") {
  const Task task = strategy_task("r5", response_matrix(5));
  const AuditResult result = audit(task, task.channel()).value();
  CHECK(result.holds);
  CHECK(result.actual <= result.claimed);
  CHECK(result.actual.approximate() > 1 - 1e-6);
  CHECK(result.pairs == 20);
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  REQUIRE(result.worst_report.size() == 1);
  const auto output = static_cast<std::uint32_t>(result.worst_report[0]);
  CHECK(channel.entry(channel.number_of(result.worst_first), output) >
        channel.entry(channel.number_of(result.worst_second), output));
}

// Values of one cell have the same law. So the audit counts pairs of cells, and its worst records are cells.
TEST_CASE("the audit of a strategy over cells reports cells") {
  TaskSpec spec = tests::strategy_spec("r6", response_matrix(3));
  spec.cuts = {{0, {2, 4}, {}}};
  const Task task = Task::create(spec).value();
  const AuditResult result = audit(task, task.channel()).value();
  CHECK(result.holds);
  CHECK(result.pairs == 6);
  CHECK(result.worst_first[0] < 3);
  CHECK(result.worst_second[0] < 3);
  CHECK(result.worst_first[0] != result.worst_second[0]);
}

// All records but one have equal entries. For the other record, one output has a probability of its own.
TEST_CASE("the audit finds the largest ratio at every record and output, above and below 1") {
  const Task task = strategy_task("r4", response_matrix(4));
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  constexpr std::uint32_t kEven = std::uint32_t{1} << 30U;
  constexpr std::int64_t kStep = 1 << 24;
  for (std::uint32_t x = 0; x < 4; ++x) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      for (const std::int64_t sign : {1, -1}) {
        CAPTURE(x);
        CAPTURE(k);
        CAPTURE(sign);
        StrategySpec spec{4, std::vector<std::uint32_t>(16, kEven)};
        for (std::uint32_t other = 0; other < 4; ++other) {
          const std::int64_t change = sign * (other == k ? 3 * kStep : -kStep);
          spec.matrix[x * 4 + other] = static_cast<std::uint32_t>(kEven + change);
        }
        const AuditResult result = audit(task, Channel(channel.with_matrix(spec).value())).value();
        CHECK(result.worst_report == std::vector<std::int64_t>{k});
        CHECK((sign > 0 ? result.worst_first : result.worst_second)[0] == x);
        CHECK((sign > 0 ? result.worst_second : result.worst_first)[0] != x);
        CHECK(result.actual.approximate() == doctest::Approx(sign * std::log1p(sign * 0x3p-6)).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("the audit refuses a strategy with an entry of 0 or over another universe") {
  const Task task = strategy_task("r4", response_matrix(4));
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  StrategySpec spec{4, std::vector<std::uint32_t>(16, std::uint32_t{1} << 30U)};
  spec.matrix[4] = 0;
  spec.matrix[5] = std::uint32_t{1} << 31U;
  CHECK(audit(task, Channel(channel.with_matrix(spec).value())).error().code == ErrorCode::kInvalidArgument);
  const Task other = strategy_task("r5", response_matrix(5));
  CHECK(audit(task, other.channel()).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("the audit refutes a matrix if its largest ratio is raised by a few units") {
  const Task task = strategy_task("b", response_matrix(2));
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  StrategySpec planted = std::get<StrategySpec>(task.spec().channel);
  // The change must be larger than the rounding error of the matrix.
  for (std::size_t row = 0; row < 4; row += 2) {
    const bool first_is_less = planted.matrix[row] < planted.matrix[row + 1];
    planted.matrix[row + (first_is_less ? 0 : 1)] -= 8;
    planted.matrix[row + (first_is_less ? 1 : 0)] += 8;
  }
  const AuditResult result = audit(task, Channel(channel.with_matrix(planted).value())).value();
  CHECK_FALSE(result.holds);
  CHECK(result.actual > result.claimed);
}

TEST_CASE("the audit of a strategy with shifts equals the audit of its matrix without shifts") {
  for (const char* shape : {"r5", "b c3", "r4 b r3"}) {
    CAPTURE(shape);
    const auto records = static_cast<std::uint32_t>(tests::all_records(tests::schema_of(shape)).size());
    const Task task = strategy_task(shape, tests::shift_rows(3, records, 7));
    const auto& channel = std::get<StrategyChannel>(task.channel().kind());
    const AuditResult result = audit(task, task.channel()).value();
    const StrategySpec matrix = tests::written_out(channel);
    const AuditResult same = audit(task, Channel(channel.with_matrix(matrix).value())).value();
    CHECK(result.holds);
    CHECK(result.actual.approximate() == same.actual.approximate());
    CHECK(result.pairs == same.pairs);
    const auto output = static_cast<std::uint32_t>(result.worst_report[0]);
    const double most = channel.entry(channel.number_of(result.worst_first), output);
    const double least = channel.entry(channel.number_of(result.worst_second), output);
    CHECK(std::log(most / least) == doctest::Approx(result.actual.approximate()).epsilon(1e-6));
  }
}

TEST_CASE("the audit of a strategy with shifts refutes a ratio that is raised in any row") {
  const Task task = strategy_task("r6", tests::half_circle_rows(6, {1, 2, 3}));
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  const AuditResult honest = audit(task, task.channel()).value();
  CHECK(honest.holds);
  CHECK(honest.actual.approximate() > 1 - 1e-6);
  for (std::size_t row = 0; row < 3; ++row) {
    CAPTURE(row);
    StrategySpec planted = std::get<StrategySpec>(task.spec().channel);
    const auto begin = planted.matrix.begin() + static_cast<std::ptrdiff_t>(row * 6);
    // The change must be larger than the rounding error of the matrix.
    *std::min_element(begin, begin + 6) -= 16;
    *std::max_element(begin, begin + 6) += 16;
    const AuditResult result = audit(task, Channel(channel.with_matrix(planted).value())).value();
    CHECK_FALSE(result.holds);
    CHECK(result.worst_report == std::vector<std::int64_t>{static_cast<std::int64_t>(row * 6)});
  }
}

}  // namespace
}  // namespace hearsay
