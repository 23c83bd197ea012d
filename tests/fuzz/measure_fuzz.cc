// If the parser refuses a measure, its error has a position. If the parser accepts a measure, the measure is within the
// limits. The same bytes are also read as a file of measures, and as a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "aggregator/measures/measure.h"
#include "aggregator/measures/times.h"
#include "tests/fuzz/require.h"

namespace {

hearsay::Schema fuzz_schema() {
  return hearsay::Schema::parse(R"([{"name":"a","type":"boolean"},{"name":"by","type":"boolean"},
                                    {"name":"c","type":"categorical","values":["x","far east"]},
                                    {"name":"r","type":"range","min":-3,"max":12}])")
      .value();
}

std::size_t depth_of(const hearsay::measures::Measure& measure) {
  std::size_t depth = 0;
  for (const auto& operand : measure.operands) depth = std::max(depth, 1 + depth_of(operand));
  return depth;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hearsay::Schema schema = fuzz_schema();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto measure = hearsay::measures::parse(schema, text);
  if (measure) {
    FUZZ_REQUIRE(depth_of(*measure) <= hearsay::measures::Measure::kMaxDepth);
    FUZZ_REQUIRE(measure->attributes.size() <= hearsay::measures::Measure::kMaxSummands);
    FUZZ_REQUIRE(measure->level >= 0 && measure->level < 1);
  } else {
    FUZZ_REQUIRE(measure.error().message.starts_with("line "));
  }
  const auto file = hearsay::measures::read_file(text);
  FUZZ_REQUIRE(!file || !file->empty());
  const auto time = hearsay::measures::parse_time(text);
  if (time && *time <= 253'402'300'799) {
    FUZZ_REQUIRE(hearsay::measures::parse_time(hearsay::measures::time_text(*time)).value() == *time);
  }
  return 0;
}
