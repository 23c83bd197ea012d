#include "aggregator/api/tally_export.h"

#include <algorithm>

#include "common/base/strict_json.h"
#include "tests/support/tally_json.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"
#include "tests/unit/aggregator/store/wide_task.h"

namespace hearsay::api {
namespace {

using namespace store::rocks::tests;  // NOLINT(google-build-using-namespace): the store's fixtures serve here too

std::vector<http::HttpResponse> pages(const store::Store& store, const Task& task, std::string query,
                                      std::size_t page_counts) {
  std::vector<http::HttpResponse> pages;
  for (;;) {
    pages.push_back(export_tally(store, task, parse_tally_export(query, "").value(), page_counts).value());
    if (pages.back().headers.empty()) return pages;
    const auto& [name, link] = pages.back().headers.front();
    REQUIRE(name == "Link");
    const std::string path = "</v1/tasks/" + task.id().to_string() + "/tally?";
    const std::string end = ">; rel=\"next\"";
    REQUIRE(link.starts_with(path));
    REQUIRE(link.ends_with(end));
    query = link.substr(path.size(), link.size() - path.size() - end.size());
    REQUIRE(pages.size() < 1000);
  }
}

std::string text(const std::vector<http::HttpResponse>& pages) {
  std::string all;
  for (const auto& page : pages) all += page.body;
  return all;
}

struct Fixture {
  Fixture() : store(open_store(dir / "s")) {
    REQUIRE(store->add_task(wide));
    REQUIRE(store->add_task(sums));
    for (std::uint64_t window = 0; window < 3; ++window) {
      append_new(*store, wide, wide_reports(wide, 10'000 * window, 100 * window, 1000, window));
    }
    append_new(*store, sums, make_reports(sums, 0, 30, 3));
  }

  TemporaryDirectory dir;
  const Task wide = wide_task();
  const Task sums = make_task();
  std::unique_ptr<store::Store> store;
};

TEST_CASE("a large page has all windows, in the form of the API") {
  const Fixture f;
  for (const Task* task : {&f.wide, &f.sums}) {
    const auto whole = pages(*f.store, *task, "", kPageCounts);
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].body == tests::tally_json(task->id(), window_tallies(*f.store, *task)).dump());
  }
}

TEST_CASE("the size of a page is limited, and all pages together have the content of one large page") {
  const Fixture f;
  for (const Task* task : {&f.wide, &f.sums}) {
    for (const std::string query : {"format=csv", "format=csv&from=1699203600&to=1699207200"}) {
      const std::string whole = text(pages(*f.store, *task, query, kPageCounts));
      for (const std::size_t counts : {std::size_t{7}, std::size_t{100}, std::size_t{899}}) {
        const auto parts = pages(*f.store, *task, query, counts);
        CHECK(text(parts) == whole);
        if (task == &f.wide && counts < 899) CHECK(parts.size() > 2);
        // A part of a page has a few pairs, or the coordinates of a window. The first page begins with the names of the
        // columns.
        constexpr std::size_t kPart = 8;
        for (const auto& page : parts) {
          CHECK(static_cast<std::size_t>(std::ranges::count(page.body, '\n')) <= counts + kPart + 1);
        }
      }
    }
    Json answers = Json::array();
    for (const auto& page : pages(*f.store, *task, "", 70)) {
      const Json json = parse_json(page.body).value();
      CHECK(json.contains("next") == !page.headers.empty());
      for (const Json& window : json.at("windows")) {
        for (const Json& answer : window.contains("answers") ? window.at("answers") : window.at("sum")) {
          answers.push_back(Json{window.at("time"), window.at("reports"), answer});
        }
      }
    }
    Json expected = Json::array();
    const Json whole = parse_json(pages(*f.store, *task, "", kPageCounts)[0].body).value();
    for (const Json& window : whole.at("windows")) {
      for (const Json& answer : window.contains("answers") ? window.at("answers") : window.at("sum")) {
        expected.push_back(Json{window.at("time"), window.at("reports"), answer});
      }
    }
    CHECK(answers == expected);
  }
}

TEST_CASE("an export of a time range has the windows of the range, and malformed parameters are refused") {
  const Fixture f;
  const std::string second = std::to_string(kStart + kPrecision);
  const std::string third = std::to_string(kStart + 2 * kPrecision);
  const auto page = pages(*f.store, f.wide, "from=" + second + "&to=" + third, kPageCounts);
  const Json json = parse_json(page.front().body).value();
  REQUIRE(json.at("windows").size() == 1);
  CHECK(json.at("windows")[0].at("time") == kStart + kPrecision);
  CHECK(parse_json(pages(*f.store, f.wide, "from=" + third + "&to=" + second, 9).front().body)->at("windows").empty());
  CHECK(parse_tally_export("", "text/csv")->csv);
  CHECK_FALSE(parse_tally_export("format=json", "text/csv")->csv);
  for (const char* bad :
       {"format=xml", "from=", "from=-1", "to=x", "at=1", "at=1.2", "at=1.2.3.4", "at=1.2.65536",
        "at=1.4611686018427387904.0", "to=18446744073709551616", "to=1&to=2", "from=5&at=4.0.0", "to=4&at=4.0.0"}) {
    CAPTURE(bad);
    const auto refused = parse_tally_export(bad, "");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  }
  for (const char* unknown : {"page=2", "&", "=", "format=csv&From=1"}) {
    CAPTURE(unknown);
    CHECK(parse_tally_export(unknown, "").error().code == ErrorCode::kUnknownKey);
  }
}

}  // namespace
}  // namespace hearsay::api
