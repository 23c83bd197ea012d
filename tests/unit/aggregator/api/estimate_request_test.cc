#include "aggregator/api/estimate_request.h"

#include <doctest/doctest.h>

#include "tests/support/tasks.h"

namespace hearsay::api {
namespace {

TEST_CASE("the error about a sample names the line, and unknown columns are allowed only if the request ignores them") {
  const Task task = tests::small_task("b");
  const std::string attribute = task.schema()[0].name();
  const auto with = [&](const std::string& sample, const std::string& more = "") {
    return parse_estimate_request(task,
                                  R"({"queries": [")" + attribute + R"("], "sample": ")" + sample + '"' + more + '}');
  };
  CHECK(with(attribute + R"(\nTrue\nno\n)").value().sample.size() == 2);
  CHECK(with(attribute + R"(\nyes\nmaybe\n)").error().message ==
        "sample, line 3: column '" + attribute + "' must be yes or no, true or false, 1 or 0 (also in capitals)");
  // In a file with one column a blank line may be a row, so a blank line is an error.
  CHECK(with(attribute + R"(\n\nyes\n)").error().message.starts_with("sample, line 2: a blank line"));
  const std::string wide = "city," + attribute + R"(\nParis,1\n)";
  CHECK(with(wide).error().message.starts_with("sample, line 1: column 1 ('city') names no attribute"));
  CHECK_FALSE(with(wide, R"(, "ignore_unknown_columns": false)"));
  CHECK(with(wide, R"(, "ignore_unknown_columns": true)").value().sample.size() == 1);
  CHECK(with(wide, R"(, "ignore_unknown_columns": 1)").error().code == ErrorCode::kWrongType);
}

}  // namespace
}  // namespace hearsay::api
