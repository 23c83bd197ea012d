#include "aggregator/cli/mechanism_words.h"

#include <doctest/doctest.h>

#include "tests/support/planned_tasks.h"

namespace hearsay::cli {
namespace {

std::string words(const std::string& shape, const ArrangementSpec& arrangement, const ChannelSpec& channel) {
  return what_is_asked(tests::task_over(shape, "1", arrangement, channel));
}

TEST_CASE("mechanisms in words") {
  CHECK(words("b r5", LiteralsSpec{}, LaplaceSpec{}) ==
        "everything, in yes/no questions about one attribute, each with noise");
  CHECK(words("b r5", LiteralsSpec{}, LaplaceSpec{LaplaceCalibration::kPaper, {}}).ends_with("as in the paper"));
  CHECK(words("b r5", CharactersSpec{2}, LaplaceSpec{}) ==
        "everything, in yes/no questions about up to 2 attributes, each with noise");
  CHECK(words("b r5", LiteralsSpec{}, SampledSpec{.groups = {}, .group_size = 1}) ==
        "1 yes/no question about one attribute, drawn at random");
  CHECK(words("b b", CharactersSpec{2},
              SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 3}}}) ==
        "1 answer about 1 attribute (25%) or 2 (75%), alike: yes or no?");
  // Only the attributes that are asked about count.
  CHECK(words("b c5 b", CharactersSpec{1}, SampledSpec{.groups = {{GroupKind::kSingle, 1, 1, {0, 2}}}}) ==
        "1 answer about 1 attribute, as these queries need: yes or no?");
  CHECK(words("b b b c5", CharactersSpec{3},
              SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 5}, {GroupKind::kRaw, 3, 2}}}) ==
        "up to 3 answers about 1 to 3 attributes (most often 2), alike: in a random half of the values? or yes or "
        "no?");
}

TEST_CASE("questions about ordered attributes in words") {
  const auto asked = [](const QuestionSpec& question) {
    const std::string text =
        words("r5", CharactersSpec{1}, SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}}, .questions = {question}});
    return text.substr(text.find(": ") + 2);
  };
  CHECK(asked(CircleQuestions{5, 1, {1, 2}, {3, 1}}) == "in random stretches that hold half of the values?");
  CHECK(asked(CircleQuestions{8, 1, {1}, {1}}) == "above a random value?");
  CHECK(asked(LevelQuestions{{{0}, {1}, {2}}, {1, 1, 1}}) == "in every other stretch, of a random width?");
}

}  // namespace
}  // namespace hearsay::cli
