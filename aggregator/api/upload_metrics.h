// Counts the reports of uploads, by task and outcome.
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

// The counters of one task. Thread-safe; counting is a relaxed addition.
class TaskCounters {
 public:
  // Both must outlive the object; `overloads` counts bodies refused with kOverloaded, over all tasks.
  TaskCounters(metrics::MetricsRegistry& registry, std::atomic<std::uint64_t>& overloads, const TaskId& task);

  void count(const ingest::UploadResult& result);
  // Reports, or a body of them refused whole. Looks the reason's series up.
  void rejected(ErrorCode reason, std::uint64_t reports = 1);

 private:
  metrics::MetricsRegistry& registry_;
  std::atomic<std::uint64_t>& overloads_;
  const std::string task_;
  metrics::Counter& accepted_;
  metrics::Counter& replayed_;
};

// All tasks'. Thread-safe. The registry's names are looked up once a task, and for what is rejected. A task's series
// exist from of() on, so that a task without reports shows as one that stands still.
class UploadMetrics {
 public:
  // `registry` must outlive the object. `is_open` says at each scrape whether a task takes reports.
  UploadMetrics(metrics::MetricsRegistry& registry, std::function<bool(const TaskId&)> is_open)
      : registry_(registry), is_open_(std::move(is_open)) {}

  // The counters stay valid as long as the object: series are never removed.
  TaskCounters& of(const TaskId& task);
  // Bodies refused with kOverloaded so far.
  std::uint64_t overloads() const { return overloads_.load(std::memory_order_relaxed); }

 private:
  metrics::MetricsRegistry& registry_;
  const std::function<bool(const TaskId&)> is_open_;
  std::atomic<std::uint64_t> overloads_ = 0;
  std::shared_mutex mutex_;
  std::map<TaskId, std::unique_ptr<TaskCounters>> tasks_;
};

}  // namespace hearsay::api
