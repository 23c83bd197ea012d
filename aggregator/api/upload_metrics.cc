#include "aggregator/api/upload_metrics.h"

#include <mutex>
#include <string>

namespace hearsay::aggregator {

void UploadMetrics::count(const UploadResult& result) {
  const TaskId& task = result.task.id();
  const Counted& counters = counters_of(task);
  if (result.accepted > 0) counters.accepted.increment(result.accepted);
  if (result.replayed > 0) counters.replayed.increment(result.replayed);
  if (result.rejected == 0) return;
  std::map<ErrorCode, std::uint64_t> reasons;
  for (const ReportStatus& status : result.statuses) {
    if (status.kind == ReportStatus::Kind::kRejected) ++reasons[status.reason];
  }
  for (const auto& [reason, amount] : reasons) count_rejected(task, reason, amount);
}

UploadMetrics::Counted& UploadMetrics::counters_of(const TaskId& task) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = tasks_.find(task); found != tasks_.end()) return found->second;
  }
  const MetricLabels labels{{"task", task.to_string()}};
  const Counted counted{
      registry_.counter("hearsay_reports_accepted_total", "Reports stored and counted.", labels),
      registry_.counter("hearsay_reports_replayed_total", "Repeated uploads of reports already counted.", labels)};
  const std::lock_guard lock(mutex_);
  return tasks_.emplace(task, counted).first->second;
}

void UploadMetrics::count_rejected(const TaskId& task, ErrorCode reason, std::uint64_t amount) {
  registry_
      .counter("hearsay_reports_rejected_total", "Reports, or whole bodies of them, refused, by reason.",
               {{"task", task.to_string()}, {"reason", std::string(error_name(reason))}})
      .increment(amount);
}

}  // namespace hearsay::aggregator
