#include "common/base/json_text.h"

#include <doctest/doctest.h>

#include "common/base/guard_json.h"

namespace hearsay {
namespace {

TEST_CASE("every document can be written, whatever bytes its strings contain") {
  CHECK(json_text(Json{{"a", "caf\xC3\xA9"}, {"b", {1, 2.5}}}) == "{\"a\":\"caf\xC3\xA9\",\"b\":[1,2.5]}");
  CHECK(json_text(Json{{"a", 1}}, 2) == "{\n  \"a\": 1\n}");
  CHECK(json_text(Json("caf\xE9!")) == "\"caf\xEF\xBF\xBD!\"");
  CHECK(json_text(Json{{"\xFF", "\xC3"}}) == "{\"\xEF\xBF\xBD\":\"\xEF\xBF\xBD\"}");
}

// Returns the error message of guard_json() if `read` throws, and "" otherwise.
template <class Read>
std::string told(const Read& read) {
  const Result<int> result = guard_json([&]() -> Result<int> {
    static_cast<void>(read());
    return 0;
  });
  return result ? "" : result.error().message;
}

TEST_CASE("no message contains the JSON library's own text") {
  const Json json{{"a", "x"}};
  const std::string texts[] = {
      told([&] { return json.at("estimates"); }),        // out_of_range
      told([&] { return json.at("a").get<double>(); }),  // type_error
      told([&] { return Json("\xFF").dump(); }),         // type_error.316
      told([&] { return Json::parse("{secret"); }),      // parse_error
      told([&] { return Json::from_cbor(std::string("\xFF")); }),
  };
  for (const std::string& text : texts) CHECK(text.starts_with("a JSON document has another form than"));
  CHECK(told([] {}).empty());
  CHECK_THROWS_AS(told([] { throw std::runtime_error("another fault"); }), std::runtime_error);
}

}  // namespace
}  // namespace hearsay
