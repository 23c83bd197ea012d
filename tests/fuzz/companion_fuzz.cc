// An accepted companion document must translate every raw text to a value of the attribute, or refuse the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "hearsay/companion.h"
#include "tests/fuzz/require.h"

namespace {

// The text before the first zero byte is the companion document. The text after this byte is a raw text.
constexpr char kEnd = '\0';

hearsay::Schema fuzz_schema() {
  return hearsay::Schema::parse(R"([{"name":"a","type":"boolean"},
                                    {"name":"c","type":"categorical","values":["x","y","z"]},
                                    {"name":"r","type":"range","min":-3,"max":12}])")
      .value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hearsay::Schema schema = fuzz_schema();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find(kEnd);
  const std::string_view document = input.substr(0, end);
  const std::string_view text = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
  const auto companion = hearsay::Companion::parse(schema, document);
  if (!companion) {
    FUZZ_REQUIRE(!companion.error().message.empty());
    return 0;
  }
  std::vector<hearsay::RawText> texts;
  bool all = true;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto index = companion->index_from_text(i, text);
    FUZZ_REQUIRE(!index || *index < schema[i].size());
    FUZZ_REQUIRE(!companion->accepted_texts(i).empty());
    all = all && index;
    texts.push_back({companion->column(i), std::string(text)});
  }
  const bool distinct =
      texts[0].column != texts[1].column && texts[1].column != texts[2].column && texts[0].column != texts[2].column;
  if (distinct) FUZZ_REQUIRE(static_cast<bool>(companion->record(texts)) == all);
  static_cast<void>(companion->record_from_json(text));
  return 0;
}
