// Makes linear axes: chooses the range that an axis shows, and puts ticks at round numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hearsay::charts {

// The interval of an estimate. An end that is infinite or NaN counts as unbounded.
struct Interval {
  double low;
  double high;
};

// The values that an axis must show.
class Range {
 public:
  // Ignores values that are infinite or NaN.
  void include(double value);
  void include(const Interval& interval);
  double low() const { return low_; }
  double high() const { return high_; }
  bool empty() const { return low_ > high_; }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

struct Tick {
  double value;
  std::string label;
};

enum class Direction : std::uint8_t { kAcross, kUp };

class Axis {
 public:
  // Makes an axis from pixel `start` to pixel `end` that shows the range and a margin. For a vertical axis, `start` is
  // the lower end. An empty range becomes the range from 0 to 1.
  Axis(const Range& range, double start, double end);

  double at(double value) const { return start_ + (value - low_) / (high_ - low_) * (end_ - start_); }
  double low() const { return low_; }
  double high() const { return high_; }
  bool holds(double value) const { return value >= low_ && value <= high_; }
  // Returns ticks at the multiples of a step: 1, 2 or 5 times a power of ten. The step is so large that labels do not
  // touch.
  std::vector<Tick> ticks(Direction direction) const;

 private:
  double low_;
  double high_;
  double start_;
  double end_;
};

// Returns the value with at most four significant digits.
std::string number_text(double value);

}  // namespace hearsay::charts
