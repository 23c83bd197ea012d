// Compares raw texts with the values that an independent implementation of format.md gives them.
#include <doctest/doctest.h>

#include <string>

#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "hearsay/companion.h"
#include "tests/support/golden.h"

namespace hearsay {
namespace {

TEST_CASE("a raw text has the value that the vectors give") {
  std::size_t texts = 0;
  for (const auto& vector : tests::read_vectors("companions.json")) {
    CAPTURE(vector.at("about").get<std::string>());
    const Schema schema = Schema::parse(json_text(vector.at("schema"))).value();
    const Companion companion = Companion::parse(schema, json_text(vector.at("companion"))).value();
    for (const auto& each : vector.at("texts")) {
      const std::string text = each.at("text").get<std::string>();
      CAPTURE(text);
      const auto index = companion.index_from_text(0, text);
      const std::string value = index ? schema[0].value_text(*index) : "none";
      CHECK(value == (each.at("value").is_null() ? "none" : each.at("value").get<std::string>()));
      ++texts;
    }
  }
  CHECK(texts > 500);
}

}  // namespace
}  // namespace hearsay
