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

TEST_CASE("a strategy is read as it was written, and its outputs are sorted") {
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

TEST_CASE("a document whose strategy is malformed is refused with the member's path") {
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

}  // namespace
}  // namespace hearsay
