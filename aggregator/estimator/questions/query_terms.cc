#include "aggregator/estimator/questions/query_terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace hearsay::estimator {
namespace {

constexpr std::size_t kMostAttributes = 64;

Error foreign_query() { return {ErrorCode::kInvalidArgument, "the query was compiled for another task"}; }

bool fits(const SampledChannel& channel, std::size_t attributes, const compiler::ProductTerm& term) {
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    const compiler::ProductTerm::Part& part = term.parts[i];
    if (part.attribute >= attributes || (i > 0 && part.attribute <= term.parts[i - 1].attribute)) return false;
    if (part.weights.size() != channel.questions(part.attribute).values()) return false;
  }
  return !term.parts.empty();
}

}  // namespace

Result<QueryTerms> query_terms(const QuestionIndex& index, const compiler::LinearQuery& query, compiler::Work& work) {
  if (!query.weights.empty()) return foreign_query();
  std::set<std::uint32_t> touched;
  for (const compiler::ProductTerm& term : query.terms) {
    if (!fits(index.channel(), index.task().asked_schema().size(), term)) return foreign_query();
    for (const compiler::ProductTerm::Part& part : term.parts) touched.insert(part.attribute);
  }
  if (touched.size() > kMostAttributes) {
    return Error{ErrorCode::kLimitExceeded, "the query is over more than 64 attributes"};
  }
  QueryTerms all{{touched.begin(), touched.end()}, {}};
  for (const compiler::ProductTerm& term : query.terms) {
    QueryTerm of{term.factor, 0, {}};
    for (const compiler::ProductTerm::Part& part : term.parts) {
      const auto axis =
          static_cast<std::uint32_t>(std::ranges::lower_bound(all.attributes, part.attribute) - all.attributes.begin());
      work.hold(4 * sizeof(double) * part.weights.size(), "ask a simpler query");
      std::vector<double> centred = index.law(part.attribute, work).apply(part.weights);
      const auto [low, high] = std::ranges::minmax(centred);
      const double energy = std::inner_product(centred.begin(), centred.end(), part.weights.begin(), 0.0);
      of.axes |= AxisSet{1} << axis;
      of.parts.push_back({axis, part.mean, part.weights, std::move(centred), low, high,
                          ScoreTable(index.channel().questions(part.attribute), part.weights, energy, work)});
    }
    all.terms.push_back(std::move(of));
  }
  return all;
}

std::vector<double> subset_factors(const QueryTerm& term, compiler::Work& work) {
  constexpr double kRounding = 1e-12;
  constexpr std::size_t kMostParts = 24;
  const std::size_t parts = std::min(term.parts.size(), kMostParts + 8);
  work.foresee({std::uint64_t{4} << parts, 3 * sizeof(double) << parts}, "ask about fewer attributes");
  std::vector<double> factors{term.factor};
  // sizes[T]: the size of the summand on the set T, relative to the largest possible size of a summand.
  std::vector<double> sizes{term.factor == 0 ? 0.0 : 1.0};
  for (const QueryPart& part : term.parts) {
    const double range = std::max(-part.low, part.high);
    const double scale = std::max(std::abs(part.mean), range);
    const std::size_t half = factors.size();
    work.spend(std::min<std::uint64_t>(half, std::uint64_t{1} << 20U));
    for (std::size_t subset = 0; subset < half; ++subset) {
      factors.push_back(factors[subset]);
      factors[subset] *= part.mean;
      sizes.push_back(scale > 0 ? sizes[subset] * range / scale : 0);
      if (scale > 0) sizes[subset] *= std::abs(part.mean) / scale;
    }
  }
  for (std::size_t subset = 0; subset < factors.size(); ++subset) {
    if (subset == 0 || sizes[subset] <= kRounding) factors[subset] = 0;
  }
  return factors;
}

}  // namespace hearsay::estimator
