#include "aggregator/api/times.h"

#include <string_view>

#include "common/base/try.h"
#include "common/task/times.h"

namespace hearsay::api {
namespace {

constexpr std::uint64_t kDay = 86'400;
constexpr std::uint64_t kYear = 365 * kDay;
constexpr std::uint64_t kLongYears = 10;  // ten days, given in milliseconds by mistake, look like 27 years

std::string milliseconds(std::string_view name, UnixSeconds time) {
  return std::string(name) + " is " + std::to_string(time) + ", which looks like milliseconds: give seconds since 1970";
}

Error bad_range(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<void> check_starts_window(const Task& task, std::string_view name, UnixSeconds time) {
  if (time % task.spec().time_precision == 0) return {};
  return bad_range(std::string(name) + " (" + std::to_string(time) +
                   ") is not a multiple of the task's time_precision, " + std::to_string(task.spec().time_precision) +
                   " seconds");
}

void warn_if_long(std::string_view name, std::uint64_t seconds, std::vector<std::string>& warnings) {
  const std::uint64_t years = seconds / kYear;
  if (years < kLongYears) return;
  warnings.push_back(std::string(name) + " is " + std::to_string(seconds) + " seconds, " + std::to_string(years) +
                     " years: were milliseconds meant?");
}

}  // namespace

Result<void> check_range(const Task& task, const store::WindowRange& range) {
  const bool open = range.to == store::WindowRange{}.to;
  if (looks_like_milliseconds(range.from)) return bad_range(milliseconds("`from`", range.from));
  if (!open && looks_like_milliseconds(range.to)) return bad_range(milliseconds("`to`", range.to));
  if (range.from >= range.to) {
    return bad_range("`from` (" + std::to_string(range.from) + ") must be before `to` (" + std::to_string(range.to) +
                     ")");
  }
  HEARSAY_CHECK_OK(check_starts_window(task, "`from`", range.from));
  if (!open) HEARSAY_CHECK_OK(check_starts_window(task, "`to`", range.to));
  if (range.from < task.end() && range.to > task.spec().task_start) return {};
  return bad_range("the range from " + std::to_string(range.from) + (open ? "" : " to " + std::to_string(range.to)) +
                   " lies outside the task, which runs from " + std::to_string(task.spec().task_start) + " to " +
                   std::to_string(task.end()));
}

Result<std::vector<std::string>> check_times_of_new(const Task& task, UnixSeconds now) {
  const TaskSpec& spec = task.spec();
  if (looks_like_milliseconds(spec.task_start)) {
    return Error{ErrorCode::kInvalidTask, milliseconds("task_start", spec.task_start)};
  }
  if (task.end() <= now) {
    return Error{ErrorCode::kInvalidTask, "the task is over: task_start + task_duration is " +
                                              std::to_string(task.end()) + ", and the server's clock is at " +
                                              std::to_string(now) + "; give a later start or a longer duration"};
  }
  std::vector<std::string> warnings;
  if (spec.task_start > now && spec.task_start - now > kYear) {
    warnings.push_back("task_start is " + std::to_string((spec.task_start - now) / kDay) +
                       " days ahead of the server's clock: until then, the task takes no reports");
  }
  warn_if_long("task_duration", spec.task_duration, warnings);
  warn_if_long("report_expiry_age", spec.report_expiry_age, warnings);
  return warnings;
}

}  // namespace hearsay::api
