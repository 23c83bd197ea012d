// The record of what administrators did, and of who was refused what is not theirs.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "aggregator/api/operations.h"
#include "aggregator/api/route.h"
#include "hearsay/clock.h"

namespace hearsay::api {

// Writes the events admin_call, admin_done and admin_refused of aggregator/docs/operations.md. Thread-safe.
class AdminLog {
 public:
  // Both must outlive the object.
  AdminLog(Operations& operations, Clock& clock) : operations_(operations), clock_(clock) {}

  // Call begin() before a call is carried out, and do not carry it out if begin() fails. `details` is an object of what
  // is asked beside the task, or null. Returns the event's fields, which end() takes. Errors: kIo.
  Result<Json> begin(const Route& route, const std::optional<TaskId>& task, const Json& details);

  // Call end() after the call and before its answer. `error` says why the call failed, if it did. Errors: kIo.
  Result<void> end(Json fields, const std::optional<Error>& error);

  // Whether a refusal may be recorded now. Strangers can be refused as often as they like, so refusals beyond 60 in a
  // minute are only counted; the next recorded one tells how many. Callers whose token is known (`known`) have 60 of
  // their own, which no stranger can use up.
  bool takes_refusal(bool known);

  // Records a call that was not let in, after takes_refusal(). `who` is the name of the caller's token, if known.
  void refused(const Route& route, const std::optional<std::string>& who, ErrorCode error);

 private:
  struct Refusals {
    unsigned recorded = 0;       // in that minute
    std::uint64_t left_out = 0;  // since the last recorded one
  };

  Operations& operations_;
  Clock& clock_;
  std::mutex mutex_;
  std::uint64_t calls_ = 0;           // recorded since the start
  UnixSeconds minute_ = 0;            // of the last refusal
  std::array<Refusals, 2> refusals_;  // of strangers, of callers whose token is known
};

}  // namespace hearsay::api
