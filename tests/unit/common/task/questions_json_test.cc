#include "common/task/questions_json.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "common/base/strict_json.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "common/task/task_json.h"
#include "hearsay/task.h"
#include "tests/support/questions.h"

namespace hearsay {
namespace {

using tests::circle;
using tests::levels;
using tests::parities;

const Schema& asked_schema() {
  static const Schema all = *Schema::create({*Attribute::boolean("a"), *Attribute::categorical("c", {"x", "y", "z"}),
                                             *Attribute::range("r", 0, 9), *Attribute::range("age", 0, 99)});
  return all;
}

TaskSpec asking(std::vector<QuestionSpec> questions, std::vector<GroupWeight> groups = {{GroupKind::kSingle, 1, 1}}) {
  return {.title = "test",
          .schema = asked_schema(),
          .arrangement = CharactersSpec{.order = 2},
          .channel = SampledSpec{.groups = std::move(groups), .questions = std::move(questions)},
          .epsilon = *Epsilon::parse("1"),
          .task_start = 0,
          .task_duration = 1,
          .time_precision = 1,
          .min_batch_size = 1};
}

const std::vector<QuestionSpec>& questions_of(const Task& task) {
  return std::get<SampledSpec>(task.spec().channel).questions;
}

const std::vector<GroupWeight> kEach = {
    {GroupKind::kSingle, 1, 1, {0, 2}}, {GroupKind::kRaw, 1, 2, {1}}, {GroupKind::kRaw, 1, 3, {3}}};
const std::vector<QuestionSpec> kOfEach = {parities(1), parities(2), circle(18, 1, {1, 2, 9}, {5, 1, 1}),
                                           levels({{0, 1, 5}, {2, 3, 6}}, {2, 3})};

TEST_CASE("questions of every kind are unchanged after their document is read") {
  const Task task = *Task::create(asking(kOfEach, kEach));
  CHECK(questions_of(task) == kOfEach);
  const Task read = *Task::parse(task.canonical_json());
  CHECK(questions_of(read) == kOfEach);
  CHECK(read.id() == task.id());
  const auto& channel = std::get<SampledChannel>(read.channel().kind());
  for (std::size_t i = 0; i < kOfEach.size(); ++i) CHECK(channel.questions(i).spec() == kOfEach[i]);
  const Json document = *parse_json(task.canonical_json());
  const Json& list = document.at("channel").at("questions");
  REQUIRE(list.size() == 3);
  CHECK(list[0] == Json::object({{"attribute", "c"}, {"kind", "parities"}, {"bits", 2}}));
  CHECK(list[1].at("attribute") == "r");
  CHECK(list[2].at("levels") == Json::parse("[[0,1,5],[2,3,6]]"));
}

Result<Task> changed(const std::function<void(Json&)>& change) {
  Json document = spec_to_json(asking(kOfEach, kEach));
  change(document["channel"]["questions"]);
  return Task::parse(document.dump());
}

TEST_CASE("questions with the same meaning have the same form") {
  const TaskId id = Task::create(asking(kOfEach, kEach))->id();
  CHECK(changed([](Json&) {})->id() == id);
  CHECK(changed([](Json& list) { std::reverse(list.begin(), list.end()); })->id() == id);
  CHECK(changed([](Json& list) {
          list.push_back({{"attribute", "a"}, {"kind", "parities"}, {"bits", 1}});
        })->id() == id);
  CHECK(changed([](Json& list) {
          list[1]["multipliers"] = {9, 1, 2};
          list[1]["weights"] = {3, 15, 3};
        })->id() == id);
  CHECK(changed([](Json& list) {
          list[2]["levels"] = Json::parse("[[6,2,3],[5,1,0]]");
          list[2]["weights"] = {6, 4};
        })->id() == id);
  // A common divisor of the weights is divided out, also in a specification.
  std::vector<QuestionSpec> doubled = kOfEach;
  doubled[2] = circle(18, 1, {1, 2, 9}, {10, 2, 2});
  CHECK(Task::create(asking(doubled, kEach))->id() == id);
  CHECK(questions_of(*Task::create(asking(doubled, kEach))) == kOfEach);

  for (const auto& change : std::vector<std::function<void(Json&)>>{[](Json& list) {
                                                                      list[1]["multipliers"] = {1, 2, 8};
                                                                    },
                                                                    [](Json& list) {
                                                                      list[1]["weights"] = {5, 1, 2};
                                                                    },
                                                                    [](Json& list) { list[1]["places"] = 19; },
                                                                    [](Json& list) { list.erase(1); },
                                                                    [](Json& list) {
                                                                      list[2]["levels"][0] = {0, 1, 6};
                                                                    }}) {
    CHECK(changed(change)->id() != id);
  }
}

TEST_CASE("a hash is unchanged after its document is read") {
  const std::vector<QuestionSpec> hashes{parities(1), HashQuestions{3}, parities(1), parities(1)};
  const Task task = *Task::create(asking(hashes, {{GroupKind::kRaw, 1, 1, {1}}}));
  CHECK(questions_of(task) == hashes);
  const Task read = *Task::parse(task.canonical_json());
  CHECK(questions_of(read) == hashes);
  CHECK(read.id() == task.id());
  CHECK(std::get<SampledChannel>(read.channel().kind()).classes()[0].answers == 3);
}

TEST_CASE("the document leaves out the default, even if the specification has it") {
  const TaskId plain = Task::create(asking({}))->id();
  CHECK(Task::create(asking({parities(1), parities(1), parities(1), parities(1)}))->id() == plain);
  CHECK(Task::create(asking({}))->canonical_json().find("questions") == std::string::npos);
}

// These faults cannot occur in a document. The fuzzing corpus has a document for every fault that can.
TEST_CASE("the error about questions that the channel refuses names the attribute") {
  const auto refused = [](std::vector<QuestionSpec> questions, ErrorCode code, const std::string& start) {
    const auto task = Task::create(asking(std::move(questions)));
    REQUIRE_FALSE(task);
    CAPTURE(task.error().message);
    CHECK(error_name(task.error().code) == error_name(code));
    CHECK(task.error().message.starts_with(start));
  };
  const QuestionSpec plain;
  refused({plain, plain, circle(9, 1, {1}), plain}, ErrorCode::kInvalidTask,
          "channel.questions: the questions about r: a circle must have at least as many places");
  refused({plain, plain, circle(3'000'000, 1, {1}), plain}, ErrorCode::kLimitExceeded,
          "channel.questions: the questions about r: a circle has at most");
  refused({plain, plain, plain, levels({{1}, {0}})}, ErrorCode::kInvalidTask,
          "channel.questions: the questions about age: sets of levels must be in ascending order");
  refused({plain, plain, plain, circle(200, 1, {3, 1})}, ErrorCode::kInvalidTask,
          "channel.questions: the questions about age: multipliers must be");
  refused({plain}, ErrorCode::kInvalidTask, "channel: questions must be given for every attribute");
  refused({plain, plain, plain, plain, plain}, ErrorCode::kInvalidTask, "channel: questions must be given");
}

// 40 attributes have the largest circle for which all multipliers are allowed. The document lists 163,840 multipliers
// and as many weights.
TEST_CASE("a document of many multipliers is read as written") {
  constexpr std::uint32_t kPlaces = 1U << 13U;
  std::vector<Attribute> attributes;
  std::vector<QuestionSpec> questions;
  std::vector<std::uint32_t> multipliers;
  std::vector<std::uint32_t> weights;
  for (std::uint32_t j = 1; j <= kPlaces / 2; ++j) {
    multipliers.push_back(j);
    weights.push_back(Questions::kMaxWeight / j);
  }
  for (int i = 0; i < 40; ++i) {
    attributes.push_back(*Attribute::range("r" + std::to_string(i), 0, 4000));
    questions.push_back(circle(kPlaces, 1, multipliers, weights));
  }
  TaskSpec large = asking(questions);
  large.schema = *Schema::create(attributes);
  large.arrangement = CharactersSpec{.order = 1};
  const auto task = Task::create(large);
  REQUIRE_MESSAGE(task, task.error().message);
  CHECK(task->canonical_json().size() < Task::kMaxJsonBytes);
  const auto read = Task::parse(task->canonical_json());
  REQUIRE(read);
  CHECK(read->id() == task->id());
  CHECK(questions_of(*read) == questions);
}

}  // namespace
}  // namespace hearsay
