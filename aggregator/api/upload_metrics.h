// Counts uploaded reports, by task and outcome.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"
#include "hearsay/error.h"
#include "hearsay/task.h"

namespace hearsay::api {

// The counters of one task. Thread-safe.
class TaskCounters {
 public:
  // `registry` and `overloads` must outlive the object. `overloads` counts, for all tasks together, the bodies that
  // were refused with kOverloaded.
  TaskCounters(metrics::MetricsRegistry& registry, std::atomic<std::uint64_t>& overloads, const TaskId& task);

  void count(const ingest::UploadResult& result);
  // Counts refused reports, or one refused body.
  void rejected(ErrorCode reason, std::uint64_t reports = 1);

 private:
  metrics::MetricsRegistry& registry_;
  std::atomic<std::uint64_t>& overloads_;
  const std::string task_;
  metrics::Counter& accepted_;
  metrics::Counter& replayed_;
};

// The counters of all tasks. Thread-safe. The first call of of() for a task registers the task's metrics, so a task
// without reports shows zeros.
class UploadMetrics {
 public:
  // `registry` must outlive the object. Each scrape of the metrics calls `is_open`, which returns true if a task takes
  // reports.
  UploadMetrics(metrics::MetricsRegistry& registry, std::function<bool(const TaskId&)> is_open)
      : registry_(registry), is_open_(std::move(is_open)) {}

  // Returns a task's counters. The reference stays valid as long as this object.
  TaskCounters& of(const TaskId& task);
  // Returns how many bodies were refused with kOverloaded.
  std::uint64_t overloads() const { return overloads_.load(std::memory_order_relaxed); }

 private:
  metrics::MetricsRegistry& registry_;
  const std::function<bool(const TaskId&)> is_open_;
  std::atomic<std::uint64_t> overloads_ = 0;
  std::shared_mutex mutex_;
  std::map<TaskId, std::unique_ptr<TaskCounters>> tasks_;
};

}  // namespace hearsay::api
