// An accepted query must print as text that the parser reads as the same query. Both must have the same answer for
// three records.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/query.h"
#include "tests/fuzz/require.h"

namespace {

hearsay::Schema fuzz_schema() {
  return hearsay::Schema::parse(R"([{"name":"a","type":"boolean"},{"name":"b","type":"boolean"},
                                    {"name":"c","type":"categorical","values":["x","far east","yes","in","q\"\\"]},
                                    {"name":"r","type":"range","min":-3,"max":12},
                                    {"name":"s","type":"range","min":9007199254740990,"max":9007199254740992},
                                    {"name":"in","type":"boolean"},{"name":"two words","type":"range","min":0,"max":3},
                                    {"name":"\"\\","type":"range","min":0,"max":1}])")
      .value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hearsay::Schema schema = fuzz_schema();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto query = hearsay::Query::parse(schema, text);
  if (!query) {
    FUZZ_REQUIRE(query.error().message.starts_with("line "));
    return 0;
  }
  const std::string printed = query->to_string(schema);
  const auto again = hearsay::Query::parse(schema, printed);
  FUZZ_REQUIRE(again);
  FUZZ_REQUIRE(*again == *query);

  std::vector<std::uint32_t> smallest;
  std::vector<std::uint32_t> largest;
  std::vector<std::uint32_t> mixed;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    smallest.push_back(0);
    largest.push_back(schema[i].size() - 1);
    mixed.push_back(static_cast<std::uint32_t>((size * 31 + i * 7) % schema[i].size()));
  }
  for (const auto& record : {smallest, largest, mixed}) {
    FUZZ_REQUIRE(query->evaluate(record) == again->evaluate(record));
  }
  for (const std::uint32_t attribute : query->attributes()) FUZZ_REQUIRE(attribute < schema.size());
  return 0;
}
