#include "common/task/strategy_json.h"

#include <string>

#include "common/base/encoding.h"
#include "common/base/try.h"
#include "common/channel/strategy.h"

namespace hearsay {
namespace {

constexpr std::size_t kEntryBytes = 4;

}  // namespace

Result<ChannelSpec> strategy_from_json(const ObjectReader& reader) {
  HEARSAY_CHECK_OK(reader.allow_only({"type", "outputs", "matrix", "shifts"}));
  StrategySpec spec;
  const auto outputs = reader.get_int("outputs", 2, static_cast<std::int64_t>(StrategyChannel::kMaxEntries));
  if (!outputs) {
    const Error& error = outputs.error();
    return Error{error.code == ErrorCode::kInvalidArgument ? ErrorCode::kInvalidTask : error.code, error.message};
  }
  spec.outputs = static_cast<std::uint32_t>(*outputs);
  HEARSAY_TRY(const std::string text, reader.get_string("matrix"));
  const auto bytes = base64url_decode(text);
  if (!bytes || bytes->size() % kEntryBytes != 0) {
    return Error{ErrorCode::kInvalidTask,
                 reader.path("matrix") + " must be unpadded base64url of integers of 4 bytes each"};
  }
  spec.matrix.reserve(bytes->size() / kEntryBytes);
  for (std::size_t at = 0; at < bytes->size(); at += kEntryBytes) {
    std::uint32_t entry = 0;
    for (std::size_t i = 0; i < kEntryBytes; ++i) entry |= std::uint32_t{(*bytes)[at + i]} << (8 * i);
    spec.matrix.push_back(entry);
  }
  if (reader.has("shifts")) {
    HEARSAY_TRY(spec.shifts, reader.get_bool("shifts"));
  }
  return ChannelSpec(std::move(spec));
}

Json strategy_to_json(const StrategySpec& spec) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(spec.matrix.size() * kEntryBytes);
  for (const std::uint32_t entry : spec.matrix) {
    for (std::size_t i = 0; i < kEntryBytes; ++i) bytes.push_back(static_cast<std::uint8_t>(entry >> (8 * i)));
  }
  Json json = Json::object({{"type", "strategy"}, {"outputs", spec.outputs}, {"matrix", base64url_encode(bytes)}});
  if (spec.shifts) json["shifts"] = true;
  return json;
}

}  // namespace hearsay
