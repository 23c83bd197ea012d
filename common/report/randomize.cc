#include "common/report/randomize.h"

#include <string>

#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/task/coarsening.h"
#include "common/task/times.h"

namespace hearsay {
namespace {

// Reads every value, even after a value that does not fit. So the time tells nothing about a record that fits.
bool fits(const Record& record, const Schema& schema) {
  if (record.values().size() != schema.size()) return false;
  bool fit = true;
  for (std::size_t i = 0; i < schema.size(); ++i) fit &= record[i] < schema[i].size();
  return fit;
}

std::string clock_at(UnixSeconds now) {
  return "; the device's clock is at " + std::to_string(now) +
         (looks_like_milliseconds(now) ? ", which looks like milliseconds instead of seconds" : "");
}

}  // namespace

Result<void> check_randomizable(const Task& task, const Record& record, UnixSeconds now) {
  if (now < task.spec().task_start) {
    return Error{ErrorCode::kReportTooEarly,
                 "the task starts at " + std::to_string(task.spec().task_start) + clock_at(now)};
  }
  if (now >= task.end()) {
    return Error{ErrorCode::kTaskExpired, "the task ended at " + std::to_string(task.end()) + clock_at(now)};
  }
  if (!fits(record, task.schema())) {
    return Error{ErrorCode::kInvalidRecord, "the record does not fit the task's schema"};
  }
  return {};
}

Result<Report> randomize(const Task& task, const Record& record, UnixSeconds now, BitSource& bits) {
  HEARSAY_CHECK_OK(check_randomizable(task, record, now));
  try {
    Report report{.id = {}, .time = task.window_of(now), .payload = {}};
    bits.fill(report.id.bytes);
    const Coarsening* coarsening = task.coarsening();
    report.payload =
        task.channel().randomize(task.arrangement(), coarsening == nullptr ? record : coarsening->coarse(record), bits);
    return report;
  } catch (const EntropyError& error) {
    return Error{ErrorCode::kEntropyFailed, error.what()};
  } catch (const std::bad_alloc&) {
    // The amount of memory may depend on the noise. So randomize() reports a lack of memory like a lack of random bits.
    return Error{ErrorCode::kEntropyFailed, "there is no memory to draw the noise"};
  }
}

}  // namespace hearsay
