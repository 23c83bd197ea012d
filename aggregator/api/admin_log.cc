#include "aggregator/api/admin_log.h"

#include <utility>

namespace hearsay::api {
namespace {

constexpr UnixSeconds kMinute = 60;
constexpr unsigned kMostRefusalsAMinute = 60;

}  // namespace

Result<Json> AdminLog::begin(const Route& route, const std::optional<TaskId>& task, const Json& details) {
  Json fields{{"who", route.caller_name}, {"call", call_name(route.call)}};
  if (task) fields["task"] = task->to_string();
  if (!details.is_null()) fields.update(details);
  {
    const std::lock_guard lock(mutex_);
    fields["number"] = ++calls_;
  }
  if (const auto recorded = operations_.record("admin_call", fields); !recorded) {
    return Error{ErrorCode::kIo, "nothing was changed: " + recorded.error().message};
  }
  return fields;
}

Result<void> AdminLog::end(Json fields, const std::optional<Error>& error) {
  if (error) fields["error"] = error_name(error->code);
  const auto recorded = operations_.record("admin_done", fields);
  if (recorded) return {};
  return Error{ErrorCode::kIo, "the call was carried out, but " + recorded.error().message};
}

bool AdminLog::takes_refusal(bool known) {
  const std::lock_guard lock(mutex_);
  if (const UnixSeconds minute = clock_.now() / kMinute; minute != minute_) {
    minute_ = minute;
    for (Refusals& refusals : refusals_) refusals.recorded = 0;
  }
  Refusals& refusals = refusals_[known ? 1 : 0];
  if (refusals.recorded == kMostRefusalsAMinute) {
    ++refusals.left_out;
    return false;
  }
  ++refusals.recorded;
  return true;
}

void AdminLog::refused(const Route& route, const std::optional<std::string>& who, ErrorCode error) {
  Json fields{{"who", who ? Json(*who) : Json()}, {"call", call_name(route.call)}, {"error", error_name(error)}};
  if (route.task) fields["task"] = route.task->to_string();
  {
    const std::lock_guard lock(mutex_);
    const auto left_out = std::exchange(refusals_[who ? 1 : 0].left_out, 0);
    if (left_out != 0) fields["left_out"] = left_out;
  }
  // the API refuses the call even if the record fails
  static_cast<void>(operations_.record("admin_refused", fields));
}

}  // namespace hearsay::api
