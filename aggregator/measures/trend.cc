#include "aggregator/measures/trend.h"

#include <cmath>

#include "aggregator/tails/distributions.h"

namespace hearsay::measures {

std::optional<NoChange> test_no_change(std::span<const Answer> answers) {
  double weights = 0;
  double sum = 0;
  double periods = 0;
  const auto weight = [](const Answer& answer) { return 1 / (answer.standard_error * answer.standard_error); };
  for (const Answer& answer : answers) {
    if (!(answer.standard_error > 0)) continue;
    weights += weight(answer);
    sum += weight(answer) * answer.value;
    ++periods;
  }
  if (periods < 2) return std::nullopt;
  NoChange test{0, periods - 1, 1};
  for (const Answer& answer : answers) {
    if (!(answer.standard_error > 0)) continue;
    test.statistic += weight(answer) * std::pow(answer.value - sum / weights, 2);
  }
  test.p = tails::chi_square_upper_tail(test.statistic, test.degrees);
  return test;
}

}  // namespace hearsay::measures
