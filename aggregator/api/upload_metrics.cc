#include "aggregator/api/upload_metrics.h"

#include <mutex>
#include <string>

namespace hearsay::api {

TaskCounters::TaskCounters(metrics::MetricsRegistry& registry, std::atomic<std::uint64_t>& overloads,
                           const TaskId& task)
    : registry_(registry),
      overloads_(overloads),
      task_(task.to_string()),
      accepted_(registry.counter("hearsay_reports_accepted_total", "Reports stored and counted.", {{"task", task_}})),
      replayed_(registry.counter("hearsay_reports_replayed_total", "Repeated uploads of reports already counted.",
                                 {{"task", task_}})) {}

void TaskCounters::count(const ingest::UploadResult& result) {
  if (result.accepted > 0) accepted_.increment(result.accepted);
  if (result.replayed > 0) replayed_.increment(result.replayed);
  if (result.rejected == 0) return;
  std::map<ErrorCode, std::uint64_t> reports;
  for (const ingest::ReportStatus& status : result.statuses) {
    if (status.kind == ingest::ReportStatus::Kind::kRejected) ++reports[status.reason];
  }
  for (const auto& [reason, number] : reports) rejected(reason, number);
}

void TaskCounters::rejected(ErrorCode reason, std::uint64_t reports) {
  if (reason == ErrorCode::kOverloaded) overloads_.fetch_add(reports, std::memory_order_relaxed);
  registry_
      .counter("hearsay_reports_rejected_total", "Refused reports and refused whole bodies, by reason.",
               {{"task", task_}, {"reason", std::string(error_name(reason))}})
      .increment(reports);
}

TaskCounters& UploadMetrics::of(const TaskId& task) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = tasks_.find(task); found != tasks_.end()) return *found->second;
  }
  const std::unique_lock lock(mutex_);
  auto& counters = tasks_[task];
  if (!counters) {
    counters = std::make_unique<TaskCounters>(registry_, overloads_, task);
    registry_.sampled_gauge("hearsay_task_open", "1 while the task takes reports.", {{"task", task.to_string()}},
                            [this, task] { return is_open_(task) ? 1.0 : 0.0; });
  }
  return *counters;
}

}  // namespace hearsay::api
