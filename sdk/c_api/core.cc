#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/hearsay.h"
#include "hearsay/unpaid_report.h"
#include "sdk/c_api/failure.h"
#include "sdk/c_api/handle_table.h"

namespace {

using hearsay::Record;
using hearsay::Task;
using hearsay::c_api::fail;
using hearsay::c_api::guard;
using hearsay::c_api::HandleTable;
using hearsay::c_api::refuse;
using Bytes = std::vector<std::uint8_t>;

// Never destroyed: a thread of the host may still call while the process ends.
auto& tasks() {
  static auto& table = *new HandleTable<hearsay_task, Task>(0);
  return table;
}
auto& records() {
  static auto& table = *new HandleTable<hearsay_record, Record>(1);
  return table;
}
auto& byte_strings() {
  static auto& table = *new HandleTable<hearsay_bytes, Bytes>(2);
  return table;
}

// Why `data` cannot be read as a document; nullptr if it can.
const char* document_fault(const void* data, std::size_t length) {
  if (data == nullptr && length > 0) return "json is NULL, but its length is not 0";
  if (length > Task::kMaxJsonBytes) return "the length is above 4 MiB";
  return nullptr;
}

std::string_view document(const void* data, std::size_t length) {
  return length == 0 ? std::string_view() : std::string_view(static_cast<const char*>(data), length);
}

template <class Call>
void quietly(Call call) noexcept {
  try {
    call();
  } catch (...) {  // NOLINT(bugprone-empty-catch): nothing to free, or a mutex that failed; there is nobody to tell
  }
}

}  // namespace

std::uint32_t hearsay_abi_version(void) noexcept { return HEARSAY_ABI_VERSION; }

hearsay_status hearsay_task_parse(const void* json, size_t length, hearsay_task** out, hearsay_error* error) noexcept {
  return guard(error, [&]() -> hearsay_status {
    if (out == nullptr) return refuse(error, "out is NULL");
    if (const char* fault = document_fault(json, length)) return refuse(error, fault);
    auto task = Task::parse(document(json, length));
    if (!task) return fail(error, task.error(), HEARSAY_INVALID_TASK);
    *out = tasks().add(*std::move(task));
    return HEARSAY_OK;
  });
}

void hearsay_task_free(hearsay_task* task) noexcept {
  quietly([&] { tasks().remove(task); });
}

hearsay_status hearsay_task_get_info(const hearsay_task* task, hearsay_task_info* info,
                                     hearsay_error* error) noexcept {
  return guard(error, [&]() -> hearsay_status {
    const auto found = tasks().find(task);
    if (!found) return refuse(error, "task is no task");
    if (info == nullptr) return refuse(error, "info is NULL");
    if (info->size < sizeof(hearsay_task_info)) return refuse(error, "info->size is not the size of the struct");
    info->epsilon_numerator = found->epsilon().num();
    info->epsilon_denominator = found->epsilon().den();
    info->start = found->spec().task_start;
    info->end = found->end();
    info->time_precision = found->spec().time_precision;
    const std::string id = found->id().to_string();
    static_assert(sizeof(info->id) == 44);
    std::memcpy(info->id, id.c_str(), std::min(sizeof(info->id), id.size() + 1));
    return HEARSAY_OK;
  });
}

hearsay_status hearsay_record_parse(const hearsay_task* task, const void* json, size_t length, hearsay_record** out,
                                    hearsay_error* error) noexcept {
  return guard(error, [&]() -> hearsay_status {
    const auto found = tasks().find(task);
    if (!found) return refuse(error, "task is no task");
    if (out == nullptr) return refuse(error, "out is NULL");
    if (const char* fault = document_fault(json, length)) return refuse(error, fault);
    auto record = Record::parse(found->schema(), document(json, length));
    if (!record) return fail(error, record.error(), HEARSAY_INVALID_RECORD);
    *out = records().add(*std::move(record));
    return HEARSAY_OK;
  });
}

void hearsay_record_free(hearsay_record* record) noexcept {
  quietly([&] { records().remove(record); });
}

hearsay_status hearsay_make_unpaid_report(const hearsay_task* task, const hearsay_record* record, uint64_t now,
                                          hearsay_bytes** out, hearsay_error* error) noexcept {
  return guard(error, [&]() -> hearsay_status {
    const auto found = tasks().find(task);
    if (!found) return refuse(error, "task is no task");
    const auto person = records().find(record);
    if (!person) return refuse(error, "record is no record");
    if (out == nullptr) return refuse(error, "out is NULL");
    auto bytes = hearsay::make_unpaid_report(*found, *person, now);
    if (!bytes) return fail(error, bytes.error(), HEARSAY_INTERNAL);
    *out = byte_strings().add(*std::move(bytes));
    return HEARSAY_OK;
  });
}

const uint8_t* hearsay_bytes_data(const hearsay_bytes* bytes) noexcept {
  const uint8_t* data = nullptr;
  quietly([&] {
    if (const auto found = byte_strings().find(bytes)) data = found->data();
  });
  return data;
}

size_t hearsay_bytes_size(const hearsay_bytes* bytes) noexcept {
  size_t size = 0;
  quietly([&] {
    if (const auto found = byte_strings().find(bytes)) size = found->size();
  });
  return size;
}

void hearsay_bytes_free(hearsay_bytes* bytes) noexcept {
  quietly([&] { byte_strings().remove(bytes); });
}
