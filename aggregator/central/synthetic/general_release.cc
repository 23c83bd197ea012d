#include "aggregator/central/synthetic/general_release.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

bool is_fraction(double value) { return value > 0 && value < 1; }

Result<std::uint64_t> whole(double value) {
  if (!(value <= 0x1p53)) return Error{ErrorCode::kOverflow, "more than 2^53 records would be needed"};
  return static_cast<std::uint64_t>(std::max(value, 1.0));
}

Result<void> check_not_empty(std::span<const std::uint64_t> histogram) {
  if (std::all_of(histogram.begin(), histogram.end(), [](std::uint64_t count) { return count == 0; })) {
    return Error{ErrorCode::kInvalidArgument, "there are no records"};
  }
  return {};
}

}  // namespace

Result<GeneralRelease> GeneralRelease::create(QueryClass queries, std::uint32_t size, const Epsilon& alpha) {
  HEARSAY_TRY(const Rational epsilon, Rational::create(alpha.num(), alpha.den()));
  HEARSAY_TRY(Selection selection, Selection::create(std::move(queries), size, epsilon));
  return GeneralRelease(std::move(selection));
}

Result<SyntheticDatabase> GeneralRelease::release(std::span<const std::uint64_t> histogram, BitSource& bits) const {
  HEARSAY_CHECK_OK(check_not_empty(histogram));
  return selection_.enumerate(histogram, bits);
}

Result<SyntheticDatabase> GeneralRelease::release_by_chain(std::span<const std::uint64_t> histogram,
                                                           std::uint64_t steps, BitSource& bits) const {
  HEARSAY_CHECK_OK(check_not_empty(histogram));
  return selection_.walk(histogram, steps, bits);
}

Result<std::uint64_t> synthetic_size(double log_queries, double error) {
  if (!(log_queries >= 0) || !is_fraction(error)) {
    return Error{ErrorCode::kInvalidArgument, "a class has at least one query, and the error lies strictly in (0, 1)"};
  }
  return whole(std::floor(2 / error / error * (std::log(2.0) + log_queries)) + 1);
}

Result<double> log_queries_of_dimension(std::uint64_t domain, std::uint64_t dimension) {
  if (domain < 1) return Error{ErrorCode::kInvalidArgument, "a domain has at least one element"};
  const auto elements = static_cast<double>(domain);
  if (dimension >= domain) return elements * std::log(2.0);
  // log-sum-exp, term by term: C(x, i+1) = C(x, i)·(x-i)/(i+1). Beyond 10^6 terms, (e·x/d)^d is close enough.
  const auto d = static_cast<double>(dimension);
  constexpr std::uint64_t kMostTerms = 1'000'000;
  if (dimension > kMostTerms) return std::min(elements * std::log(2.0), d * (1 + std::log(elements / d)));
  double log_term = 0;
  double log_sum = 0;
  for (std::uint64_t i = 0; i < dimension; ++i) {
    const auto k = static_cast<double>(i);
    log_term += std::log((elements - k) / (k + 1));
    const double high = std::max(log_term, log_sum);
    log_sum = high + std::log1p(std::exp(std::min(log_term, log_sum) - high));
  }
  return log_sum;
}

Result<std::uint64_t> release_rows(double log_databases, double error, double alpha, double delta) {
  if (!(log_databases >= 0) || !is_fraction(error) || !is_fraction(delta) || !(alpha > 0)) {
    return Error{ErrorCode::kInvalidArgument, "error and delta must lie strictly in (0, 1), and alpha above 0"};
  }
  return whole(std::ceil(4 / error / alpha * (log_databases - std::log(delta))));
}

}  // namespace hearsay::central
