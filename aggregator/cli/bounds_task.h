// Makes the task that `hearsay bounds --write` writes.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregator/bounds/class_bounds.h"
#include "aggregator/bounds/named_class.h"
#include "aggregator/console/output.h"
#include "hearsay/epsilon.h"
#include "hearsay/task.h"

namespace hearsay::cli {

struct ArrangementTask {
  Task task;
  double before;  // γ̃_min of the arrangement
  double after;   // γ̃_min of the integers in the task
  std::uint64_t sensitivity;
};

// Returns a task with the channel `laplace` and the vectors of the arrangement, rounded to integers. The task starts
// today and lasts 90 days. Without `named`, the schema has one attribute: the number of the record. Errors: those of
// integer_arrangement(), numbered_class() and Task::create().
Result<ArrangementTask> arrangement_task(const bounds::SignMatrix& matrix, const bounds::VectorArrangement& arrangement,
                                         const std::optional<bounds::NamedClass>& named, const Epsilon& epsilon);

}  // namespace hearsay::cli
