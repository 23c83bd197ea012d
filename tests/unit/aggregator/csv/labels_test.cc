#include "aggregator/csv/labels.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace hearsay::csv {
namespace {

using Labels = std::vector<std::string>;

TEST_CASE("repeated labels get numbers, and no numbered label equals another label") {
  CHECK(labels_of({"a", "a", "a"}) == Labels{"a", "a (2)", "a (3)"});
  CHECK(labels_of({"a", "a", "a (2)", "a"}) == Labels{"a", "a (3)", "a (2)", "a (4)"});
  CHECK(labels_of({"a", "a (2)", "a", "a (2)"}) == Labels{"a", "a (2)", "a (3)", "a (2) (2)"});
  CHECK(labels_of({"", "column 1", " "}) == Labels{"column 1", "column 1 (2)", "column 3"});
}

TEST_CASE("a hundred thousand equal labels are numbered") {
  const Labels labels = labels_of(Labels(100'000, "a"));
  CHECK(labels.back() == "a (100000)");
}

}  // namespace
}  // namespace hearsay::csv
