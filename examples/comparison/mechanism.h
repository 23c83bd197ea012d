// What the comparison knows of a mechanism.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/planner/predicted_error.h"
#include "aggregator/planner/workload.h"
#include "common/random/bit_source.h"
#include "examples/population/population.h"
#include "hearsay/epsilon.h"
#include "hearsay/error.h"
#include "hearsay/query.h"

namespace hearsay::examples {

// What all mechanisms are asked.
struct Setting {
  Schema schema;
  Epsilon epsilon;
  std::vector<Query> queries;  // the ones simulated
  planner::Workload workload;  // what the planner plans for
};

// The reporters of one run.
struct Crowd {
  std::vector<Record> people;
  std::vector<std::uint64_t> satisfying;  // per query: how many people's records satisfy it
};

struct Randomness {
  BitSource& bits;               // for the reports of this system's own channels
  PopulationGenerator& made_up;  // for everything else
};

enum class Origin : std::uint8_t { kLimit, kOurs, kLiterature };

struct Mechanism {
  std::string name;
  Origin origin;
  std::size_t payload_bytes = 0;               // of one report, without its id and time
  std::vector<std::optional<Error>> refusals;  // per query: why it cannot be answered, if it cannot
  // Per query, before reporting: the mean squared error of the estimates from so many people drawn from a population,
  // against the fraction among them; any number where it is refused. To first order in 1/users. Empty: no prediction.
  std::function<std::vector<double>(const planner::Census& population, std::size_t users)> predict;
  // Reports of the crowd, and from them an estimate per query: any number where it is refused, NaN where these reports
  // leave it unanswered.
  std::function<Result<std::vector<double>>(const Crowd&, const Randomness&)> run;

  std::size_t answered() const;
};

// One that answers nothing, and says why.
Mechanism refused(std::string name, Origin origin, const Error& error, std::size_t queries);

// Binary randomized response to each query alone, by everybody: what one query costs when nothing else is asked.
Mechanism one_query_response(const Setting& setting);

// This system's, through its own channels and estimator: Laplace noise as in the paper and as tight as it can be, and
// `sampled`, on literals; Laplace noise, uniform singles, planned singles and planned groups on characters. Where the
// planner has several (sizes of groups, spreads), its best. Errors: those of the planner for the whole workload.
Result<std::vector<Mechanism>> own_mechanisms(const Setting& setting);

// The reference points of reference/.
std::vector<Mechanism> literature_mechanisms(const Setting& setting);

}  // namespace hearsay::examples
