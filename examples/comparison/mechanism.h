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
  std::vector<Query> queries;             // the queries simulated
  planner::Workload workload;             // what the planner plans for
  std::vector<std::uint32_t> means = {};  // ordered attributes whose means are asked, in place of queries
  bool all_boxes = false;                 // `queries` is a sample of all boxes on the schema's attributes
};

// The questions simulated.
std::vector<Question> questions_of(const Setting& setting);

// The reporters of one run.
struct Crowd {
  std::vector<Record> people;
  std::vector<std::uint64_t> satisfying;  // per question: the sum of the question's value over the people
};

struct Randomness {
  BitSource& bits;               // for the reports of this system's own channels
  PopulationGenerator& made_up;  // for everything else
};

enum class Origin : std::uint8_t { kLimit, kOurs, kLiterature };

// The users that the worst question of the class needs, divided by the users at the one-query limit. This is n times
// the variance in the worst population, for people drawn anew, divided by c²/4 and by the square of the question's
// range.
struct LimitRatio {
  double value = std::numeric_limits<double>::quiet_NaN();  // NaN: unknown
  bool at_most = false;                                     // `value` is an upper bound
};

struct Mechanism {
  std::string name;
  Origin origin;
  std::size_t payload_bytes = 0;               // of one report, without its id and time
  std::vector<std::optional<Error>> refusals;  // per question: why it cannot be answered, if it cannot
  // Predicts, for each question, the mean squared error of the estimate from `users` people drawn from the population,
  // against the fraction among these people. Exact to first order in 1/users. A refused question gets any number.
  // Empty: no prediction.
  std::function<std::vector<double>(const planner::Census& population, std::size_t users)> predict;
  // Empty: the worst case is unknown. Cost: up to minutes for a class of many questions.
  std::function<LimitRatio()> limit_ratio;
  // Lets the crowd report, and returns an estimate for each question. A refused question gets any number; a question
  // that these reports cannot answer gets NaN.
  std::function<Result<std::vector<double>>(const Crowd&, const Randomness&)> run;

  std::size_t answered() const;
};

// Makes a mechanism that answers nothing, and gives the reason.
Mechanism refused(std::string name, Origin origin, const Error& error, std::size_t questions);

// Everybody answers each query alone, by binary randomized response: the cost of a query when nothing else is asked.
// The setting must not ask for means; for a single mean, the literature's one-bit mechanism takes as many users.
Mechanism one_query_response(const Setting& setting);

// This system's mechanisms, with its own channels and estimator: the planner's best candidate of every family, in the
// planner's order. Candidates that differ only in sizes of groups or in spreads count as one family. Errors: those of
// the planner for the whole workload.
Result<std::vector<Mechanism>> own_mechanisms(const Setting& setting);

// The literature's mechanisms (reference/) that can answer such questions.
std::vector<Mechanism> literature_mechanisms(const Setting& setting);

}  // namespace hearsay::examples
