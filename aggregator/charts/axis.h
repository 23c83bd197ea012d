// Linear axes: what range they show, and ticks at round numbers whose labels keep a distance.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hearsay::charts {

// An interval of an estimate. Ends that are infinite or no number: the interval is unbounded on that side.
struct Interval {
  double low;
  double high;
};

// What an axis must show.
class Range {
 public:
  // Values that are infinite or no number do not count.
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
  // Shows the range and a margin, from the first pixel to the last one; an axis that goes up has its first pixel below.
  // An empty range is that from 0 to 1.
  Axis(const Range& range, double start, double end);

  double at(double value) const { return start_ + (value - low_) / (high_ - low_) * (end_ - start_); }
  double low() const { return low_; }
  double high() const { return high_; }
  bool holds(double value) const { return value >= low_ && value <= high_; }
  // At multiples of 1, 2 or 5 times a power of ten, so many that no label touches another one.
  std::vector<Tick> ticks(Direction direction) const;

 private:
  double low_;
  double high_;
  double start_;
  double end_;
};

// With four significant digits.
std::string number_text(double value);

}  // namespace hearsay::charts
