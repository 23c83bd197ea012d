// Tasks with the arrangement and channel of the test's choice.
#pragma once

#include <string>
#include <utility>

#include "hearsay/task.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

inline TaskSpec spec_over(const std::string& shape, const std::string& epsilon) {
  return {.title = shape,
          .schema = schema_of(shape),
          .arrangement = LiteralsSpec{},
          .channel = LaplaceSpec{},
          .epsilon = Epsilon::parse(epsilon).value(),
          .task_start = 0,
          .task_duration = 3600,
          .time_precision = 3600};
}

inline Task task_over(const std::string& shape, const std::string& epsilon, ArrangementSpec arrangement,
                      ChannelSpec channel) {
  TaskSpec spec = spec_over(shape, epsilon);
  spec.arrangement = std::move(arrangement);
  spec.channel = std::move(channel);
  return Task::create(std::move(spec)).value();
}

inline std::string booleans(int k) {
  std::string shape;
  for (int i = 0; i < k; ++i) shape += i == 0 ? "b" : " b";
  return shape;
}

}  // namespace hearsay::tests
