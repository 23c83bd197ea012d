// Symbols: P⁺, P⁻ = the mass of r⁺ and r⁻ (the paper's PM₂, PM₁), t = the mass moved. The minimum is computed as the
// maximum of the mirrored domain.

#include "aggregator/central/extremes/published_extreme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

bool is_closed(Reading reading) { return reading == Reading::kDomainClosed || reading == Reading::kDataClosed; }
bool from_data(Reading reading) { return reading == Reading::kDataHalfOpen || reading == Reading::kDataClosed; }

// |ln(a/b)| and where it is largest.
std::pair<double, std::size_t> largest_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const double ratio =
        a[i] == 0 || b[i] == 0 ? std::numeric_limits<double>::infinity() : std::abs(std::log(a[i] / b[i]));
    if (ratio > largest) {
      largest = ratio;
      at = i;
    }
  }
  return {largest, at};
}

// Moves to the next table of as many rows; false after the last.
bool advance(std::vector<std::uint32_t>& rows, std::uint32_t values) {
  for (std::uint32_t& row : rows) {
    if (++row < values) return true;
    row = 0;
  }
  return false;
}

}  // namespace

Result<PublishedExtreme> PublishedExtreme::create(Extreme extreme, Reading reading, std::uint32_t values,
                                                  std::uint32_t reach, const Epsilon& claimed) {
  if (values == 0 || reach == 0) {
    return Error{ErrorCode::kInvalidArgument, "the domain and the reach must be at least 1"};
  }
  if (values > kMostValues) return Error{ErrorCode::kDomainTooLarge, "the domain has at most 2^16 values"};
  return PublishedExtreme(extreme, reading, values, std::min(reach, values), claimed);
}

// Values below `border` may be lowered, those from it to row + reach are raised.
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
  std::vector<std::uint32_t> mirrored(rows.begin(), rows.end());
  std::uint32_t least = values_;
  for (std::uint32_t& row : mirrored) {
    if (row >= values_) return Error{ErrorCode::kInvalidArgument, "a row lies outside the domain"};
    if (extreme_ == Extreme::kMinimum) row = values_ - 1 - row;
    least = std::min(least, row);
  }
  if (!from_data(reading_)) least = 0;
  std::vector<double> law(values_, 1.0 / values_);
  for (const std::uint32_t row : mirrored) add_row(law, row, least);
  if (extreme_ == Extreme::kMinimum) std::ranges::reverse(law);
  return law;
}

Result<std::uint32_t> PublishedExtreme::release(std::span<const std::uint32_t> rows, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<double> probabilities, law(rows));
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  double place = static_cast<double>(bits.bits(53)) * 0x1p-53 * total;
  std::uint32_t value = 0;
  while (value + 1 < values_ && place >= probabilities[value]) place -= probabilities[value++];
  return value;
}

Result<MeasuredLoss> PublishedExtreme::measure(Neighbours neighbours, std::size_t most_rows) const {
  if (most_rows == 0) return Error{ErrorCode::kInvalidArgument, "there must be at least one row"};
  double tables = 1;
  for (std::size_t i = 0; i < most_rows && tables <= kMostDatabases; ++i) tables *= std::max(values_, 2U);
  if (tables > kMostDatabases) return Error{ErrorCode::kDomainTooLarge, "more than 2^18 tables would be compared"};
  MeasuredLoss worst{0, {}, {}, 0};
  const auto compare = [&](const std::vector<std::uint32_t>& rows, const std::vector<double>& rows_law,
                           const std::vector<std::uint32_t>& other) {
    const auto [alpha, output] = largest_ratio(rows_law, law(other).value());
    if (alpha > worst.alpha) worst = {alpha, rows, other, static_cast<std::uint32_t>(output)};
  };
  for (std::size_t size = 1; size <= most_rows; ++size) {
    std::vector<std::uint32_t> rows(size);
    do {
      const std::vector<double> rows_law = law(rows).value();
      for (std::size_t i = 0; i < size; ++i) {
        std::vector<std::uint32_t> other = rows;
        if (neighbours == Neighbours::kAddRemove) {
          other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
          compare(rows, rows_law, other);
          continue;
        }
        for (other[i] = rows[i] + 1; other[i] < values_; ++other[i]) compare(rows, rows_law, other);
      }
    } while (advance(rows, values_));
  }
  return worst;
}

Result<double> rows_claimed_to_suffice(std::uint32_t values, std::uint32_t reach, const Epsilon& alpha, double delta) {
  const double odds = std::exp(alpha.approximate()) + 1;
  if (values == 0 || reach == 0) {
    return Error{ErrorCode::kInvalidArgument, "the domain and the reach must be at least 1"};
  }
  if (!(delta > 0 && delta < 1 / odds)) {
    return Error{ErrorCode::kInvalidArgument, "delta must lie strictly between 0 and 1/(e^alpha + 1)"};
  }
  const double cells = static_cast<double>(values) / reach;
  return cells / alpha.approximate() * (std::log(cells) - std::log(delta) - 2 * std::log(odds));
}

}  // namespace hearsay::central
