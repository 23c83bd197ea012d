// Says which tasks an app reports to: the tasks of a list that the app's author signs, within limits of the app.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/clock.h"
#include "hearsay/epsilon.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay {

// The public half of the key with which an app's author signs lists of tasks. The app is shipped with this key.
struct AuthorKey {
  std::array<std::uint8_t, 32> bytes;  // an Ed25519 public key

  // Returns the key as unpadded base64url, 43 characters.
  std::string to_string() const;
  // Reads what to_string() writes. Errors: kInvalidArgument.
  static Result<AuthorKey> parse(std::string_view text);
  bool operator==(const AuthorKey&) const = default;
};

// The limits that an app sets. A list cannot change these limits. The ledger's policy, not the list, decides how often
// the app reports.
struct TaskLimits {
  Epsilon max_epsilon;          // tasks with a larger ε are left out
  std::vector<Schema> schemas;  // if not empty, tasks whose records fit none of these schemas are left out
};

// A task that an app leaves out, and why.
struct IgnoredTask {
  TaskId task;
  std::string reason;
};

// The tasks of a list, separated by the limits of an app.
struct ListedTasks {
  std::vector<Task> tasks;  // in the order of the list
  std::vector<IgnoredTask> ignored;
};

// A list of tasks that the author has signed.
class TaskList {
 public:
  static constexpr std::size_t kMaxBytes = 8U << 20U;
  static constexpr std::size_t kMaxTasks = 256;

  // Reads a signed list; see common/task_list/format.md. `now` is the present time, and `last_number` is the number of
  // the newest list that the app has used so far, or 0.
  //
  // Checks the signature before it reads the list's content. Errors: kBadSignature (the list was not signed with `key`,
  // or was changed since), kTaskExpired (the list has expired), kTaskMismatch (the list's number is below
  // `last_number`: this is an older list), kLimitExceeded, kMalformedJson, kUnknownKey, kMissingKey, kWrongType,
  // kInvalidArgument (another version, a number out of range, or a task that stands twice).
  static Result<TaskList> parse(std::string_view text, const AuthorKey& key, UnixSeconds now,
                                std::uint64_t last_number);

  // Returns the list's number. An app stores the number together with the tasks that it took from the list.
  std::uint64_t number() const { return number_; }
  // Returns the first second at which readers refuse the list.
  UnixSeconds expires() const { return expires_; }
  // Returns how many tasks of the list this version of the library does not understand.
  std::size_t not_understood() const { return not_understood_; }

  // Returns the tasks that the app may report to, and the tasks that the limits exclude.
  ListedTasks tasks_within(const TaskLimits& limits) const;

 private:
  TaskList() = default;
  std::uint64_t number_ = 0;
  UnixSeconds expires_ = 0;
  std::vector<Task> tasks_;
  std::size_t not_understood_ = 0;
};

}  // namespace hearsay
