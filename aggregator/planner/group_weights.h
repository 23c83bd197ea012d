// Chooses the groups of `sampled` on `characters`, and their weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "aggregator/compiler/compile_characters.h"
#include "aggregator/planner/saddle_point.h"
#include "aggregator/planner/workload.h"
#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

enum class GroupChoice : std::uint8_t {
  kSingles,  // single groups only
  // Groups of all kinds.
  kAll,
};

// The sets of attributes that groups may be on.
enum class SetChoice : std::uint8_t {
  kAll,  // every set of attributes; sets of one size are equally likely
  // Every set of attributes, with a probability in proportion to the set's number of coordinates.
  kByMasks,
  // Sets of attributes that some query needs, and unions of a few of these sets. Each set has a weight of its own.
  kNeeded,
  kTouched,         // as kAll, but only for attributes that the queries need
  kTouchedByMasks,  // as kByMasks, but only for attributes that the queries need
};

// Chooses the groups' weights W so that the largest average variance (report_variance.h) of the queries is least:
// minimises max_q Σ_T e_qT/I_T(W). e_qT is the sum of the query's squared weights on the coordinates of attribute set
// T. I_T, the information about each of these coordinates, is linear in W. The problem is convex. The search ends when
// the dual bound proves that the result is within 0.2 % of the optimum (saddle_point.h says when the search may end
// earlier). Then the planner rounds the weights to integers that sum to about 2^30. The planner leaves out groups with
// next to no weight, as long as the task still asks about every coordinate that a query needs.
//
// For singles, and conjunctions of at most r literals of k booleans, the minimum is c²/4·(Σ_{l<=r}
// √(C(r,l)·C(k,l)))²/4^{r-1}, with c = (e^ε+1)/(e^ε-1).
class GroupPlanner {
 public:
  // `weights` has one weight for each query, which multiplies the query's variance. If `weights` is empty, all weights
  // are 1. `functions` are further functions, of one attribute each, whose variances count, too. `schema` must outlive
  // the planner. Errors: those of compiling the queries and of the arrangement; kInvalidArgument if all queries are
  // constant. Cost: compiling the queries.
  static Result<GroupPlanner> create(const Schema& schema, std::uint32_t order, const Epsilon& epsilon,
                                     std::vector<Query> queries, std::vector<double> weights = {},
                                     const std::vector<WeightedFunction>& functions = {});

  // Plans the groups. Errors: those of making the channel. Cost: up to a second, and the time to compile the hardest
  // queries once more.
  Result<SampledSpec> plan(GroupChoice choice, SetChoice sets) const;

 private:
  GroupPlanner(const Schema& schema, Characters characters, const Epsilon& epsilon, std::vector<Query> queries)
      : schema_(&schema), characters_(std::move(characters)), epsilon_(epsilon), queries_(std::move(queries)) {}
  std::vector<GroupWeight> candidates(GroupChoice choice, SetChoice sets) const;
  Result<SetEnergy> energy_of(std::size_t query, const compiler::SubsetVariance& variance);
  void add_function(const WeightedFunction& function);

  const Schema* schema_;
  Characters characters_;
  Epsilon epsilon_;
  std::vector<Query> queries_;
  std::vector<double> weights_;  // one for each query
  // The number of each attribute set that the queries use.
  std::map<std::vector<std::uint32_t>, std::size_t> sets_;
  // The energies of the queries, compiled for equal variances on all sets. The energies of create()'s `functions`
  // follow.
  std::vector<SetEnergy> energies_;
};

// Returns single groups that ask about each coordinate equally often.
Result<SampledSpec> uniform_singles(const Schema& schema, std::uint32_t order);

}  // namespace hearsay::planner
