// Counts the reports of uploads, by task and outcome.
#pragma once

#include <map>
#include <shared_mutex>

#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"

namespace hearsay::aggregator {

// Thread-safe. Counting accepted and replayed reports of a task known from before allocates nothing.
class UploadMetrics {
 public:
  // `registry` must outlive the object.
  explicit UploadMetrics(MetricsRegistry& registry) : registry_(registry) {}

  void count(const UploadResult& result);
  // A body refused whole.
  void count_refused(const TaskId& task, ErrorCode reason) { count_rejected(task, reason, 1); }

 private:
  struct Counted {
    Counter& accepted;
    Counter& replayed;
  };
  Counted& counters_of(const TaskId& task);
  void count_rejected(const TaskId& task, ErrorCode reason, std::uint64_t amount);

  MetricsRegistry& registry_;
  std::shared_mutex mutex_;
  std::map<TaskId, Counted> tasks_;  // nodes never move nor go
};

}  // namespace hearsay::aggregator
