// A task is the public agreement between clients and aggregator on the attributes and on how answers are randomized.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay {

class Arrangement;  // common/arrangement/arrangement.h
class Channel;      // common/channel/channel.h
class Coarsening;   // common/task/coarsening.h

// Identifies a task: the SHA-256 hash of the task's canonical JSON. Whoever knows the id can check the document.
struct TaskId {
  std::array<std::uint8_t, 32> bytes;

  // Returns the id as unpadded base64url, 43 characters.
  std::string to_string() const;
  // Reads what to_string() writes. Errors: kInvalidArgument.
  static Result<TaskId> parse(std::string_view text);
  auto operator<=>(const TaskId&) const = default;
};

// The contents of a task. All times are in seconds since 1970, UTC. Time is divided into *windows* of time_precision
// seconds.
struct TaskSpec {
  std::string title;  // for people to read; at most 256 bytes of UTF-8 without control characters
  Schema schema;
  ArrangementSpec arrangement;       // how a record becomes numbers
  ChannelSpec channel;               // how the numbers are randomized
  Epsilon epsilon;                   // what one report may reveal
  std::uint64_t task_start = 0;      // a multiple of time_precision
  std::uint64_t task_duration = 0;   // a positive multiple of time_precision; the task ends before 2^53
  std::uint64_t time_precision = 0;  // 1 second to 366 days; a report carries the start of its window as its time

  // The aggregator refuses estimates from fewer reports than this number, which is from 1 to 2^53 - 1. The limit is
  // good statistics, not a protection: every report is protected by itself.
  std::uint64_t min_batch_size = 1;

  // How many seconds after the end of its window a report may arrive, at most 2^53 - 1. After that time the aggregator
  // deletes the window's reports and keeps only their tally (sums). 0 means no limit: reports may arrive as long as the
  // task takes any.
  std::uint64_t report_expiry_age = 0;

  // Which values reports do not tell apart, for the arrangement `characters`. At most one element for each attribute;
  // attributes ascend.
  std::vector<Cuts> cuts = {};
};

// A valid task. Copies are cheap.
//
// Thread-safety: any number of threads may use one task.
class Task {
 public:
  static constexpr std::size_t kMaxJsonBytes = 4U << 20U;

  // Makes a task. Errors: kInvalidTask, kUnsupported, kLimitExceeded, kScaleTooLarge, kOverflow. The message begins
  // with the path of the field at fault.
  static Result<Task> create(TaskSpec spec);

  // Reads a task document, in JSON of any layout; see common/task/format.md. Errors: those of create(), kMalformedJson,
  // kUnknownKey, kMissingKey, kWrongType, kInvalidSchema.
  static Result<Task> parse(std::string_view json);

  const TaskId& id() const;
  // Returns the bytes whose hash is the id. parse(canonical_json()) gives an equal task.
  const std::string& canonical_json() const;
  // Returns the contents in canonical form: shares are in lowest terms, and empty if they are the default.
  const TaskSpec& spec() const;

  const Schema& schema() const { return spec().schema; }
  const Epsilon& epsilon() const { return spec().epsilon; }
  // Coarsening, Arrangement and Channel are not public types; only the library's own code uses them. asked_schema() is
  // the schema that the arrangement and the channel are made for: the task's schema with the cells of `cuts` as values.
  const Schema& asked_schema() const;
  // Returns the map from records of schema() to records of asked_schema(), or null if the task has no cuts.
  const Coarsening* coarsening() const;
  const Arrangement& arrangement() const;
  const Channel& channel() const;

  // Returns the first second after the task's lifetime.
  std::uint64_t end() const { return spec().task_start + spec().task_duration; }
  // Returns the start of the window that `time` is in.
  std::uint64_t window_of(std::uint64_t time) const { return time - time % spec().time_precision; }
  // Returns true if, at the time `now`, a report with the time `time` is older than report_expiry_age allows. `time` is
  // below end(); `now` may be any time.
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
