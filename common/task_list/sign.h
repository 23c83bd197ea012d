// Writes signed lists of tasks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hearsay/task_list.h"

namespace hearsay {

struct TaskListContents {
  // The list's number: at least 1, and larger than the number of the author's previous list.
  std::uint64_t number = 0;
  UnixSeconds expires = 0;
  std::span<const Task> tasks;
};

struct SignedTaskList {
  std::string text;  // the list, one line of JSON
  // The public half of the key, which the app needs.
  AuthorKey key;
};

// Signs a list with the Ed25519 key in a PEM file, as `openssl genpkey -algorithm ed25519` makes one. Errors: kIo (the
// file holds no usable private key), kInvalidArgument (the key is of another kind; a number or time is out of range; a
// task stands twice), kLimitExceeded, kInternal.
Result<SignedTaskList> sign_task_list(const TaskListContents& contents, const std::string& key_file);

}  // namespace hearsay
