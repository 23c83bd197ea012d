// For tasks that ask questions, compares the planner's variances with sums over all groups, questions, answers and
// records.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <random>

#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/answer_moments.h"
#include "aggregator/planner/predicted_error.h"
#include "aggregator/planner/report_variance.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

using compiler::LinearQuery;
using compiler::ProductTerm;
using Weights = std::vector<double>;

double score(const Questions& questions, const Weights& h, std::uint32_t question, std::uint32_t answer) {
  double sum = 0;
  for (std::uint32_t y = 0; y < h.size(); ++y) {
    sum += h[y] * ((questions.answer(question, y) == answer ? questions.answers() : 0.0) - 1);
  }
  return sum;
}

double chance_of(const Questions& questions, std::uint32_t question) {
  const Questions::Member& member = questions.member_of(question);
  return member.weight / static_cast<double>(questions.total_weight()) / member.count;
}

class Numbers {
 public:
  double next() { return 2 * static_cast<double>(engine_() - engine_.min()) / 0x1p32 - 1; }
  Weights list(std::size_t size) {
    Weights numbers(size);
    for (double& number : numbers) number = next();
    return numbers;
  }

 private:
  std::mt19937 engine_{7};
};

struct ContributionLaw {
  // second[x] is the mean square of a report's contribution for record x. `means` has the probability of each class and
  // set of attributes, with this probability times the mean contribution for each record.
  std::vector<double> second;
  std::vector<std::pair<double, Weights>> means;
  double largest = 0;  // the largest absolute contribution
};

using Sets = std::map<std::vector<std::uint32_t>, double>;

// Returns the channel's information about each nonempty set of these attributes.
Sets information_of(const SampledChannel& channel, const std::vector<std::uint32_t>& attributes) {
  Sets information;
  for (std::uint32_t set = 1; set < 1U << attributes.size(); ++set) {
    std::vector<std::uint32_t> on;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if ((set >> i & 1U) != 0) on.push_back(attributes[i]);
    }
    information[on] = channel.set_information(on);
  }
  return information;
}

// Splits an answer into its parts about each attribute of the group. Answers of single and even groups have too few
// bits for this. Their parts are right up to flipping all parts.
std::vector<std::uint32_t> split(const SampledChannel& channel, GroupKind kind, const std::vector<Factor>& factors,
                                 std::uint32_t answer) {
  std::vector<std::uint32_t> answers;
  if (kind == GroupKind::kEven) answer <<= 1U;
  for (const Factor& factor : factors) {
    const std::uint32_t width = channel.questions(factor.attribute).width();
    const bool rest_of_single = kind == GroupKind::kSingle && !answers.empty();
    answers.push_back(rest_of_single ? 0 : answer & ((1U << width) - 1));
    answer >>= width;
  }
  return answers;
}

double contribution(const SampledChannel& channel, const SampledChannel::GroupClass& group_class,
                    const LinearQuery& linear, const Sets& information, const std::vector<Factor>& factors,
                    const std::vector<std::uint32_t>& answers) {
  double sum = 0;
  for (std::uint32_t set = 1; set < 1U << factors.size(); ++set) {
    std::vector<std::uint32_t> on;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if ((set >> i & 1U) != 0) on.push_back(factors[i].attribute);
    }
    if (!SampledChannel::covers_sets_of(group_class, on.size())) continue;
    for (const ProductTerm& term : linear.terms) {
      double product = term.factor;
      std::size_t met = 0;
      for (const ProductTerm::Part& part : term.parts) {
        bool inside = false;
        for (std::size_t i = 0; i < factors.size(); ++i) {
          if ((set >> i & 1U) == 0 || factors[i].attribute != part.attribute) continue;
          product *= score(channel.questions(part.attribute), part.weights, factors[i].mask - 1, answers[i]);
          inside = true;
        }
        met += inside ? 1 : 0;
        if (!inside) product *= part.mean;
      }
      if (met == on.size()) sum += channel.gamma(group_class) / information.at(on) * product;
    }
  }
  return sum;
}

