// Tests that equal queries get equal answers, even if a query's class means are sampled.
#include "aggregator/api/estimates.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "common/base/strict_json.h"
#include "common/report/randomize.h"
#include "tests/support/bit_sources.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::api {
namespace {

namespace fixture = store::rocks::tests;

constexpr std::size_t kMuch = std::size_t{1} << 30U;

// Returns a query of twelve pairs of booleans. The query has too many combinations to enumerate, so its class means
// are sampled.
std::string pairs(bool reversed) {
  std::vector<std::string> parts;
  for (int i = 0; i < 24; i += 2) {
    const std::string a = "a" + std::to_string(i);
    const std::string b = "a" + std::to_string(i + 1);
    parts.push_back(reversed ? "(" + b + " and " + a + ")" : "(" + a + " and " + b + ")");
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : " or ") + parts[reversed ? parts.size() - 1 - i : i];
  }
  return text;
}

TEST_CASE("equal questions have equal answers in every request, spelling and position") {
  const hearsay::tests::TemporaryDirectory directory;
  const auto store = store::rocks::open({.path = directory / "store"}).value();
  const Task task = fixture::make_task("sampled", 24);
  REQUIRE(store->add_task(task));
  hearsay::tests::CounterBitSource bits("reports");
  std::vector<Report> reports;
  for (std::uint32_t i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> values(24);
    for (auto& value : values) value = static_cast<std::uint32_t>(bits.bits(1));
    const Record record = Record::create(task.schema(), std::move(values)).value();
    reports.push_back(randomize(task, record, fixture::kStart, bits).value());
  }
  fixture::append_new(*store, task, reports);

  const Json body{{"queries", {pairs(false), "a0", pairs(true)}}};
  const Json first = answer_queries(*store, task, body.dump(), kMuch, {}).value();
  std::string again;
  std::thread([&] { again = answer_queries(*store, task, body.dump(), kMuch, {}).value().dump(); }).join();
  CHECK(again == first.dump());
  Json one = first.at("estimates").at(0);
  Json other = first.at("estimates").at(2);
  CHECK(one.at("guarantee") == "average-case");
  CHECK(one.contains("fit"));
  one.erase("query");
  other.erase("query");
  CHECK(one == other);
}

}  // namespace
}  // namespace hearsay::api
