// What the comparison knows of a mechanism.
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

// What all mechanisms are asked.
struct Setting {
  Schema schema;
  Epsilon epsilon;
  std::vector<Query> queries;             // the ones simulated
  planner::Workload workload;             // what the planner plans for
  std::vector<std::uint32_t> means = {};  // ordered attributes whose means are asked; there are no queries then
  bool all_boxes = false;                 // `queries` are some of all the boxes on the schema's attributes
};

// The questions simulated.
std::vector<Question> questions_of(const Setting& setting);

// The reporters of one run.
struct Crowd {
  std::vector<Record> people;
  std::vector<std::uint64_t> satisfying;  // per question: the sum of its values over the people
};

struct Randomness {
  BitSource& bits;               // for the reports of this system's own channels
  PopulationGenerator& made_up;  // for everything else
};

enum class Origin : std::uint8_t { kLimit, kOurs, kLiterature };

// The users that the worst question of the class takes over the worst population, people drawn anew, over those of the
// one-query limit: over c²/4 times the square of the question's range.
struct LimitRatio {
  double value = std::numeric_limits<double>::quiet_NaN();  // NaN: unknown
  bool at_most = false;                                     // `value` is an upper bound
};

struct Mechanism {
  std::string name;
  Origin origin;
  std::size_t payload_bytes = 0;               // of one report, without its id and time
  std::vector<std::optional<Error>> refusals;  // per question: why it cannot be answered, if it cannot
  // Per question, before reporting: the mean squared error of the estimates from so many people drawn from a
  // population, against the fraction among them; any number where it is refused. To first order in 1/users. Empty: no
  // prediction.
  std::function<std::vector<double>(const planner::Census& population, std::size_t users)> predict;
  // Empty: nothing is known of the worst case. Cost: up to minutes for a class of many questions.
  std::function<LimitRatio()> limit_ratio;
  // Reports of the crowd, and from them an estimate per question: any number where it is refused, NaN where these
  // reports leave it unanswered.
  std::function<Result<std::vector<double>>(const Crowd&, const Randomness&)> run;

  std::size_t answered() const;
};

// One that answers nothing, and says why.
Mechanism refused(std::string name, Origin origin, const Error& error, std::size_t questions);

// Binary randomized response to each query alone, by everybody: what one query costs when nothing else is asked. The
// setting must ask no means: the one-bit mechanism of the literature takes as many users for one.
Mechanism one_query_response(const Setting& setting);

// This system's, through its own channels and estimator: the planner's best candidate of every family (sizes of groups
// and spreads aside), in the order of the planner. Errors: those of the planner for the whole workload.
Result<std::vector<Mechanism>> own_mechanisms(const Setting& setting);

// The reference points of reference/ that can answer such questions.
std::vector<Mechanism> literature_mechanisms(const Setting& setting);

}  // namespace hearsay::examples
