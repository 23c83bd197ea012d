#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "common/base/strict_json.h"
#include "hearsay/task.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay {
namespace {

using tests::response_matrix;
using tests::strategy_spec;

TEST_CASE("a strategy is read as written, and its outputs are sorted") {
  const StrategySpec matrix = response_matrix(3);
  StrategySpec reversed = matrix;
  for (std::size_t row = 0; row < 9; row += 3) std::swap(reversed.matrix[row], reversed.matrix[row + 2]);
  REQUIRE(reversed.matrix != matrix.matrix);
  const Task task = Task::create(strategy_spec("r3", matrix)).value();
  const Task same = Task::create(strategy_spec("r3", reversed)).value();
  CHECK(task.id() == same.id());
  CHECK(task.canonical_json() == same.canonical_json());
  const Task again = Task::parse(task.canonical_json()).value();
  CHECK(again.id() == task.id());
  const auto& sorted = std::get<StrategySpec>(again.spec().channel);
  CHECK(sorted == std::get<StrategySpec>(same.spec().channel));
  CHECK(sorted.matrix[0] <= sorted.matrix[1]);
  CHECK(sorted.matrix[1] <= sorted.matrix[2]);
}

TEST_CASE("the error about a malformed strategy has the path of the member") {
  const Task task = Task::create(strategy_spec("b", response_matrix(2))).value();
  const auto refusal = [&](const char* key, const Json& value) {
    Json document = Json::parse(task.canonical_json());
    document["channel"][key] = value;
    const auto parsed = Task::parse(document.dump());
    REQUIRE_FALSE(parsed);
    return parsed.error();
  };
  CHECK(refusal("outputs", 1).code == ErrorCode::kInvalidTask);
  CHECK(refusal("outputs", "2").code == ErrorCode::kWrongType);
  CHECK(refusal("outputs", 3).message.find("must have 6 entries") != std::string::npos);
  CHECK(refusal("matrix", "AAA=").message.starts_with("channel.matrix must be unpadded base64url"));
  CHECK(refusal("matrix", "AAA").message.starts_with("channel.matrix must be unpadded base64url"));
  CHECK(refusal("calibration", "tight").code == ErrorCode::kUnknownKey);
}

TEST_CASE("a strategy with shifts is read as written, and its rows are sorted") {
  const StrategySpec rows = tests::shift_rows(3, 6, 5);
  StrategySpec reversed = rows;
  for (std::size_t z = 0; z < 6; ++z) std::swap(reversed.matrix[z], reversed.matrix[12 + z]);
  const Task task = Task::create(strategy_spec("b r3", rows)).value();
  CHECK(Task::create(strategy_spec("b r3", reversed))->id() == task.id());
  const Json channel = Json::parse(task.canonical_json()).at("channel");
  CHECK(channel.at("shifts") == true);
  CHECK(channel.at("outputs") == 18);
  const Task again = Task::parse(task.canonical_json()).value();
  CHECK(again.id() == task.id());
  CHECK(again.canonical_json() == task.canonical_json());
  const auto& sorted = std::get<StrategySpec>(again.spec().channel);
  CHECK(sorted.shifts);
  CHECK(sorted == std::get<StrategySpec>(task.spec().channel));
  CHECK(sorted.matrix[0] < sorted.matrix[6]);
  CHECK(sorted.matrix[6] < sorted.matrix[12]);
}

TEST_CASE("the member shifts is true, false or left out") {
  const auto with = [](const StrategySpec& matrix, const Json& shifts) {
    Json document = Json::parse(Task::create(strategy_spec("b", matrix))->canonical_json());
    document["channel"]["shifts"] = shifts;
    return Task::parse(document.dump());
  };
  const Task listed = Task::create(strategy_spec("b", response_matrix(2))).value();
  CHECK_FALSE(Json::parse(listed.canonical_json()).at("channel").contains("shifts"));
  CHECK(with(response_matrix(2), false)->id() == listed.id());
  const auto wrong_size = with(response_matrix(2), true);
  REQUIRE_FALSE(wrong_size);
  CHECK(wrong_size.error().code == ErrorCode::kInvalidTask);
  const auto wrong_type = with(tests::shift_rows(1, 2, 6), 1);
  REQUIRE_FALSE(wrong_type);
  CHECK(wrong_type.error().code == ErrorCode::kWrongType);
  CHECK(wrong_type.error().message.find("channel.shifts") != std::string::npos);
}

}  // namespace
}  // namespace hearsay
