// Tasks over small schemas with the channel `sampled`.
#pragma once

#include <string>

#include "hearsay/task.h"
#include "tests/support/sampled_cases.h"

namespace hearsay::tests {

inline Task sampled_task(const SampledCase& c, const std::string& epsilon) {
  return Task::create({.title = c.name,
                       .schema = schema_of(c.shape),
                       .arrangement = c.arrangement,
                       .channel = c.channel,
                       .epsilon = Epsilon::parse(epsilon).value(),
                       .task_start = 0,
                       .task_duration = 3600,
                       .time_precision = 3600})
      .value();
}

inline const SampledChannel& sampled_of(const Task& task) { return std::get<SampledChannel>(task.channel().kind()); }

}  // namespace hearsay::tests