ContributionLaw law_of(const Task& task, const LinearQuery& linear, const std::vector<Record>& universe) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  std::vector<std::uint32_t> all(task.schema().size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  const Sets information = information_of(channel, all);
  ContributionLaw law{Weights(universe.size(), 0), {}, 0};
  std::map<std::pair<const void*, std::vector<std::uint32_t>>, std::pair<double, Weights>> means;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const auto& group_class = channel.class_of(group);
    std::vector<Factor> factors(group_class.size);
    channel.factors(group, factors);
    std::vector<std::uint32_t> asked;
    for (const Factor& factor : factors) asked.push_back(factor.attribute);
    double chance = channel.asks_about(group_class, asked, {});
    for (const Factor& f : factors) chance *= chance_of(channel.questions(f.attribute), f.mask - 1);
    auto& mean =
        means.emplace(std::pair{&group_class, asked}, std::pair{0.0, Weights(universe.size(), 0)}).first->second;
    mean.first += chance;
    const double gamma = channel.gamma(group_class);
    const std::uint32_t count = group_class.answers;
    for (std::uint32_t n = 0; n < count; ++n) {
      const std::uint32_t answer = channel.nth_answer(group, n);
      const double phi = contribution(channel, group_class, linear, information, factors,
                                      split(channel, group_class.kind, factors, answer));
      law.largest = std::max(law.largest, std::abs(phi));
      for (std::size_t x = 0; x < universe.size(); ++x) {
        const bool truth = channel.true_value(group, universe[x]) == answer;
        const double probability = chance * ((1 - gamma) / count + (truth ? gamma : 0));
        law.second[x] += probability * phi * phi;
        mean.second[x] += probability * phi;
      }
    }
  }
  for (const auto& [key, mean] : means) law.means.push_back(mean);
  return law;
}

// Returns the variance of the estimate times the number of reports n. For each class and set of attributes, the number
// of reports equals its expectation.
double variance_of(const ContributionLaw& law, const Weights& population) {
  double variance = 0;
  for (std::size_t x = 0; x < population.size(); ++x) variance += population[x] * law.second[x];
  for (const auto& [chance, by_record] : law.means) {
    double mean = 0;
    for (std::size_t x = 0; x < population.size(); ++x) mean += population[x] * by_record[x];
    variance -= mean * mean / chance;
  }
  return variance;
}

double value_at(const LinearQuery& linear, const std::vector<Weights>& functions, const Record& record) {
  double value = linear.offset;
  std::size_t next = 0;
  for (const ProductTerm& term : linear.terms) {
    double product = term.factor;
    for (const ProductTerm::Part& part : term.parts) product *= functions[next++][record[part.attribute]];
    value += product;
  }
  return value;
}

double spread_of(const Weights& values, const Weights& population) {
  double mean = 0;
  double square = 0;
  for (std::size_t x = 0; x < values.size(); ++x) {
    mean += population[x] * values[x];
    square += population[x] * values[x] * values[x];
  }
  return square - mean * mean;
}

// Returns a term on these attributes with pseudo-random weights. Appends each function to `functions`.
ProductTerm term_on(const Task& task, const std::vector<std::uint32_t>& attributes, Numbers& numbers,
                    std::vector<Weights>& functions) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  ProductTerm term{numbers.next(), {}};
  for (const std::uint32_t i : attributes) {
    const Questions& questions = channel.questions(i);
    ProductTerm::Part part{i, numbers.next(), numbers.list(questions.values()), 0};
    functions.push_back(Weights(questions.values(), part.mean));
    for (std::uint32_t q = 0; q < questions.count(); ++q) {
      for (std::uint32_t x = 0; x < questions.values(); ++x) {
        functions.back()[x] += chance_of(questions, q) * score(questions, part.weights, q, questions.answer(q, x));
      }
    }
    for (std::uint32_t x = 0; x < questions.values(); ++x) {
      part.energy += part.weights[x] * (functions.back()[x] - part.mean);
    }
    term.parts.push_back(std::move(part));
  }
  return term;
}

struct QuestionCase {
  std::string shape;
  SampledSpec channel;
  std::vector<std::vector<std::uint32_t>> terms;
};

