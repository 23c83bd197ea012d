// The public, immutable agreement between clients and aggregator.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay {

class Arrangement;  // common/arrangement/arrangement.h
class Channel;      // common/channel/channel.h

// SHA-256 of the task's canonical JSON.
struct TaskId {
  std::array<std::uint8_t, 32> bytes;

  // Unpadded base64url, 43 characters.
  std::string to_string() const;
  // Errors: kInvalidArgument.
  static Result<TaskId> parse(std::string_view text);
  auto operator<=>(const TaskId&) const = default;
};

// What a task is made of. Times in seconds since 1970, UTC.
struct TaskSpec {
  std::string name;  // for people; at most 256 bytes of UTF-8 without control characters
  Schema schema;
  ArrangementSpec arrangement;
  ChannelSpec channel;
  Epsilon epsilon;                   // of one report
  std::uint64_t task_start = 0;      // multiple of time_precision
  std::uint64_t task_duration = 0;   // positive multiple of time_precision; the task ends before 2^53
  std::uint64_t time_precision = 0;  // 1 second to 366 days; reports carry their time truncated to it
  std::uint64_t min_batch_size = 1;  // estimates from fewer reports are refused; a statistical habit, not a protection
  // How long after its window a report may still arrive; after that the aggregator forgets the window's reports and
  // keeps the tally. 0: as long as the task takes reports.
  std::uint64_t report_expiry_age = 0;
};

// Cheap to copy; safe to share between threads.
class Task {
 public:
  static constexpr std::size_t kMaxJsonBytes = 4U << 20U;

  // Errors: kInvalidTask, kUnsupported, kLimitExceeded, kScaleTooLarge. The message begins with the field's path.
  static Result<Task> create(TaskSpec spec);
  // Strict JSON in any layout, see common/task/format.md. Errors: also kMalformedJson, kUnknownKey, kMissingKey,
  // kWrongType, kInvalidSchema.
  static Result<Task> parse(std::string_view json);

  const TaskId& id() const;
  // The bytes that the id is the hash of; parse(canonical_json()) gives an equal task.
  const std::string& canonical_json() const;
  // In canonical form: shares in lowest terms, and empty where they are the default.
  const TaskSpec& spec() const;

  const Schema& schema() const { return spec().schema; }
  const Epsilon& epsilon() const { return spec().epsilon; }
  const Arrangement& arrangement() const;
  const Channel& channel() const;

  // First second after the task's lifetime.
  std::uint64_t end() const { return spec().task_start + spec().task_duration; }
  // `time` truncated to time_precision.
  std::uint64_t window_of(std::uint64_t time) const { return time - time % spec().time_precision; }
  // Whether at `now` (any value) a report of `time`, below end(), is older than report_expiry_age allows.
  bool is_expired(std::uint64_t time, std::uint64_t now) const {
    const std::uint64_t last = window_of(time) + spec().time_precision;
    return spec().report_expiry_age != 0 && now >= last && now - last >= spec().report_expiry_age;
  }

 private:
  struct State;
  explicit Task(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace hearsay
