#include "hearsay/task_list.h"

#include "common/base/try.h"
#include "sdk/c_api/boundary.h"
#include "sdk/c_api/limits.h"
#include "sdk/c_api/task_handles.h"

using namespace hearsay;         // this file defines a function of the global namespace
using namespace hearsay::c_api;  // NOLINT(google-build-using-namespace)

hearsay_code hearsay_task_list_read(const char* text, size_t text_size, const char* key, size_t key_size, uint64_t now,
                                    uint64_t last_number, const hearsay_limits* limits, hearsay_task** tasks,
                                    size_t capacity, size_t* count, uint64_t* number, hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (count == nullptr) return null_argument("count");
    if (tasks == nullptr && capacity > 0) return null_argument("tasks");
    HEARSAY_TRY(const std::string_view list_text, text_of(text, text_size, "text"));
    HEARSAY_TRY(const std::string_view key_text, required_text(key, key_size, "key"));
    HEARSAY_TRY(const AuthorKey author, AuthorKey::parse(key_text));
    HEARSAY_TRY(const TaskLimits within, limits_of(limits));
    HEARSAY_TRY(const TaskList list, TaskList::parse(list_text, author, now, last_number));
    const ListedTasks listed = list.tasks_within(within);
    if (listed.tasks.size() > capacity) {
      return Error{ErrorCode::kLimitExceeded, "the list has " + std::to_string(listed.tasks.size()) +
                                                  " tasks, and the caller's array has room for " +
                                                  std::to_string(capacity)};
    }
    for (std::size_t i = 0; i < listed.tasks.size(); ++i) {
      tasks[i] = c_api::tasks().add(std::make_shared<const Task>(listed.tasks[i]));
    }
    *count = listed.tasks.size();
    if (number != nullptr) *number = list.number();
    return {};
  });
}