std::vector<QuestionCase> question_cases() {
  const CircleQuestions circle5{5, 1, {1, 2}, {3, 1}};
  const CircleQuestions wide5{7, 2, {1, 2, 3}, {3, 1, 2}};
  const CircleQuestions wide4{8, 2, {1, 3}, {1, 2}};
  const LevelQuestions levels{{{0, 1}, {0, 2}, {1, 2}}, {1, 2, 4}};
  const LevelQuestions level{{{0}, {1}, {2}}, {1, 2, 4}};
  const GroupWeight one{GroupKind::kSingle, 1, 2};
  const GroupWeight two{GroupKind::kSingle, 2, 3};
  const GroupWeight pairs{GroupKind::kRaw, 2, 3};
  return {
      {"r5", {.groups = {one}, .group_size = 0, .questions = {circle5}}, {{0}}},
      {"r5 r3",
       {.groups = {one, two}, .group_size = 0, .questions = {circle5, CircleQuestions{3, 1, {1}, {1}}}},
       {{0, 1}, {0}}},
      {"r5", {.groups = {{GroupKind::kRaw, 1, 1}}, .group_size = 0, .questions = {wide5}}, {{0}}},
      {"r4 b",
       {.groups = {{GroupKind::kRaw, 1, 2, {0}}, {GroupKind::kSingle, 1, 1, {1}}, pairs},
        .group_size = 0,
        .questions = {wide4, ParityQuestions{1}}},
       {{0, 1}}},
      {"r6 b",
       {.groups = {{GroupKind::kRaw, 1, 2, {0}}, {GroupKind::kSingle, 1, 1, {1}}, pairs},
        .group_size = 0,
        .questions = {levels, ParityQuestions{1}}},
       {{0, 1}, {0}, {1}}},
      {"r8 b", {.groups = {one, pairs, two}, .group_size = 0, .questions = {level, ParityQuestions{1}}}, {{0, 1}, {1}}},
      {"c5 c4", {.groups = {pairs}, .group_size = 0, .questions = {ParityQuestions{2}, ParityQuestions{2}}}, {{0, 1}}},
      {"b r5 b",
       {.groups = {{GroupKind::kEven, 3, 2}, one, {GroupKind::kRaw, 3, 1}},
        .group_size = 0,
        .questions = {ParityQuestions{1}, circle5, ParityQuestions{1}}},
       {{0, 1, 2}, {1, 2}}},
      {"c6 r5",
       {.groups = {pairs, {GroupKind::kRaw, 1, 2, {0}}},
        .group_size = 0,
        .questions = {HashQuestions{3}, HashQuestions{5}}},
       {{0, 1}, {1}}},
  };
}

TEST_CASE("the second moments of scores agree with sums over all questions") {
  Numbers numbers;
  const std::vector<std::pair<QuestionSpec, std::uint32_t>> specs{
      {CircleQuestions{11, 1, {1, 3, 5}, {1, 2, 3}}, 6},
      {CircleQuestions{12, 2, {1, 2, 4}, {1, 2, 3}}, 12},
      {CircleQuestions{13, 3, {1, 6}, {1, 2}}, 10},
      {LevelQuestions{{{0, 1}, {0, 3}, {1, 2}}, {1, 2, 4}}, 13},
      {LevelQuestions{{{0, 1, 2, 3}}, {1}}, 16},
      {LevelQuestions{{{0, 2, 3}, {1, 2, 3}}, {2, 1}}, 9},
      {ParityQuestions{1}, 7},
      {ParityQuestions{2}, 11},
      {ParityQuestions{3}, 16},
      {ParityQuestions{3}, 6},
      {HashQuestions{3}, 8},
      {HashQuestions{5}, 7},
      {HashQuestions{6}, 6}};
  for (const auto& [spec, values] : specs) {
    CAPTURE(spec.index());
    CAPTURE(values);
    const Questions questions = Questions::create(spec, values).value();
    const AnswerMoments moments(questions);
    const Weights h = numbers.list(values);
    const Weights h2 = numbers.list(values);
    const Weights stated = moments.at_values(h, h2);
    double largest = 0;
    for (std::uint32_t x = 0; x < values; ++x) {
      double sum = 0;
      for (std::uint32_t q = 0; q < questions.count(); ++q) {
        const std::uint32_t answer = questions.answer(q, x);
        sum += chance_of(questions, q) * score(questions, h, q, answer) * score(questions, h2, q, answer);
        for (std::uint32_t k = 0; k < questions.answers(); ++k) {
          largest = std::max(largest, std::abs(score(questions, h, q, k)));
        }
      }
      CHECK(stated[x] == doctest::Approx(sum).epsilon(1e-9));
    }
    CHECK(moments.is_exact());
    CHECK(moments.largest_score(h) == doctest::Approx(largest).epsilon(1e-9));

    std::vector<Weights> functions{h, h2};
    while (functions.size() < 11) functions.push_back(numbers.list(values));
    const std::vector<Weights> squares = moments.squares_at_values(functions);
    const Weights scores = moments.largest_scores(functions);
    REQUIRE(squares.size() == functions.size());
    REQUIRE(scores.size() == functions.size());
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const Weights alone = moments.at_values(functions[i], functions[i]);
      for (std::uint32_t x = 0; x < values; ++x) CHECK(squares[i][x] == doctest::Approx(alone[x]).epsilon(1e-12));
      CHECK(scores[i] == doctest::Approx(moments.largest_score(functions[i])).epsilon(1e-12));
    }
  }
}

