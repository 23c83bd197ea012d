#include "aggregator/charts/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "aggregator/charts/canvas.h"
#include "aggregator/charts/labels.h"

namespace hearsay::charts {
namespace {

std::string tick_text(double value, int decade) {
  constexpr int kMostDecimals = 6;
  constexpr int kMostZeros = 8;
  constexpr int kMostDigits = 15;  // a double holds every decimal number of 15 digits
  std::array<char, 48> text{};
  if (decade < -kMostDecimals || decade > kMostZeros || std::abs(value) >= 1e12) {
    const double first = value == 0 ? decade : std::floor(std::log10(std::abs(value)));
    const int digits = static_cast<int>(std::clamp<double>(first - decade + 1, 1, kMostDigits));
    return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*g", digits, value))};
  }
  const int length = std::snprintf(text.data(), text.size(), "%.*f", std::max(-decade, 0), value);
  std::string digits(text.data(), static_cast<std::size_t>(length));
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t i = point; i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

// Returns the least distance in pixels from the tick to the next tick.
double room_of(const Tick& tick, Direction direction) {
  constexpr double kGap = 14;
  constexpr double kLineHeight = 30;
  return direction == Direction::kUp ? kLineHeight : text_width(tick.label, kSmallFont) + kGap;
}

}  // namespace

void Range::include(double value) {
  if (!std::isfinite(value)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

void Range::include(const Interval& interval) {
  include(interval.low);
  include(interval.high);
}

Axis::Axis(const Range& range, double start, double end)
    : low_(range.empty() ? 0 : range.low()), high_(range.empty() ? 1 : range.high()), start_(start), end_(end) {
  constexpr double kMargin = 0.03;
  if (high_ == low_) {
    const double half = low_ == 0 ? 1 : std::abs(low_) / 2;
    low_ -= half;
    high_ += half;
  }
  const double margin = kMargin * (high_ - low_);
  low_ -= margin;
  high_ += margin;
}

std::vector<Tick> Axis::ticks(Direction direction) const {
  constexpr int kMostSteps = 30;
  constexpr double kLeastStep = 1e-12;  // times the larger |end| of the axis, because rounding would lose smaller steps
  const double pixels = std::abs(end_ - start_) / (high_ - low_);
  const double least = std::max((high_ - low_) / kMostSteps, kLeastStep * std::max(std::abs(low_), std::abs(high_)));
  int decade = static_cast<int>(std::floor(std::log10(least)));
  std::vector<Tick> ticks;
  for (int digit = 1;; digit = digit == 1 ? 2 : digit == 2 ? 5 : 1) {
    const double step = digit * std::pow(10.0, decade);
    ticks.clear();
    double room = 0;
    for (double i = std::ceil(low_ / step); i * step <= high_; ++i) {
      const double value = i * step + 0.0;  // + 0.0 turns -0 into 0
      ticks.push_back({value, tick_text(value, decade)});
      room = std::max(room, room_of(ticks.back(), direction));
    }
    if (room <= step * pixels || ticks.size() < 2) return ticks;
    if (digit == 5) ++decade;
  }
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.4g", value))};
}

}  // namespace hearsay::charts
