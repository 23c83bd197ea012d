#include "aggregator/api/operations.h"

#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::api {

Result<std::optional<std::uint32_t>> parse_backup_request(std::string_view body) {
  constexpr std::int64_t kMost = 10'000;
  if (body.empty()) return std::optional<std::uint32_t>();
  HEARSAY_TRY(const Json document, parse_json(body));
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(document, "backup"));
  HEARSAY_CHECK_OK(reader.allow_only({"keep"}));
  if (!reader.has("keep")) return std::optional<std::uint32_t>();
  HEARSAY_TRY(const std::int64_t keep, reader.get_int("keep", 1, kMost));
  return std::optional(static_cast<std::uint32_t>(keep));
}

}  // namespace hearsay::api
