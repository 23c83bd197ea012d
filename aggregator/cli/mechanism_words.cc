#include "aggregator/cli/mechanism_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/base/number_text.h"
#include "common/channel/channel.h"
#include "common/task/coarsening.h"
#include "hearsay/mechanism.h"

namespace hearsay::cli {
namespace {

constexpr std::string_view kLiteralsWithNoise =
    "every \"is it x?\" and \"at least t?\" of every attribute, each with noise";
constexpr std::string_view kLiteralsWithPaperNoise =
    "every \"is it x?\" and \"at least t?\" of every attribute, each with noise as in the paper";

std::string at_most(std::uint64_t number, const std::string& one, const std::string& many) {
  return number == 1 ? "1 " + one : "up to " + std::to_string(number) + " " + many;
}

std::string of_laplace(const Task& task, const LaplaceSpec& spec) {
  const auto* characters = std::get_if<CharactersSpec>(&task.spec().arrangement);
  if (characters != nullptr) {
    return "everything, in yes/no questions about " + at_most(characters->order, "attribute", "attributes") +
           ", each with noise";
  }
  const bool paper = spec.calibration == LaplaceCalibration::kPaper;
  if (const auto* vectors = std::get_if<ExplicitSpec>(&task.spec().arrangement)) {
    return "a vector of " + counted(vectors->dimension, "number") + " that the task lists, each with noise" +
           (paper ? " as in the paper" : "");
  }
  return std::string(paper ? kLiteralsWithPaperNoise : kLiteralsWithNoise);
}

// Returns true if the questions are thresholds: a circle of 2(J-1) places, for J values, with the multiplier 1 alone.
bool asks_thresholds(const CircleQuestions& circle, const Attribute& attribute) {
  return circle.places == 2 * (attribute.size() - 1) && circle.multipliers == std::vector<std::uint32_t>{1};
}

std::string about_ordered(const CircleQuestions& circle, const Attribute& attribute, const std::string& values) {
  if (asks_thresholds(circle, attribute)) return "is your value above a random value?";
  if (circle.bits > 1) return "in which of " + std::to_string(1U << circle.bits) + " stretches is your value?";
  return "is your value in random stretches that hold half of the " + values + "?";
}

std::set<std::string> questions_of(const Task& task, const SampledSpec& spec) {
  std::set<std::string> found;
  const Schema& schema = task.asked_schema();
  for (std::uint32_t i = 0; i < schema.size(); ++i) {
    const auto asks = [i](const GroupWeight& group) {
      return group.attributes.empty() ||
             std::find(group.attributes.begin(), group.attributes.end(), i) != group.attributes.end();
    };
    if (std::none_of(spec.groups.begin(), spec.groups.end(), asks)) continue;
    const bool is_cut = task.coarsening() != nullptr && task.coarsening()->cuts_of(i) != nullptr;
    const std::string values = is_cut ? "sets of values" : "values";
    const QuestionSpec question = spec.questions.empty() ? QuestionSpec(ParityQuestions{}) : spec.questions[i];
    if (const auto* circle = std::get_if<CircleQuestions>(&question)) {
      found.insert(about_ordered(*circle, schema[i], values));
    } else if (std::holds_alternative<LevelQuestions>(question)) {
      found.insert("is your value in every second stretch, of a random width?");
    } else if (const auto* hash = std::get_if<HashQuestions>(&question); hash != nullptr) {
      found.insert(hash->answers == schema[i].size()
                       ? (is_cut ? "in which set of values is your value?" : "which value is yours?")
                       : "in which of " + std::to_string(hash->answers) + " random parts of the " + values +
                             " is yours?");
    } else if (const std::uint32_t bits = std::get<ParityQuestions>(question).bits; bits > 1) {
      found.insert("in which of " + std::to_string(1U << bits) + " random parts of the " + values + " is yours?");
    } else if (schema[i].size() == 2) {
      found.insert(is_cut ? "in which of two sets of values is your value?" : "yes or no?");
    } else {
      found.insert("is your value in a random half of the " + values + "?");
    }
  }
  return found;
}

// Returns the numbers of attributes in a group, such as "1 attribute (18%) or 2 (82%)" or "1 to 4 attributes (most
// often 2)".
std::string sizes_of(const SampledSpec& spec) {
  double total = 0;
  std::map<std::uint32_t, double> weights;
  for (const GroupWeight& group : spec.groups) {
    weights[group.size] += group.weight;
    total += group.weight;
  }
  const auto noun = [](std::uint32_t size) { return size == 1 ? " attribute" : " attributes"; };
  const auto percent = [total](double weight) {
    const long rounded = std::lround(100 * weight / total);
    return " (" + (rounded == 0 ? std::string("<1") : rounded == 100 ? ">99" : std::to_string(rounded)) + "%)";
  };
  const auto [fewest, weight] = *weights.begin();
  const auto [most, last] = *weights.rbegin();
  if (weights.size() == 1) return std::to_string(most) + noun(most);
  if (weights.size() == 2) {
    return std::to_string(fewest) + noun(fewest) + percent(weight) + " or " + std::to_string(most) + percent(last);
  }
  const auto commonest = std::max_element(weights.begin(), weights.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
  return std::to_string(fewest) + " to " + std::to_string(most) + " attributes (most often " +
         std::to_string(commonest->first) + ")";
}

std::string of_sampled(const Task& task, const SampledSpec& spec) {
  if (spec.groups.empty()) {
    return spec.group_size == 1 ? "1 yes/no question about one attribute, drawn at random"
                                : std::to_string(spec.group_size) + " yes/no questions, each about one attribute";
  }
  bool alike = true;
  for (const GroupWeight& group : spec.groups) alike = alike && group.odds.empty() && group.attributes.empty();
  std::uint32_t bits = 1;
  for (const auto& group : std::get<SampledChannel>(task.channel().kind()).classes()) {
    bits = std::max(bits, group.width);
  }
  std::string text = at_most(bits, "answer", "answers") + " about " + sizes_of(spec) +
                     (alike ? ", drawn evenly" : ", as these queries need");
  std::string separator = ": ";
  for (const std::string& question : questions_of(task, spec)) {
    text += separator + question;
    separator = " or ";
  }
  return text;
}

// Descriptions of mechanisms without a task. Each name is the beginning of a name that the planner gives.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames{{
    {"literals, paper's Laplace", kLiteralsWithPaperNoise},
    {"literals, Laplace", kLiteralsWithNoise},
    {"literals, sampled", "yes/no questions, each about one attribute"},
    {"characters, Laplace", "everything, in yes/no questions about several attributes, each with noise"},
    {"characters, uniform singles", "1 answer about some attributes, drawn evenly"},
    {"characters, planned singles", "1 answer about some attributes"},
    {"characters, whole values", "the values of some attributes"},
    {"half-circles", "1 answer about some attributes: is your value in random stretches that hold half of the values?"},
    {"thresholds", "1 answer about some attributes: is your value above a random value?"},
    {"questions that fit each attribute", "1 answer about some attributes, by questions that fit each attribute"},
}};

}  // namespace

std::string what_is_asked(const planner::Candidate& candidate) {
  if (candidate.task) return what_is_asked(*candidate.task);
  for (const auto& [name, words] : kNames) {
    if (candidate.name.starts_with(name)) return std::string(words);
  }
  return "answers about some attributes";
}

std::string what_is_asked(const Task& task) {
  const ChannelSpec& channel = task.spec().channel;
  if (const auto* laplace = std::get_if<LaplaceSpec>(&channel)) return of_laplace(task, *laplace);
  if (const auto* strategy = std::get_if<StrategySpec>(&channel)) {
    const std::string kind = strategy->shifts ? "shifted probabilities" : "probabilities";
    return "1 of " + with_separators(strategy->outputs) + " outputs, by " + kind + " made for the queries";
  }
  return of_sampled(task, std::get<SampledSpec>(channel));
}

}  // namespace hearsay::cli
