#include "hearsay/task.h"

#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "hearsay/record.h"
#include "sdk/c_api/boundary.h"
#include "sdk/c_api/handles.h"
#include "sdk/c_api/limits.h"

namespace {

using namespace hearsay;         // this file defines functions of the global namespace
using namespace hearsay::c_api;  // NOLINT(google-build-using-namespace)

Result<std::vector<std::uint8_t>> randomized(const Task& task, std::string_view json, UnixSeconds now) {
  HEARSAY_TRY(const Record record, Record::parse(task.schema(), json));
  HEARSAY_CHECK_OK(check_randomizable(task, record, now));
  HEARSAY_TRY(const Report report, randomize(task, record, now, system_bit_source()));
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return bytes;
}

Result<std::string> description(const Task& task) {
  HEARSAY_TRY(const Json document, parse_json(task.canonical_json()));
  return json_text(Json{{"id", task.id().to_string()},
                        {"title", task.spec().title},
                        {"epsilon", task.epsilon().to_string()},
                        {"start", task.spec().task_start},
                        {"end", task.end()},
                        {"schema", document.at("schema")}});
}

}  // namespace

uint32_t hearsay_abi_version(void) noexcept { return HEARSAY_ABI_VERSION; }

const uint8_t* hearsay_buffer_data(const hearsay_buffer* buffer) noexcept {
  return is_kind(buffer) ? buffer->bytes.data() : nullptr;
}

size_t hearsay_buffer_size(const hearsay_buffer* buffer) noexcept { return is_kind(buffer) ? buffer->size : 0; }

void hearsay_buffer_free(hearsay_buffer* buffer) noexcept { free_handle(buffer); }

hearsay_code hearsay_task_parse(const char* json, size_t json_size, hearsay_task** task, hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (task == nullptr) return null_argument("task");
    *task = nullptr;
    HEARSAY_TRY(const std::string_view text, text_of(json, json_size, "json"));
    HEARSAY_TRY(Task parsed, Task::parse(text));
    *task = new hearsay_task{.task = std::move(parsed)};
    return {};
  });
}

void hearsay_task_free(hearsay_task* task) noexcept { free_handle(task); }

hearsay_code hearsay_task_describe(const hearsay_task* task, hearsay_buffer** json, hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (json == nullptr) return null_argument("json");
    *json = nullptr;
    HEARSAY_CHECK_OK(check_handle(task, "task"));
    HEARSAY_TRY(const std::string text, description(task->task));
    *json = make_buffer(text);
    return {};
  });
}

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
                                                  " tasks; there is room for " + std::to_string(capacity)};
    }
    // All or nothing: a handle is passed on only once there is memory for all of them.
    std::vector<std::unique_ptr<hearsay_task>> handles;
    for (const Task& task : listed.tasks) handles.push_back(std::make_unique<hearsay_task>(hearsay_task{.task = task}));
    for (std::size_t i = 0; i < handles.size(); ++i) tasks[i] = handles[i].release();
    *count = handles.size();
    if (number != nullptr) *number = list.number();
    return {};
  });
}

hearsay_code hearsay_randomize_without_ledger(const hearsay_task* task, const char* record_json,
                                              size_t record_json_size, uint64_t now, hearsay_buffer** report,
                                              hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (report == nullptr) return null_argument("report");
    *report = nullptr;
    HEARSAY_CHECK_OK(check_handle(task, "task"));
    HEARSAY_TRY(const std::string_view json, text_of(record_json, record_json_size, "record_json"));
    HEARSAY_TRY(std::vector<std::uint8_t> bytes, randomized(task->task, json, now));
    *report = make_buffer(std::move(bytes));
    return {};
  });
}
