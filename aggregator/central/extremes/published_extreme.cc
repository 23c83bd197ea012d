#include "aggregator/central/extremes/published_extreme.h"

#include <algorithm>
#include <cmath>

namespace hearsay::central {
namespace {

bool is_closed(Reading reading) { return reading == Reading::kDomainClosed || reading == Reading::kDataClosed; }
bool from_data(Reading reading) { return reading == Reading::kDataHalfOpen || reading == Reading::kDataClosed; }

}  // namespace

Result<PublishedExtreme> PublishedExtreme::create(Reading reading, std::uint32_t values, std::uint32_t reach,
                                                  const Epsilon& claimed) {
  if (values == 0 || reach == 0) {
    return Error{ErrorCode::kInvalidArgument, "the domain and the reach must be at least 1"};
  }
  if (values > kMostValues) return Error{ErrorCode::kDomainTooLarge, "the domain has at most 2^16 values"};
  return PublishedExtreme(reading, values, std::min(reach, values), claimed);
}

// Moves probability from the values of r⁻ to the values of r⁺, which are `border` to row + reach.
void PublishedExtreme::add_row(std::vector<double>& law, std::uint32_t row, std::uint32_t least) const {
  std::uint32_t border = row >= reach_ ? row - reach_ : 0;
  if (is_closed(reading_) && row >= reach_) ++border;
  const std::uint32_t end = std::min(values_ - row, reach_ + 1) + row;
  const auto raised = [&](std::uint32_t v) { return v >= border && v < end; };
  const auto lowered = [&](std::uint32_t v) {
    return reading_ == Reading::kComplement ? !raised(v) : v >= least && v < border;
  };
  double up = 0;
  double down = 0;
  for (std::uint32_t v = 0; v < values_; ++v) {
    if (raised(v)) up += law[v];
    if (lowered(v)) down += law[v];
  }
  if (up == 0 || down == 0) return;
  const double alpha = claimed_.approximate();
  const double moved = std::min(up * std::expm1(alpha), down * -std::expm1(-alpha));
  for (std::uint32_t v = 0; v < values_; ++v) {
    if (raised(v)) law[v] += law[v] * (moved / up);
    if (lowered(v)) law[v] -= law[v] * (moved / down);
  }
}

Result<std::vector<double>> PublishedExtreme::law(std::span<const std::uint32_t> rows) const {
  std::uint32_t least = values_;
  for (const std::uint32_t row : rows) {
    if (row >= values_) return Error{ErrorCode::kInvalidArgument, "a row lies outside the domain"};
    least = std::min(least, row);
  }
  if (!from_data(reading_)) least = 0;
  std::vector<double> law(values_, 1.0 / values_);
  for (const std::uint32_t row : rows) add_row(law, row, least);
  return law;
}

}  // namespace hearsay::central
