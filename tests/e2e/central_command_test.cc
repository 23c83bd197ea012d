// Tests the command `hearsay-central` as a person runs it.
#include <doctest/doctest.h>

#include "common/base/strict_json.h"
#include "tests/e2e/process.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

TEST_CASE("hearsay-central audit confirms or refutes the claimed ε, and prints the true one") {
  const Output right = run(kHearsayCentral, {"audit", "cells", "-o", "json"});
  CHECK(right.status == 0);
  const Json found = parse_json(right.text).value();
  CHECK(found.at("claimed") == "1");
  CHECK(found.at("actual") == "1");
  CHECK(found.at("verdict") == "holds");
  CHECK(found.at("evidence") == "exact");
  CHECK(found.at("groups").at(0).at("actual") == "2");
  const Output printed = run(kHearsayCentral, {"audit", "printed-cells", "--epsilon", "0.25", "-o", "json"});
  CHECK(printed.status == 1);
  CHECK(parse_json(printed.text)->at("actual") == "1/2");
  const Output planted = run(kHearsayCentral, {"audit", "histogram", "--scale-factor", "1/2", "-o", "csv"});
  CHECK(planted.status == 1);
  CHECK(planted.contains("verdict,refuted\r\n"));
  CHECK(run(kHearsayCentral, {"audit", "random-row"}).contains("unbounded"));
}

TEST_CASE("hearsay-central audit --list names the mechanisms, the broken ones too") {
  const Output list = run(kHearsayCentral, {"audit", "--list", "-o", "json"});
  CHECK(list.status == 0);
  const Json all = parse_json(list.text).value();
  CHECK(all.size() > 40);
  CHECK(run(kHearsayCentral, {"audit", "--list"}).contains("published-maximum-complement"));
}

TEST_CASE("hearsay-central distributional, dimensions and reconstruct compute what the theorems say") {
  const Output sample = run(kHearsayCentral, {"distributional", "sum", "--domain", "5", "--rows", "2", "-o", "json"});
  CHECK(sample.status == 0);
  CHECK(parse_json(sample.text)->at("theorem_7_1") == "holds");
  const tests::TemporaryFile people("# a small town\n0\n0\n3\n1\n0\n");
  const Output town = run(kHearsayCentral, {"distributional", "sum", "--domain", "4", "--rows", "2", "--population",
                                            people.path(), "-o", "json"});
  CHECK(town.status == 0);
  CHECK(parse_json(town.text)->at("population") == Json({0, 0, 0, 1, 3}));
  CHECK(parse_json(town.text)->at("theorem_7_1") == "holds");
  const tests::TemporaryFile misspelt("0\none\n");
  const Output parities = run(kHearsayCentral, {"dimensions", "parities", "--size", "4", "-o", "json"});
  CHECK(parities.status == 0);
  CHECK(parse_json(parities.text)->at("dimension") == 3);
  CHECK(run(kHearsayCentral, {"dimensions", "distances", "--gamma", "1/8"}).contains("fat-shattering dimension"));
  const Output attack =
      run(kHearsayCentral, {"reconstruct", "subsets", "--size", "6", "--release", "exact", "-o", "json"});
  CHECK(parse_json(attack.text)->at("found") == 3);
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"distributional", "sum-add-remove"}, "invalid_argument"},
      {{"distributional", "count"}, "--domain and --rows are missing"},
      {{"distributional", "count", "--rows", "4"}, "--domain is missing"},
      {{"distributional", "sum", "--population", misspelt.path()}, "line 2"},
      {{"dimensions", "points", "--gamma", "0.3"}, "like 1/4"},
      {{"dimensions"}, "invalid_argument"},
      {{"dimensions", "nothing"}, "not_found"},
      {{"dimensions", "points", "--gamma", "2/3"}, "invalid_argument"},
      {{"dimensions", "subsets", "--size", "30"}, "domain_too_large"},
      {{"reconstruct", "subsets", "--release", "none"}, "not_found"},
  };
  for (const auto& sample_case : cases) {
    CAPTURE(sample_case.second);
    const Output output = run(kHearsayCentral, sample_case.first);
    CHECK(output.status == 2);
    CHECK(output.contains(sample_case.second));
  }
}

TEST_CASE("for a wrong request, hearsay-central audit names the fault and exits with status 2") {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"audit"}, "invalid_argument"},
      {{"audit", "nothing"}, "not_found"},
      {{"audit", "sum", "--list"}, "invalid_argument"},
      {{"audit", "sum", "--epsilon", "0"}, "invalid_argument"},
      {{"audit", "sum", "--epsilon", "nan"}, "invalid_argument"},
      {{"audit", "sum", "--epsilon", "710"}, "invalid_argument"},
      {{"audit", "sum", "--epsilon", "1e308"}, "invalid_argument"},
      {{"audit", "sum", "--domain", "1000000"}, "domain_too_large"},
      {{"audit", "sum", "--rows", "0"}, "invalid_argument"},
      {{"audit", "sum", "--scale-factor", "0"}, "invalid_argument"},
  };
  for (const auto& sample : cases) {
    CAPTURE(sample.second);
    const Output output = run(kHearsayCentral, sample.first);
    CHECK(output.status == 2);
    CHECK(output.contains(sample.second));
  }
}

}  // namespace
}  // namespace hearsay::e2e
