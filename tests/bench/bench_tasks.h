// Tasks that several benchmarks measure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hearsay/task.h"

namespace hearsay::bench {

// Returns a task of `count` boolean attributes at ε = 1, in one window.
inline Task booleans(std::int64_t count, ChannelSpec channel, ArrangementSpec arrangement) {
  std::vector<Attribute> attributes;
  for (std::int64_t i = 0; i < count; ++i) attributes.push_back(Attribute::boolean("a" + std::to_string(i)).value());
  return Task::create({.title = "bench",
                       .schema = Schema::create(std::move(attributes)).value(),
                       .arrangement = std::move(arrangement),
                       .channel = std::move(channel),
                       .epsilon = Epsilon::parse("1").value(),
                       .task_duration = 1,
                       .time_precision = 1})
      .value();
}

}  // namespace hearsay::bench
