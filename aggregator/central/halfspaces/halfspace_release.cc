// Symbols of section 6: d = dimension, k = the net's dimension, m = projections, N = the net; ε₂, δ₂ = error2, delta2.

#include "aggregator/central/halfspaces/halfspace_release.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr double kMostStored = 0x1p26;
constexpr double kMostCounting = 0x1p36;

bool is_fraction(double value) { return value > 0 && value < 1; }

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool all_zero(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return x == 0; });
}

}  // namespace

Result<HalfspaceProjections> HalfspaceProjections::create(std::uint32_t dimension, std::uint32_t projections,
                                                          const HalfspaceNet& net, BitSource& bits) {
  if (dimension < 1 || projections % 2 == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the dimension must be at least 1, and the number of projections must be odd"};
  }
  const double signs = static_cast<double>(projections) * dimension * net.dimension();
  const double counts = static_cast<double>(projections) * static_cast<double>(net.size());
  if (signs > kMostStored || counts > kMostStored) {
    return Error{ErrorCode::kDomainTooLarge,
                 "the number of projections, times the size of one or times the size of the net, exceeds 2^26"};
  }
  std::vector<std::int8_t> drawn(static_cast<std::size_t>(signs));
  for (std::int8_t& sign : drawn) sign = bits.bits(1) == 0 ? std::int8_t{-1} : std::int8_t{1};
  return HalfspaceProjections(dimension, projections, net, std::move(drawn));
}

std::vector<double> HalfspaceProjections::project(std::uint32_t projection, std::span<const double> x) const {
  const std::size_t k = net_.dimension();
  std::vector<double> image(k, 0);
  const std::int8_t* sign = signs_.data() + std::size_t{projection} * dimension_ * k;
  for (const double coordinate : x) {
    for (std::size_t j = 0; j < k; ++j) image[j] += *sign++ * coordinate;
  }
  return image;
}

Result<double> ReleasedHalfspaces::answer(std::span<const double> y) const {
  if (y.size() != projections_->dimension() || !all_finite(y) || all_zero(y)) {
    return Error{ErrorCode::kInvalidArgument,
                 "a halfspace must be given by a finite vector that is not 0 and has the data's dimension"};
  }
  // Only the direction matters. y is scaled to a largest coordinate of 1, so the projection cannot overflow.
  double longest = 0;
  for (const double coordinate : y) longest = std::max(longest, std::abs(coordinate));
  std::vector<double> direction;
  for (const double coordinate : y) direction.push_back(coordinate / longest);
  const std::uint64_t size = projections_->net().size();
  std::vector<std::int64_t> answers;
  for (std::uint32_t i = 0; i < projections_->projections(); ++i) {
    answers.push_back(noisy_[i * size + projections_->net().near(projections_->project(i, direction))]);
  }
  const auto middle = answers.begin() + static_cast<std::ptrdiff_t>(answers.size() / 2);
  std::nth_element(answers.begin(), middle, answers.end());
  return static_cast<double>(*middle) / static_cast<double>(rows_);
}

Result<HalfspaceRelease> HalfspaceRelease::create(HalfspaceProjections projections, const Epsilon& alpha) {
  const std::uint64_t questions = std::uint64_t{projections.projections()} * projections.net().size();
  HEARSAY_TRY(const DiscreteLaplace noise, calibrated_noise(whole(questions), exact(alpha)));
  return HalfspaceRelease(std::make_shared<const HalfspaceProjections>(std::move(projections)), noise, exact(alpha));
}

Result<std::vector<std::uint64_t>> HalfspaceRelease::counts(std::span<const double> rows) const {
  const std::size_t d = projections_->dimension();
  const std::size_t k = projections_->net().dimension();
  const std::uint64_t size = projections_->net().size();
  if (rows.empty() || rows.size() % d != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "there must be at least one row, and each row must have the stated dimension"};
  }
  const auto n = static_cast<double>(rows.size()) / static_cast<double>(d);
  if (n * static_cast<double>(questions()) * static_cast<double>(k) > kMostCounting) {
    return Error{
        ErrorCode::kLimitExceeded,
        "the number of rows, times the number of projections, times the net's size and dimension, exceeds 2^36"};
  }
  std::vector<double> net;
  for (std::uint64_t v = 0; v < size; ++v) {
    for (const std::int32_t coordinate : projections_->net().at(v)) net.push_back(coordinate);
  }
  std::vector<std::uint64_t> counts(questions(), 0);
  for (std::size_t row = 0; row < rows.size(); row += d) {
    if (!all_finite(rows.subspan(row, d))) continue;
    for (std::uint32_t i = 0; i < projections_->projections(); ++i) {
      const std::vector<double> image = projections_->project(i, rows.subspan(row, d));
      std::uint64_t* count = counts.data() + i * size;
      const double* vector = net.data();
      for (std::uint64_t v = 0; v < size; ++v, vector += k) {
        double product = 0;
        for (std::size_t j = 0; j < k; ++j) product += image[j] * vector[j];
        count[v] += product >= 0 ? 1 : 0;
      }
    }
  }
  return counts;
}

Result<ReleasedHalfspaces> HalfspaceRelease::release(std::span<const double> rows, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> exact, counts(rows));
  std::vector<std::int64_t> noisy;
  noisy.reserve(exact.size());
  for (const std::uint64_t count : exact) {
    noisy.push_back(with_noise(static_cast<std::int64_t>(count), noise_, bits));
  }
  return ReleasedHalfspaces(projections_, std::move(noisy), rows.size() / projections_->dimension());
}

Result<std::uint64_t> HalfspaceRelease::rows_needed(double error2, double delta2) const {
  if (!is_fraction(error2) || !is_fraction(delta2)) {
    return Error{ErrorCode::kInvalidArgument, "error and delta must lie strictly in (0, 1)"};
  }
  const auto number = static_cast<double>(questions());
  return record_count(number / error2 / alpha_.approximate() * (std::log(number) - std::log(delta2)) + 0.5 / error2);
}

}  // namespace hearsay::central
