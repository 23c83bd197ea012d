#include "aggregator/charts/axis.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hearsay::charts {
namespace {

std::vector<Tick> ticks_of(double low, double high) {
  Range range;
  range.include(low);
  range.include(high);
  return Axis(range, 0, 600).ticks(Direction::kUp);
}

TEST_CASE("for any numbers an axis has few ticks, and their labels differ") {
  const std::vector<std::pair<double, double>> ranges{
      {0, 1}, {-3, 7}, {0, 1e-9}, {1, 1 + 1e-9}, {1e12, 1e12 + 50}, {1.5e12, 1.6e12}, {-1e300, 1e300}, {1e15, 3e15}};
  for (const auto& range : ranges) {
    CAPTURE(range.first);
    CAPTURE(range.second);
    const std::vector<Tick> ticks = ticks_of(range.first, range.second);
    CHECK(ticks.size() >= 2);
    CHECK(ticks.size() <= 31);
    std::set<std::string> labels;
    for (const Tick& tick : ticks) labels.insert(tick.label);
    CHECK(labels.size() == ticks.size());
  }
}

TEST_CASE("an axis is finite even if rounding loses the steps between its ends") {
  CHECK(ticks_of(9007199254740980, 9007199254740990).size() <= 31);
  CHECK(ticks_of(-9007199254740990, -9007199254740980).size() <= 31);
  CHECK(ticks_of(1e300, 1.0000000000000002e300).size() <= 31);
}

TEST_CASE("labels of an axis have as many digits as their steps need") {
  CHECK(ticks_of(0, 1e-9)[0].label == "0");
  CHECK(ticks_of(0, 1e-9)[1].label == "1e-10");
  CHECK(ticks_of(1.5e12, 1.6e12)[1].label == "1.51e+12");
  CHECK(ticks_of(1e12, 1e12 + 50)[1].label == "1000000000005");
  CHECK(ticks_of(0, 5e6)[1].label == "500,000");
}

}  // namespace
}  // namespace hearsay::charts
