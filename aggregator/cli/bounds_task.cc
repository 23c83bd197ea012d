#include "aggregator/cli/bounds_task.h"

#include <ctime>
#include <utility>

#include "aggregator/bounds/integer_arrangement.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"

namespace hearsay::cli {

Result<ArrangementTask> arrangement_task(const bounds::SignMatrix& matrix, const bounds::VectorArrangement& arrangement,
                                         const std::optional<bounds::NamedClass>& named, const Epsilon& epsilon) {
  constexpr std::uint64_t kDay = 86'400;
  std::optional<bounds::NumberedClass> of_class;
  if (named) {
    of_class = bounds::NumberedClass{named->schema, named->queries};
  } else {
    HEARSAY_TRY(of_class, bounds::numbered_class(matrix));
  }
  HEARSAY_TRY(bounds::IntegerArrangement integers,
              bounds::integer_arrangement(matrix, arrangement, of_class->schema, of_class->queries));
  const auto now = static_cast<std::uint64_t>(std::time(nullptr));
  HEARSAY_TRY(Task task, Task::create({.title = "",
                                       .schema = of_class->schema,
                                       .arrangement = std::move(integers.spec),
                                       .channel = LaplaceSpec{},
                                       .epsilon = epsilon,
                                       .task_start = now - now % kDay,
                                       .task_duration = 90 * kDay,
                                       .time_precision = kDay,
                                       .min_batch_size = 100}));
  HEARSAY_TRY(const std::uint64_t sensitivity, task.arrangement().sensitivity());
  return ArrangementTask{std::move(task), integers.before, integers.after, sensitivity};
}

}  // namespace hearsay::cli
