// Tests the channel `strategy` with shifts.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/channel/channel.h"
#include "common/channel/strategy.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay {
namespace {

using tests::shift_rows;
using tests::strategy_of;
using tests::strategy_spec;
using tests::strategy_task;

std::vector<std::uint32_t> sum_of(const Schema& schema, const Record& a, const Record& b) {
  std::vector<std::uint32_t> sum;
  for (std::size_t i = 0; i < schema.size(); ++i) sum.push_back((a[i] + b[i]) % schema[i].size());
  return sum;
}

TEST_CASE("entry z of a row is the probability that record z + s gives the row shifted by s") {
  for (const char* shape : {"r5", "b c3", "r4 b r3"}) {
    CAPTURE(shape);
    const Schema schema = tests::schema_of(shape);
    const std::vector<Record> records = tests::all_records(schema);
    const auto count = static_cast<std::uint32_t>(records.size());
    const Task task = strategy_task(shape, shift_rows(3, count, 1));
    const StrategySpec& rows = std::get<StrategySpec>(task.spec().channel);
    const StrategyChannel& channel = strategy_of(task);
    CHECK(channel.shifts());
    CHECK(channel.rows() == 3);
    REQUIRE(channel.outputs() == 3 * count);
    for (std::uint32_t r = 0; r < 3; ++r) {
      for (std::uint32_t z = 0; z < count; ++z) {
        CHECK(channel.entry(z, r * count) == rows.matrix[r * count + z]);
        for (std::uint32_t s = 0; s < count; ++s) {
          const Record x = Record::create(schema, sum_of(schema, records[z], records[s])).value();
          REQUIRE(channel.entry(channel.number_of(x), r * count + s) == rows.matrix[r * count + z]);
        }
      }
    }
  }
}

// The output is a step function of the coin. So the test tries both ends of each step.
TEST_CASE("with shifts the number of coins that give an output is the entry") {
  for (const char* shape : {"r5", "b c3", "r4 b r3"}) {
    CAPTURE(shape);
    const Schema schema = tests::schema_of(shape);
    const auto count = static_cast<std::uint32_t>(tests::all_records(schema).size());
    const Task task = strategy_task(shape, shift_rows(2, count, 2));
    const StrategySpec& rows = std::get<StrategySpec>(task.spec().channel);
    const StrategyChannel& channel = strategy_of(task);
    for (const Record& record : tests::all_records(schema)) {
      std::vector<std::uint64_t> coins(channel.outputs(), 0);
      std::uint64_t from = 0;
      for (const std::uint32_t entry : rows.matrix) {
        const std::uint64_t to = from + entry;
        const std::uint32_t output = channel.output(static_cast<std::uint32_t>(from), record);
        REQUIRE(output < channel.outputs());
        CHECK(channel.output(static_cast<std::uint32_t>(to - 1), record) == output);
        coins[output] += entry;
        from = to;
      }
      CHECK(from == std::uint64_t{1} << 32U);
      for (std::uint32_t k = 0; k < channel.outputs(); ++k) {
        REQUIRE(coins[k] == channel.entry(channel.number_of(record), k));
      }
    }
  }
}

TEST_CASE("rows are refused if their sum or number is wrong, a ratio is above e^epsilon, or an entry is 0") {
  const auto refusal = [](const StrategySpec& rows, ErrorCode code = ErrorCode::kInvalidTask) {
    const auto task = Task::create(strategy_spec("r5", rows));
    REQUIRE_FALSE(task);
    CHECK(task.error().code == code);
    return task.error().message;
  };
  const StrategySpec good = shift_rows(2, 5, 3);
  REQUIRE(Task::create(strategy_spec("r5", good)));
  StrategySpec rows = good;
  ++rows.matrix[7];
  CHECK(refusal(rows) == "channel: matrix: the entries of all rows add up to 4294967297 and not to 2^32");
  rows = good;
  rows.outputs = 11;
  CHECK(refusal(rows).find("outputs must be a multiple of 5") != std::string::npos);
  rows.outputs = 15;
  CHECK(refusal(rows).find("must have 15 entries, one for each row and record, and has 10") != std::string::npos);
  rows = good;
  rows.shifts = false;
  CHECK(refusal(rows).find("must have 50 entries") != std::string::npos);
  rows = good;
  rows.matrix[9] += rows.matrix[8];
  rows.matrix[8] = 0;
  CHECK(refusal(rows).find("row number 1 has an entry of 0") != std::string::npos);
  rows = good;
  const std::uint32_t most = rows.matrix[5] / 4 * 3;
  rows.matrix[5] -= most;
  rows.matrix[6] += most;
  CHECK(refusal(rows).find("has an entry above e^epsilon times its least one") != std::string::npos);
  // Only the ratios within one row are limited.
  constexpr std::uint32_t kUnit = 1U << 22U;
  StrategySpec uneven{4, {kUnit, 2 * kUnit, 500 * kUnit, 521 * kUnit}, true};
  CHECK(Task::create(strategy_spec("b", uneven)));
}

TEST_CASE("with shifts the limits are 8,192 records and 2^19 entries") {
  const auto even = [](std::uint32_t outputs) {
    return StrategySpec{outputs,
                        std::vector<std::uint32_t>(outputs, static_cast<std::uint32_t>((1ULL << 32U) / outputs)), true};
  };
  CHECK(Task::create(strategy_spec("r8193", even(8193))).error().code == ErrorCode::kLimitExceeded);
  CHECK(Task::create(strategy_spec("r8192", even(65 * 8192))).error().code == ErrorCode::kLimitExceeded);
  const Task largest = strategy_task("r64 r128", even(1U << 19U));
  CHECK(strategy_of(largest).rows() == 64);
  CHECK(strategy_of(largest).payload_size() == 3);
}

TEST_CASE("a payload is the number of a row and of a shift") {
  const Task task = strategy_task("r200", shift_rows(2, 200, 4));
  const StrategyChannel& channel = strategy_of(task);
  REQUIRE(channel.payload_size() == 2);
  std::vector<std::uint8_t> payload(2);
  channel.pack(399, payload);
  CHECK(payload == std::vector<std::uint8_t>{0x8F, 0x01});
  CHECK(task.channel().check(payload));
  payload[0] = 0x90;
  CHECK(task.channel().check(payload).error().code == ErrorCode::kReportOutOfBounds);
}

}  // namespace
}  // namespace hearsay
