// Symbols: J_i = number of values of attribute i; 2^b_i = number of the attribute's bit patterns; N_T = Π_{i in T}
// (2^b_i - 1), the number of coordinates on the attribute set T; I_T = the information of a report about each of these
// coordinates.
//
// A group of m bits carries the information γ_m² about each of at most 2^m - 1 coordinates. So Σ_T N_T·I_T <= G = max_m
// (2^m - 1)·γ_m². Continue a product of functions to bit patterns without a value. The least average variance of all
// continuations is Σ_S E_S/(N_S·I'_S), with E_S as for one-bit parities with means over the values (question_costs.h),
// and
//   I'_S = Σ_{T ⊇ S} I_T·Π_{i in T, not in S} r_i, r_i = 2^b_i/J_i - 1.
// I'_S are the eigenvalues of the kernel Σ_T I_T·Σ_{j on T} χ_j(x)·χ_j(y) over the values, where χ_j(x) is coordinate j
// of x. The reason is that the kernel of one attribute, 2^b·[x = y] - 1, has the eigenvalue 2^b on functions that sum
// to 0 and 2^b - J on constants. Hence
//   Σ_S N_S·I'_S <= G·max_T Π_{i in T} (1 + r_i/(2^b_i - 1)).
// So no groups are better than the best one-bit parities with this bound in place of γ_1².

#include "aggregator/planner/parity_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <variant>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/question_plan.h"
#include "aggregator/planner/smooth_maximum.h"
#include "aggregator/planner/workload_plan.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {
namespace {

// Returns the largest factor by which groups of at most `bits` bits tell more than singles.
double most_gain(double epsilon, std::size_t bits) {
  double gain = 1;
  for (std::uint32_t m = 2; m <= std::min<std::size_t>(bits, SampledChannel::kMaxWidth); ++m) {
    const double part = truth_of(epsilon, m) / truth_of(epsilon, 1);
    gain = std::max(gain, (std::exp2(m) - 1) * part * part);
  }
  return gain;
}

// Returns an upper bound on the gain from continuing queries to bit patterns without a value. The queries are on at
// most `order` attributes.
double most_continued(const Schema& schema, std::uint32_t order) {
  std::vector<double> factors;
  for (const Attribute& attribute : schema.attributes()) {
    const double patterns = std::exp2(bits_of(attribute));
    factors.push_back(1 + (patterns / attribute.size() - 1) / (patterns - 1));
  }
  std::ranges::sort(factors, std::greater());
  double product = 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(order, factors.size()); ++i) product *= factors[i];
  return product;
}

}  // namespace

bool has_many_patterns(const std::vector<Query>& queries, const Schema& schema) {
  constexpr double kMany = 0x1p13;  // bit patterns of all queries together
  double patterns = 0;
  for (const Query& query : queries) {
    double of_query = 1;
    for (const std::uint32_t attribute : query.attributes()) of_query *= std::exp2(bits_of(schema[attribute]));
    patterns += of_query;
  }
  return patterns > kMany;
}

double least_ratio_of_parities(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries) {
  // A margin for the difference between the average variance and the variance in the worst population.
  constexpr double kOfPopulations = 2;
  if (!has_only<std::vector<Query>, Conjunctions>(workload)) return 0;
  const auto plan = plan_questions(base.schema, workload, for_ranges(QuestionFamily::kParities, base.schema));
  if (!plan) return 0;
  std::set<std::uint32_t> touched;
  for (const Query& query : queries) {
    for (const std::uint32_t attribute : query.attributes()) touched.insert(attribute);
  }
  // The representatives of a class touch only one of several attributes that look alike. So for a class all attributes
  // count.
  const bool is_list = has_only<std::vector<Query>>(workload);
  const double epsilon = base.epsilon.approximate();
  const double more = most_gain(epsilon, is_list ? touched.size() : base.schema.size()) *
                      most_continued(base.schema, order_of(workload));
  const double of_singles = limit_ratio(plan->lower_bound / std::pow(truth_of(epsilon, 1), 2), epsilon);
  return of_singles / (kOfPopulations * more);
}

}  // namespace hearsay::planner
