#include "common/channel/strategy.h"

#include <doctest/doctest.h>

#include <vector>

#include "common/channel/channel.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay {
namespace {

using tests::response_matrix;
using tests::strategy_of;
using tests::strategy_spec;
using tests::strategy_task;

// Returns a strategy on 2 booleans with 3 outputs. The entries of one output differ at most by the factor e.
StrategySpec uneven() {
  constexpr std::uint32_t kUnit = 1U << 28U;  // the probability 1/16
  return {3,
          {4 * kUnit, 6 * kUnit, 6 * kUnit,  //
           6 * kUnit, 4 * kUnit, 6 * kUnit,  //
           6 * kUnit, 6 * kUnit, 4 * kUnit,  //
           4 * kUnit, 4 * kUnit, 8 * kUnit}};
}

TEST_CASE("the number of coins that give an output is the entry") {
  const Task task = strategy_task("b b", uneven());
  const StrategyChannel& channel = strategy_of(task);
  REQUIRE(channel.records() == 4);
  for (std::uint32_t a = 0; a < 2; ++a) {
    for (std::uint32_t b = 0; b < 2; ++b) {
      const Record record = Record::create(task.schema(), {a, b}).value();
      const std::size_t x = channel.number_of(record);
      CHECK(x == 2 * a + b);
      // The output is a step function of the coin. So the test tries both ends of each step.
      std::uint64_t from = 0;
      for (std::uint32_t k = 0; k < channel.outputs(); ++k) {
        const std::uint64_t to = from + channel.entry(x, k);
        CHECK(channel.output(static_cast<std::uint32_t>(from), record) == k);
        CHECK(channel.output(static_cast<std::uint32_t>(to - 1), record) == k);
        from = to;
      }
      CHECK(from == std::uint64_t{1} << 32U);
    }
  }
}

TEST_CASE("a ratio above e^epsilon, a wrong sum and an entry of 0 are refused") {
  const auto refusal = [](const StrategySpec& matrix, const char* epsilon = "1") {
    const auto task = Task::create(strategy_spec("b", matrix, epsilon));
    REQUIRE_FALSE(task);
    CHECK(task.error().code == ErrorCode::kInvalidTask);
    return task.error().message;
  };
  StrategySpec matrix = response_matrix(2);
  REQUIRE(Task::create(strategy_spec("b", matrix)));
  CHECK(refusal(matrix, "0.999999").find("above e^epsilon times its least one") != std::string::npos);
  ++matrix.matrix[0];
  CHECK(refusal(matrix).find("record number 0 add up to 4294967297 and not to 2^32") != std::string::npos);
  matrix.matrix = {0, 0xFFFF'FFFF, 1, 0xFFFF'FFFF};
  CHECK(refusal(matrix).find("add up to") != std::string::npos);
  matrix = {3, {0, 1U << 31U, 1U << 31U, 1, (1U << 31U) - 1, 1U << 31U}};
  CHECK(refusal(matrix).find("has an entry of 0") != std::string::npos);
  CHECK(refusal({2, {1, 2, 3}}).find("must have 4 entries") != std::string::npos);
}

TEST_CASE("the bound on the ratio is exact to one unit") {
  // floor(e·10^9) is 2718281828, so one unit more is above e.
  constexpr std::uint32_t kLeast = 1'000'000'000;
  constexpr std::uint32_t kMost = 2'718'281'828;
  constexpr std::uint64_t kWhole = std::uint64_t{1} << 32U;
  const auto with = [&](std::uint32_t most) {
    const auto rest = [&](std::uint32_t entry) { return static_cast<std::uint32_t>((kWhole - entry) / 2); };
    StrategySpec spec{3, {most, rest(most), 0, kLeast, rest(kLeast), 0}};
    spec.matrix[2] = static_cast<std::uint32_t>(kWhole - most - spec.matrix[1]);
    spec.matrix[5] = static_cast<std::uint32_t>(kWhole - kLeast - spec.matrix[4]);
    return spec;
  };
  CHECK(Task::create(strategy_spec("b", with(kMost))));
  CHECK_FALSE(Task::create(strategy_spec("b", with(kMost + 1))));
}

TEST_CASE("a payload is the number of the output, with the least byte first, and other bytes are refused") {
  const Task task = strategy_task("b b", uneven());
  const StrategyChannel& channel = strategy_of(task);
  CHECK(channel.payload_size() == 1);
  std::vector<std::uint8_t> payload(1);
  for (std::uint32_t k = 0; k < 3; ++k) {
    channel.pack(k, payload);
    CHECK(channel.try_unpack(payload) == k);
    CHECK(task.channel().check(payload));
  }
  payload[0] = 3;
  CHECK_FALSE(channel.try_unpack(payload));
  CHECK(task.channel().check(payload).error().code == ErrorCode::kReportOutOfBounds);
  payload.push_back(0);
  CHECK(task.channel().check(payload).error().code == ErrorCode::kReportWrongSize);
}

TEST_CASE("too many records or entries are refused") {
  CHECK(Task::create(strategy_spec("r1025", {2, std::vector<std::uint32_t>(2050, 1U << 31U)})).error().code ==
        ErrorCode::kLimitExceeded);
  CHECK(Task::create(strategy_spec("r1024", {513, {}})).error().code == ErrorCode::kLimitExceeded);
  CHECK(Task::create(strategy_spec("r1024", {2, std::vector<std::uint32_t>(2048, 1U << 31U)})));
  TaskSpec literals = strategy_spec("b", response_matrix(2));
  literals.arrangement = LiteralsSpec{};
  CHECK(Task::create(literals).error().code == ErrorCode::kInvalidTask);
}

}  // namespace
}  // namespace hearsay
