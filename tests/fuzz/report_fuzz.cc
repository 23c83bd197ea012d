// An accepted report in CBOR must encode to the same bytes, and an accepted report in JSON to the same JSON. An
// accepted payload must pack to the same bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/strict_json.h"
#include "common/channel/channel.h"
#include "common/report/report.h"
#include "hearsay/task.h"
#include "tests/fuzz/require.h"
#include "tests/support/report_json.h"

using hearsay::Report;

namespace {

const hearsay::LaplaceChannel& channel() {
  static const hearsay::Task task = *hearsay::Task::parse(R"({
    "version": 2, "arrangement": {"type": "literals"}, "channel": {"type": "laplace", "calibration": "tight"},
    "epsilon": "2", "task_start": 0, "task_duration": 1, "time_precision": 1, "min_batch_size": 1,
    "schema": [{"name": "a", "type": "boolean"}, {"name": "c", "type": "categorical", "values": ["x", "far east"]},
               {"name": "r", "type": "range", "min": 0, "max": 9}]})");
  return std::get<hearsay::LaplaceChannel>(task.channel().kind());
}

void check_payload(std::span<const std::uint8_t> payload) {
  std::vector<std::int32_t> y(channel().coordinates());
  if (!channel().unpack(payload, y)) return;
  for (std::size_t j = 0; j < y.size(); ++j) {
    FUZZ_REQUIRE(y[j] >= -channel().bound(j) && y[j] <= channel().bound(j));
  }
  std::vector<std::uint8_t> packed(channel().payload_size());
  channel().pack(y, packed);
  FUZZ_REQUIRE(std::equal(packed.begin(), packed.end(), payload.begin(), payload.end()));
}

void check_json_round_trip(const Report& report) {
  const auto read = hearsay::report_from_json(hearsay::tests::report_to_json(report));
  FUZZ_REQUIRE(read);
  FUZZ_REQUIRE(*read == report);
}

void check_cbor(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    std::span<const std::uint8_t> rest = bytes;
    const auto view = hearsay::read_report(rest);
    if (!view) {
      FUZZ_REQUIRE(view.error().code == hearsay::ErrorCode::kReportMalformed);
      FUZZ_REQUIRE(rest.data() == bytes.data() && rest.size() == bytes.size());
      return;
    }
    const auto used = bytes.first(bytes.size() - rest.size());
    const Report report{view->id, view->time, {view->payload.begin(), view->payload.end()}};
    std::vector<std::uint8_t> encoded;
    hearsay::append_report(report, encoded);
    FUZZ_REQUIRE(std::equal(encoded.begin(), encoded.end(), used.begin(), used.end()));
    check_json_round_trip(report);
    check_payload(view->payload);
    bytes = rest;
  }
}

void check_json(std::string_view text) {
  const auto json = hearsay::parse_json(text);
  if (!json) return;
  const auto report = hearsay::report_from_json(*json);
  if (!report) {
    FUZZ_REQUIRE(report.error().code == hearsay::ErrorCode::kReportMalformed);
    return;
  }
  FUZZ_REQUIRE(hearsay::tests::report_to_json(*report) == *json);
  std::vector<std::uint8_t> encoded;
  hearsay::append_report(*report, encoded);
  check_cbor(encoded);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_cbor({data, size});
  check_json({reinterpret_cast<const char*>(data), size});
  return 0;
}
