// Which groups of `sampled` on `characters` to draw, and how often.
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
  kSingles,  // single groups alone
  kAll,      // all kinds
};

// Which sets of attributes groups are on.
enum class SetChoice : std::uint8_t {
  kAll,      // every set of attributes, all of one size equally likely
  kByMasks,  // every set of attributes, more likely in proportion to its coordinates
  kNeeded,   // sets of attributes that some query needs, and unions of a few of them, each with a weight of its own
  kTouched,  // as kAll, of the attributes that the queries need
  kTouchedByMasks,  // as kByMasks, of the attributes that the queries need
};

// The weights that minimise the largest average variance (report_variance.h) of the queries: the minimum over weights W
// of max_q Σ_T e_qT/I_T(W), e_qT the query's squared weights on the coordinates of attribute set T, I_T the information
// about each of them, linear in W. Convex; solved until the dual bound shows that it is within 0.2 % of the optimum
// (saddle_point.h), then rounded to integers that sum to about 2^30. What has next to no weight is left out, as long as
// every coordinate that a query needs is still asked.
//
// For conjunctions of at most r literals of k booleans and singles the minimum is
// c²/4·(Σ_{l<=r} √(C(r,l)·C(k,l)))²/4^{r-1}.
class GroupPlanner {
 public:
  // `weights`: what the queries' variances count with, one for each; empty: 1 for each. `functions`: others, of one
  // attribute each, that variances are wanted for. `schema` must outlive the planner. Errors: those of compiling the
  // queries and of the arrangement; kInvalidArgument if all queries are constant. Cost: compiling the queries.
  static Result<GroupPlanner> create(const Schema& schema, std::uint32_t order, const Epsilon& epsilon,
                                     std::vector<Query> queries, std::vector<double> weights = {},
                                     const std::vector<WeightedFunction>& functions = {});

  // Errors: those of making the channel. Cost: up to a second, and compiling the hardest queries once more.
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
  std::vector<double> weights_;  // of the queries
  std::map<std::vector<std::uint32_t>, std::size_t> sets_;  // attribute sets that the queries use, numbered
  std::vector<SetEnergy> energies_;  // one per query, for equal variances; then those of functions
};

// Single groups that ask about every coordinate equally often.
Result<SampledSpec> uniform_singles(const Schema& schema, std::uint32_t order);

}  // namespace hearsay::planner