TEST_CASE(
    "in tasks with questions the variance of every population is right, and one population attains the worst "
    "variance") {
  Numbers numbers;
  for (const QuestionCase& c : question_cases()) {
    for (const char* epsilon : {"1", "3"}) {
      CAPTURE(c.shape);
      CAPTURE(epsilon);
      std::uint32_t order = 0;
      for (const auto& attributes : c.terms) order = std::max(order, static_cast<std::uint32_t>(attributes.size()));
      const Task task = tests::task_over(c.shape, epsilon, CharactersSpec{order}, c.channel);
      LinearQuery linear;
      linear.offset = 0.25;
      std::vector<Weights> functions;
      for (const auto& attributes : c.terms) linear.terms.push_back(term_on(task, attributes, numbers, functions));
      const std::vector<Record> universe = tests::all_records(task.schema());
      const ContributionLaw law = law_of(task, linear, universe);
      Weights values;
      for (const Record& record : universe) values.push_back(value_at(linear, functions, record));
      const Query any(query::Membership{0, {{0, 0}}});
      const ReportVariance stated = report_variance(task, any, linear);
      CHECK(stated.exact);
      CHECK(stated.influence >= law.largest * (1 - 1e-9));

      // Moves a random population towards the record that raises the variance most. The variance is concave, so the
      // largest is found.
      for (const double share : {0.0, 1.0}) {
        Weights population = numbers.list(universe.size());
        double sum = 0;
        for (double& part : population) sum += part = std::abs(part);
        for (double& part : population) part /= sum;
        const auto value = [&](const Weights& people) {
          return variance_of(law, people) - share * spread_of(values, people);
        };
        const double predicted = predicted_error(task, any, linear, {universe, population}).variance;
        if (share == 1) CHECK(value(population) == doctest::Approx(predicted).epsilon(1e-9));
        double best = value(population);
        for (double length = 0.5; length > 1e-4;) {
          Weights next = population;
          bool better = false;
          for (std::size_t x = 0; x < universe.size(); ++x) {
            for (const double step : {length, -length * population[x] / (1 - population[x] + 1e-12)}) {
              Weights moved = population;
              for (double& part : moved) part *= 1 - step;
              moved[x] = std::max(moved[x] + step, 0.0);
              if (value(moved) <= best) continue;
              best = value(moved);
              next = moved;
              better = true;
            }
          }
          population = next;
          if (!better) length /= 2;
        }
        const double worst = share == 0 ? stated.worst : stated.worst_among_reporters;
        CHECK(best <= worst * (1 + 1e-9));
        CHECK(best >= worst * 0.999);
      }
    }
  }
}

}  // namespace
}  // namespace hearsay::planner
