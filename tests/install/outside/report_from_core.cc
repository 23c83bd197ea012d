// Makes a report of one record, for a task that is built into the app, and prints the report's length.
#include <iostream>

#include "hearsay/clock.h"
#include "hearsay/unpaid_report.h"

namespace {

constexpr const char* kTask = R"({
  "version": 2, "title": "outside",
  "schema": [{"name": "smoker", "type": "boolean"}, {"name": "age", "type": "range", "min": 18, "max": 99}],
  "arrangement": {"type": "literals"}, "channel": {"type": "laplace", "calibration": "tight"},
  "epsilon": "1", "task_start": 0, "task_duration": 6311520000, "time_precision": 86400, "min_batch_size": 1
})";

hearsay::Result<std::size_t> report_length() {
  const auto task = hearsay::Task::parse(kTask);
  if (!task) return task.error();
  const auto record = hearsay::Record::parse(task->schema(), R"({"smoker": true, "age": 33})");
  if (!record) return record.error();
  const auto bytes = hearsay::make_unpaid_report(*task, *record, hearsay::make_system_clock()->now());
  if (!bytes) return bytes.error();
  return bytes->size();
}

}  // namespace

int main() {
  const auto length = report_length();
  if (!length) {
    std::cerr << hearsay::error_name(length.error().code) << ": " << length.error().message << '\n';
    return 1;
  }
  std::cout << "a report of " << *length << " bytes\n";
}
