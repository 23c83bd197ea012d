#include "aggregator/cli/mechanism_words.h"

#include <doctest/doctest.h>

#include "tests/support/cut_tasks.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::cli {
namespace {

std::string words(const std::string& shape, const ArrangementSpec& arrangement, const ChannelSpec& channel) {
  return what_is_asked(tests::task_over(shape, "1", arrangement, channel));
}

TEST_CASE("mechanisms for boolean and categorical attributes are described in words") {
  CHECK(words("b r5", LiteralsSpec{}, LaplaceSpec{}) ==
        "every \"is it x?\" and \"at least t?\" of every attribute, each with noise");
  CHECK(words("b r5", LiteralsSpec{}, LaplaceSpec{LaplaceCalibration::kPaper, {}}).ends_with("as in the paper"));
  CHECK(words("b r5", CharactersSpec{2}, LaplaceSpec{}) ==
        "everything, in yes/no questions about up to 2 attributes, each with noise");
  CHECK(words("b r5", LiteralsSpec{}, SampledSpec{.groups = {}, .group_size = 1}) ==
        "1 yes/no question about one attribute, drawn at random");
  CHECK(words("b b", CharactersSpec{2},
              SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 3}}}) ==
        "1 answer about 1 attribute (25%) or 2 (75%), drawn evenly: yes or no?");
  // Only the attributes about which reports ask are counted.
  CHECK(words("b c5 b", CharactersSpec{1}, SampledSpec{.groups = {{GroupKind::kSingle, 1, 1, {0, 2}}}}) ==
        "1 answer about 1 attribute, as these queries need: yes or no?");
  CHECK(words("b b b c5", CharactersSpec{3},
              SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 5}, {GroupKind::kRaw, 3, 2}}}) ==
        "up to 3 answers about 1 to 3 attributes (most often 2), drawn evenly: is your value in a random half of the "
        "values? or yes or no?");
}

TEST_CASE("questions about ordered attributes are described in words") {
  const auto asked = [](const QuestionSpec& question) {
    const std::string text =
        words("r5", CharactersSpec{1}, SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}}, .questions = {question}});
    return text.substr(text.find(": ") + 2);
  };
  CHECK(asked(CircleQuestions{5, 1, {1, 2}, {3, 1}}) ==
        "is your value in random stretches that hold half of the values?");
  CHECK(asked(CircleQuestions{8, 1, {1}, {1}}) == "is your value above a random value?");
  CHECK(asked(LevelQuestions{{{0}, {1}, {2}}, {1, 1, 1}}) ==
        "is your value in every second stretch, of a random width?");
}

TEST_CASE("questions about cells of values are described in words") {
  const auto asked = [](const QuestionSpec& of_three_cells) {
    TaskSpec spec = tests::cut_spec({{1, {3, 6, 9}, {0, 1, 0, 2}}, {2, {1}, {}}});
    spec.arrangement = CharactersSpec{1};
    spec.channel = SampledSpec{.groups = {{GroupKind::kSingle, 1, 1, {1, 2}}},
                               .questions = {ParityQuestions{}, of_three_cells, ParityQuestions{}}};
    const std::string text = what_is_asked(Task::create(std::move(spec)).value());
    return text.substr(text.find(": ") + 2);
  };
  CHECK(asked(ParityQuestions{}) ==
        "in which of two sets of values is your value? or is your value in a random half of the sets of values?");
}

TEST_CASE("a mechanism that has no task is described in words, not by its internal name") {
  const auto words_of = [](const std::string& name) {
    const Error none{ErrorCode::kLimitExceeded, ""};
    return what_is_asked(planner::Candidate{name, none, none});
  };
  for (const char* const name : {"literals, paper's Laplace", "literals, sampled by 2", "characters, planned groups",
                                 "half-circles for ranges", "characters, whole values of 2 attributes"}) {
    CAPTURE(name);
    for (const char* const ours : {"literals", "characters", "half-circles", "planned", "sampled"}) {
      CHECK(words_of(name).find(ours) == std::string::npos);
    }
  }
  CHECK(words_of("literals, Laplace") == words("b r5", LiteralsSpec{}, LaplaceSpec{}));
  CHECK(words_of("characters, Laplace").ends_with("each with noise"));
  CHECK(words_of("any other").starts_with("answers about"));
}

}  // namespace
}  // namespace hearsay::cli
