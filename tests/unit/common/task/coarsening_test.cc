// Tests cuts: the cells of values, and the document of the cuts.
#include "common/task/coarsening.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/strict_json.h"
#include "hearsay/task.h"
#include "tests/support/cut_tasks.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

using tests::cut_spec;
using tests::kCuts;

std::uint32_t cell_of(const Cuts& cuts, std::uint32_t value) {
  std::uint32_t stretch = 0;
  while (stretch < cuts.starts.size() && cuts.starts[stretch] <= value) ++stretch;
  return cuts.cells.empty() ? stretch : cuts.cells[stretch];
}

TEST_CASE("every record becomes the record of its cells") {
  const Task task = Task::create(cut_spec()).value();
  REQUIRE(task.coarsening() != nullptr);
  for (const Record& record : tests::all_records(task.schema())) {
    const Record coarse = task.coarsening()->coarse(record);
    CHECK(coarse[0] == record[0]);
    CHECK(coarse[1] == cell_of(kCuts[0], record[1]));
    CHECK(coarse[2] == cell_of(kCuts[1], record[2]));
  }
  CHECK(task.asked_schema()[1].values() == std::vector<std::string>{"-2..0 or 4..6", "1..3", "7..9"});
  CHECK(task.asked_schema()[2].values() == std::vector<std::string>{"-2", "-1", "0..4"});
  CHECK(task.coarsening()->cuts_of(0) == nullptr);
  TaskSpec uncut = cut_spec({});
  uncut.channel = SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}}};
  CHECK(Task::create(uncut)->coarsening() == nullptr);
}

TEST_CASE("the name of a cell with many stretches has only the first two, also at the limits of integers") {
  const std::int64_t least = -(std::int64_t{1} << 53U);
  const Schema schema = Schema::create({Attribute::range("x", least, least + (1 << 20) - 1).value()}).value();
  Cuts cuts{0, {}, {0}};
  for (std::uint32_t start = 200; cuts.starts.size() < Cuts::kMaxStarts; start += 200) {
    cuts.starts.push_back(start);
    cuts.cells.push_back(1 - cuts.cells.back());
  }
  const Coarsening coarsening = Coarsening::create(schema, {cuts}).value();
  CHECK(coarsening.schema()[0].values()[1] ==
        "-9007199254740792..-9007199254740593 or -9007199254740392..-9007199254740193 or 2046 more stretches");
}

TEST_CASE("cuts are unchanged after their document is read, and equal cuts have the same form") {
  const Task task = Task::create(cut_spec()).value();
  const Task read = Task::parse(task.canonical_json()).value();
  CHECK(read.spec().cuts == kCuts);
  CHECK(read.id() == task.id());
  Json document = *parse_json(task.canonical_json());
  CHECK(document.at("cuts") == Json::parse(R"([{"attribute": "a1", "starts": [1, 4, 7], "cells": [0, 1, 0, 2]},
                                               {"attribute": "a2", "starts": [-1, 0]}])"));
  std::reverse(document["cuts"].begin(), document["cuts"].end());
  document["cuts"][0]["cells"] = {0, 1, 2};
  CHECK(Task::parse(document.dump())->id() == task.id());
  CHECK(Task::create(cut_spec({kCuts[0]}))->id() != task.id());
}

TEST_CASE("a stretch cannot start at the least value, and the message names the bounds") {
  Json document = *parse_json(Task::create(cut_spec()).value().canonical_json());
  for (const int start : {-3, -2, 10}) {
    document["cuts"][0]["starts"][0] = start;
    const auto task = Task::parse(document.dump());
    REQUIRE_FALSE(task);
    CHECK(task.error().message == "cuts[0].starts[0] must be from -1 to 9");
  }
}

// These faults cannot occur in a document. The corpus has a document for every fault that can.
TEST_CASE("cuts of attributes that do not exist, or that do not ascend, are refused") {
  for (const std::vector<Cuts>& cuts : {std::vector<Cuts>{kCuts[1], kCuts[0]}, {kCuts[0], kCuts[0]}, {{3, {1}, {}}}}) {
    const auto task = Task::create(cut_spec(cuts));
    REQUIRE_FALSE(task);
    CHECK(task.error().code == ErrorCode::kInvalidTask);
    CHECK(task.error().message.starts_with("cuts: "));
  }
}

}  // namespace
}  // namespace hearsay
