#include "hearsay/companion.h"

#include "common/base/try.h"
#include "common/schema/record_json.h"
#include "sdk/c_api/boundary.h"
#include "sdk/c_api/handles.h"

namespace {

using namespace hearsay;         // this file defines functions of the global namespace
using namespace hearsay::c_api;  // NOLINT(google-build-using-namespace)

}  // namespace

hearsay_code hearsay_companion_parse(const hearsay_task* task, const char* json, size_t json_size,
                                     hearsay_companion** companion, hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (companion == nullptr) return null_argument("companion");
    *companion = nullptr;
    HEARSAY_TRY(const auto found, find(c_api::tasks(), task, "task"));
    HEARSAY_TRY(const std::string_view text, text_of(json, json_size, "json"));
    HEARSAY_TRY(Companion parsed, Companion::parse(found->schema(), text));
    *companion = companions().add(std::make_shared<const Companion>(std::move(parsed)));
    return {};
  });
}

hearsay_code hearsay_companion_read(const hearsay_companion* companion, const char* texts_json, size_t texts_json_size,
                                    hearsay_buffer** record_json, hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (record_json == nullptr) return null_argument("record_json");
    *record_json = nullptr;
    HEARSAY_TRY(const auto found, find(companions(), companion, "companion"));
    HEARSAY_TRY(const std::string_view texts, text_of(texts_json, texts_json_size, "texts_json"));
    HEARSAY_TRY(const Record record, found->record_from_json(texts));
    *record_json = make_buffer(hearsay::record_json(found->schema(), record));
    return {};
  });
}

void hearsay_companion_free(hearsay_companion* companion) noexcept { remove(companions(), companion); }
