// Tasks over small schemas with the channel `laplace`.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/channel/channel.h"
#include "hearsay/task.h"
#include "tests/support/numbers.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

// `shape` has the form that small_domains.h describes.
inline Task laplace_task(const std::string& shape, const std::string& epsilon, LaplaceSpec spec = {},
                         ArrangementSpec arrangement = LiteralsSpec{}) {
  return Task::create({.title = shape,
                       .schema = schema_of(shape),
                       .arrangement = arrangement,
                       .channel = std::move(spec),
                       .epsilon = Epsilon::parse(epsilon).value(),
                       .task_start = 0,
                       .task_duration = 3600,
                       .time_precision = 3600})
      .value();
}

inline const LaplaceChannel& laplace_of(const Task& task) { return std::get<LaplaceChannel>(task.channel().kind()); }

// Returns the task's channel with `scales` in place of its own, one for each coordinate.
inline Channel planted(const Task& task, const std::vector<Rational>& scales) {
  return Channel(laplace_of(task).with_scales(scales).value());
}

inline std::vector<Rational> scales_of(const Task& task) {
  std::vector<Rational> scales;
  for (std::size_t j = 0; j < laplace_of(task).coordinates(); ++j) scales.push_back(laplace_of(task).scale(j));
  return scales;
}

}  // namespace hearsay::tests
