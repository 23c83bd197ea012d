#include "hearsay/task.h"

#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "hearsay/record.h"
#include "hearsay/unpaid_report.h"
#include "sdk/c_api/boundary.h"
#include "sdk/c_api/task_handles.h"

namespace {

using namespace hearsay;         // this file defines functions of the global namespace
using namespace hearsay::c_api;  // NOLINT(google-build-using-namespace)

// Returns the buffer of the handle, or null. A failing mutex also gives null, because the caller cannot return an
// error.
std::shared_ptr<Buffer> look_up(const hearsay_buffer* buffer) noexcept {
  try {
    return buffers().find(buffer);
  } catch (...) {
    return nullptr;
  }
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
  const std::shared_ptr<Buffer> found = look_up(buffer);
  return found ? found->bytes.data() : nullptr;
}

size_t hearsay_buffer_size(const hearsay_buffer* buffer) noexcept {
  const std::shared_ptr<Buffer> found = look_up(buffer);
  return found ? found->size : 0;
}

void hearsay_buffer_free(hearsay_buffer* buffer) noexcept { remove(buffers(), buffer); }

hearsay_code hearsay_task_parse(const char* json, size_t json_size, hearsay_task** task,
                                hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (task == nullptr) return null_argument("task");
    *task = nullptr;
    HEARSAY_TRY(const std::string_view text, text_of(json, json_size, "json"));
    HEARSAY_TRY(Task parsed, Task::parse(text));
    *task = c_api::tasks().add(std::make_shared<const Task>(std::move(parsed)));
    return {};
  });
}

void hearsay_task_free(hearsay_task* task) noexcept { remove(c_api::tasks(), task); }

hearsay_code hearsay_task_describe(const hearsay_task* task, hearsay_buffer** json, hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (json == nullptr) return null_argument("json");
    *json = nullptr;
    HEARSAY_TRY(const auto found, find(c_api::tasks(), task, "task"));
    HEARSAY_TRY(const std::string text, description(*found));
    *json = make_buffer(text);
    return {};
  });
}

hearsay_code hearsay_randomize_without_ledger(const hearsay_task* task, const char* record_json,
                                              size_t record_json_size, uint64_t now, hearsay_buffer** report,
                                              hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (report == nullptr) return null_argument("report");
    *report = nullptr;
    HEARSAY_TRY(const auto found, find(c_api::tasks(), task, "task"));
    HEARSAY_TRY(const std::string_view json, text_of(record_json, record_json_size, "record_json"));
    HEARSAY_TRY(const Record record, Record::parse(found->schema(), json));
    HEARSAY_TRY(std::vector<std::uint8_t> bytes, make_unpaid_report(*found, record, now));
    *report = make_buffer(std::move(bytes));
    return {};
  });
}
