// Records what administrators do, and who made calls without the right to make them.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "aggregator/api/operations.h"
#include "aggregator/api/route.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "hearsay/clock.h"

namespace hearsay::api {

// Writes the events admin_call, admin_done and admin_refused of aggregator/docs/operations.md. Thread-safe.
class AdminLog {
 public:
  // `operations` and `clock` must outlive the object.
  AdminLog(Operations& operations, Clock& clock) : operations_(operations), clock_(clock) {}

  // Writes the event admin_call. Call begin() before you carry out an administrator's call; if begin() fails, do not
  // carry the call out. `details` is an object with further arguments of the call, or null. Returns the event's fields,
  // for end(). Errors: kIo.
  Result<Json> begin(const Route& route, const std::optional<TaskId>& task, const Json& details);

  // Writes the event admin_done. Call end() after the administrator's call was carried out and before the answer is
  // sent. `error`: why the call failed; nothing after a success. Errors: kIo.
  Result<void> end(Json fields, const std::optional<Error>& error);

  // Carries `change` out between begin() and end(). If begin() fails, `change` is not called. If `change` throws,
  // returns kInternal.
  template <class Change>
  auto recorded(const Route& route, const std::optional<TaskId>& task, const Json& details, const Change& change)
      -> decltype(change()) {
    HEARSAY_TRY(Json fields, begin(route, task, details));
    auto result = carry_out(change);
    const auto error = result ? std::nullopt : std::optional(result.error());
    if (const auto ended = end(std::move(fields), error); !ended && result) return ended.error();
    return result;
  }

  // Returns true if a refusal may be recorded now. Strangers, who have no known token, can cause any number of
  // refusals. So at most 60 refusals of strangers may be recorded in a minute. In the same minute, another 60 refusals
  // of callers with a known token (`known`) may be recorded. Further refusals are only counted, and the next record
  // says how many there were.
  bool takes_refusal(bool known);

  // Records a call that was refused. Call this only if takes_refusal() returned true. `who` is the name of the caller's
  // token, if the token is known.
  void refused(const Route& route, const std::optional<std::string>& who, ErrorCode error);

 private:
  template <class Change>
  static auto carry_out(const Change& change) -> decltype(change()) try {
    return change();
  } catch (const std::exception&) {
    return Error{ErrorCode::kInternal, "the call failed inside the aggregator"};
  }

  struct Refusals {
    unsigned recorded = 0;       // refusals recorded in the minute `minute_`
    std::uint64_t left_out = 0;  // refusals without a record since the latest record
  };

  Operations& operations_;
  Clock& clock_;
  std::mutex mutex_;
  std::uint64_t calls_ = 0;           // calls of begin() since the start
  UnixSeconds minute_ = 0;            // the minute of the latest refusal
  std::array<Refusals, 2> refusals_;  // [0]: callers without a known token; [1]: callers with a known token
};

}  // namespace hearsay::api
