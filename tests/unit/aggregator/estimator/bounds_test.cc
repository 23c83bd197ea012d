#include <doctest/doctest.h>

#include <string>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay::estimator {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t kBooleans = 16;

Task task_of(std::vector<GroupWeight> groups) {
  std::string shape;
  for (std::uint32_t i = 0; i < kBooleans; ++i) shape += i == 0 ? "b" : " b";
  return sampled_task({"bounds", shape, CharactersSpec{kBooleans}, groups_of(std::move(groups))}, "1");
}

tally::Tally tally_of(const Task& task, int reports) {
  CounterBitSource bits("bounds");
  tally::Tally tally = tally::Tally::empty(task.channel());
  const Record record = Record::create(task.schema(), std::vector<std::uint32_t>(kBooleans, 1)).value();
  for (int i = 0; i < reports; ++i) {
    REQUIRE(tally.add(task.channel(), task.channel().randomize(task.arrangement(), record, bits)));
  }
  return tally;
}

compiler::LinearQuery sum(const Task& task, std::uint32_t terms) {
  std::string text;
  for (std::uint32_t i = 0; i < terms; ++i)
    text += (i == 0 ? "" : " + ") + std::to_string(2 * i + 3) + "*a" + std::to_string(i);
  compiler::Work work;
  const Query query = Query::parse(task.schema(), text + " >= " + std::to_string(terms * terms / 2)).value();
  return compiler::compile(task, query, work).value().linear;
}

ErrorCode code_of(const Estimator& estimator, const compiler::LinearQuery& query) {
  const auto estimate = estimator.estimate(query, 0.95);
  REQUIRE_FALSE(estimate);
  return estimate.error().code;
}

TEST_CASE("if no report has asked about the attributes, the error comes before the work for 2^16 sets of attributes") {
  std::vector<GroupWeight> singles;
  for (std::uint32_t size = 1; size <= kBooleans; ++size) singles.push_back({GroupKind::kSingle, size, 1});
  const Task task = task_of(singles);
  constexpr std::uint64_t kLittle = 16U << 10U;
  const Estimator estimator = Estimator::create(task, tally_of(task, 50), {}, kLittle).value();
  CHECK(code_of(estimator, sum(task, kBooleans)) == ErrorCode::kNoReports);
}

TEST_CASE(
    "an answer whose tables need too much memory is refused, and any other answer ends when a stop is requested") {
  const Task task = task_of({{GroupKind::kRaw, kBooleans, 1}});  // every report asks about all attributes
  const tally::Tally tally = tally_of(task, 20);
  const compiler::LinearQuery query = sum(task, 10);
  CHECK(code_of(Estimator::create(task, tally, {}, 32U << 10U).value(), query) == ErrorCode::kLimitExceeded);
  std::stop_source stop;
  const Estimator estimator = Estimator::create(task, tally, stop.get_token()).value();
  const std::vector<std::uint32_t> attributes{0, 1, 2, 3, 4, 5};
  CHECK(estimator.estimate(query, 0.95));
  CHECK(estimator.table(attributes, 0.95));
  stop.request_stop();
  CHECK(code_of(estimator, query) == ErrorCode::kCancelled);
  CHECK(estimator.table(attributes, 0.95).error().code == ErrorCode::kCancelled);
  CHECK(estimator.means(attributes).error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace hearsay::estimator
