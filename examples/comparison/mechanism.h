// A mechanism as the comparison sees it, and the setting in which all mechanisms are compared.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/planner/predicted_error.h"
#include "aggregator/planner/workload.h"
#include "common/random/bit_source.h"
#include "examples/comparison/question.h"
#include "examples/population/population.h"
#include "hearsay/epsilon.h"
#include "hearsay/error.h"
#include "hearsay/query.h"

namespace hearsay::examples {

// The questions that all mechanisms answer.
struct Setting {
  Schema schema;
  Epsilon epsilon;
  std::vector<Query> queries;             // the queries that the simulation answers
  planner::Workload workload;             // the questions that the planner plans for
  std::vector<std::uint32_t> means = {};  // ordered attributes whose means are the questions, in place of queries
  bool all_boxes = false;                 // `queries` is a sample of all boxes on the schema's attributes
};

// Returns the questions that the simulation answers.
std::vector<Question> questions_of(const Setting& setting);

// The reporters of one run.
struct Crowd {
  std::vector<Record> people;
  std::vector<std::uint64_t> satisfying;  // for each question: the sum of the question's value over the people
};

struct Randomness {
  BitSource& bits;               // for the reports of this system's own channels
  PopulationGenerator& made_up;  // for everything else
};

enum class Origin : std::uint8_t { kLimit, kOurs, kLiterature };

// The users that the worst question of the class needs, divided by the users of randomized response to one query alone.
// This is the variance of one report in the worst population, for people drawn at random, divided by c²/4 and by the
// square of the question's range. Here c = (e^ε+1)/(e^ε-1).
struct LimitRatio {
  double value = std::numeric_limits<double>::quiet_NaN();  // NaN: unknown
  bool at_most = false;                                     // true: `value` is only an upper bound
};

struct Mechanism {
  std::string name;
  Origin origin;
  std::size_t payload_bytes = 0;               // size of a report without id and time
  std::vector<std::optional<Error>> refusals;  // for each question: why the mechanism refuses it; empty if not
  // Predicts, for each question, the mean squared error of the estimate from `users` people who are drawn from the
  // population. The error is the difference from the fraction among these people. The prediction is exact to first
  // order in 1/users. For a refused question the number has no meaning. An empty function: no prediction.
  std::function<std::vector<double>(const planner::Census& population, std::size_t users)> predict;
  // Computes the worst case. An empty function: unknown. Cost: up to minutes for a class of many questions.
  std::function<LimitRatio()> limit_ratio;
  // Lets the crowd report, and returns an estimate for each question: NaN if these reports cannot answer the question.
  // For a refused question the number has no meaning.
  std::function<Result<std::vector<double>>(const Crowd&, const Randomness&)> run;

  std::size_t answered() const;  // number of questions that the mechanism does not refuse
};

// Makes a mechanism that refuses all questions, with the reason `error`.
Mechanism refused(std::string name, Origin origin, const Error& error, std::size_t questions);

// Makes the mechanism for the one-query limit: for each query all people report again, by binary randomized response to
// this query alone. The setting must not ask for means. For one mean, use the literature's one-bit mechanism, which
// needs as many users as the limit says.
Mechanism one_query_response(const Setting& setting);

// Makes this system's mechanisms, with the system's channels and estimator: the planner's best candidate of every
// family, in the planner's order. Candidates that differ only in sizes of groups or in spreads are one family. Errors:
// those of the planner for the whole workload.
Result<std::vector<Mechanism>> own_mechanisms(const Setting& setting);

// Makes the literature's mechanisms (reference/) for queries or means, whichever the setting asks for.
std::vector<Mechanism> literature_mechanisms(const Setting& setting);

}  // namespace hearsay::examples
