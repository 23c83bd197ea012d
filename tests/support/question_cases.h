// Small tasks whose reports ask all families of questions, and queries for these tasks in the compiler's linear form.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/question_law.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay::tests {

struct QuestionCase {
  std::string epsilon;
  SampledCase parts;
  Task task() const { return sampled_task(parts, epsilon); }
};

inline QuestionCase question_case(const std::string& epsilon, const std::string& shape, std::vector<GroupWeight> groups,
                                  std::vector<QuestionSpec> questions) {
  const auto order = static_cast<std::uint32_t>(questions.size());
  return {epsilon,
          {shape, shape, CharactersSpec{order}, {.groups = std::move(groups), .questions = std::move(questions)}}};
}

// Returns tasks over booleans, ranges and categorical attributes. Together the tasks ask every family of questions:
// circles with one or two places for each value and with four arcs; sets of levels; parities of one bit, of several
// bits and of all bits; and hashes. The tasks have all kinds of groups, also mixed, and groups on only some
// attributes.
inline std::vector<QuestionCase> question_cases() {
  using enum GroupKind;
  const ParityQuestions bit;
  const CircleQuestions five{.places = 5, .bits = 1, .multipliers = {1, 2}, .weights = {3, 1}};
  const CircleQuestions prefixes{.places = 8, .bits = 1, .multipliers = {1, 3}, .weights = {2, 1}};
  const CircleQuestions three{.places = 3, .bits = 1, .multipliers = {1}, .weights = {1}};
  const CircleQuestions arcs{.places = 8, .bits = 2, .multipliers = {1, 2, 3}, .weights = {4, 1, 2}};
  const LevelQuestions levels{.levels = {{0}, {1}, {2}}, .weights = {1, 2, 2}};
  const LevelQuestions pairs{.levels = {{0, 1}, {0, 2}, {1, 2}}, .weights = {1, 2, 1}};
  return {
      question_case("1", "b r5", {{kSingle, 1, 2}, {kSingle, 2, 3}}, {bit, five}),
      question_case("2", "r4 r3", {{kRaw, 2, 1}}, {prefixes, three}),
      question_case("1.5", "r4 r3", {{kRaw, 2, 1}, {kSingle, 1, 2}, {kSingle, 2, 1}}, {prefixes, three}),
      question_case("4", "c3 r6", {{kRaw, 2, 2}, {kRaw, 1, 1, {1}}, {kRaw, 1, 3, {0}}}, {ParityQuestions{2}, arcs}),
      question_case("3", "c5 r7", {{kRaw, 2, 1}}, {ParityQuestions{2}, pairs}),
      question_case("1", "b r7 c3", {{kSingle, 1, 1}, {kSingle, 2, 1}, {kEven, 3, 1}, {kSingle, 3, 2}},
                    {bit, levels, bit}),
      question_case("1", "b b r5", {{kRaw, 2, 3}, {kSingle, 3, 1}}, {bit, bit, five}),
      question_case("2", "c5 r6", {{kRaw, 2, 1}, {kRaw, 1, 1, {0}}}, {HashQuestions{3}, HashQuestions{6}}),
  };
}

// functions[i][v] is the factor for the value v of attribute i. functions[i] is empty if the attribute does not
// matter.
using Functions = std::vector<std::vector<double>>;

// Returns the product of `factor` and the functions, in the compiler's form.
inline compiler::ProductTerm product_term(const Task& task, const Functions& functions, double factor = 1) {
  compiler::ProductTerm term{factor, {}};
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].empty()) continue;
    const compiler::QuestionLaw law(sampled_of(task).questions(i));
    compiler::QuestionLaw::Solution solution = law.solve(functions[i]).value();
    term.parts.push_back({i, solution.mean, std::move(solution.weights), solution.energy});
  }
  return term;
}

inline compiler::LinearQuery product_query(const Task& task, const Functions& functions) {
  compiler::LinearQuery query;
  query.terms.push_back(product_term(task, functions));
  return query;
}

inline double product_at(const Functions& functions, const Record& record) {
  double product = 1;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (!functions[i].empty()) product *= functions[i][record.values()[i]];
  }
  return product;
}

inline std::vector<double> between(std::uint32_t low, std::uint32_t high, std::uint32_t values) {
  std::vector<double> function(values, 0);
  for (std::uint32_t v = low; v <= high; ++v) function[v] = 1;
  return function;
}

// Returns a box on all attributes. The box leaves out the last value of every second attribute, and the first value of
// the others.
inline Functions box(const Schema& schema) {
  Functions functions;
  for (std::uint32_t i = 0; i < schema.size(); ++i) {
    const std::uint32_t values = schema[i].size();
    functions.push_back(i % 2 == 0 ? between(1, values - 1, values) : between(0, values - 2, values));
  }
  return functions;
}

}  // namespace hearsay::tests
