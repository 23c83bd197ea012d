#include "aggregator/console/arguments.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>

#include "aggregator/console/bearer_token.h"

namespace hearsay::console {
namespace {

TEST_CASE("parse_arguments() gives an exit status or lets the program go on, and an empty value is refused") {
  const auto parse = [](const std::vector<std::string>& arguments, std::string& value) {
    CLI::App app("a program", "program");
    app.add_option("--value", value, "");
    return parse_arguments(app, arguments);
  };
  std::string value;
  CHECK(parse({}, value) == std::nullopt);
  CHECK(parse({"--value", "x"}, value) == std::nullopt);
  CHECK(value == "x");
  CHECK(parse({"--value", ""}, value) == 2);
  CHECK(parse({"--value="}, value) == 2);
  CHECK(parse({"--valve", "x"}, value) == 2);
}

TEST_CASE("require_whole() accepts whole numbers of a range, and its message states the range") {
  const auto parse = [](const std::string& text, std::uint64_t least, std::uint64_t most) {
    CLI::App app("a program", "program");
    std::uint64_t value = 0;
    require_whole(*app.add_option("--value", value, ""), least, most);
    return parse_arguments(app, {"--value", text});
  };
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  for (const char* text : {"1", "9", "007"}) CHECK(parse(text, 1, 9) == std::nullopt);
  for (const char* text : {"0", "10", "-1", "+1", "1.5", "1e0", "x", "1 ", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK(parse(text, 1, 9) == 2);
  }
  CHECK(parse("18446744073709551615", 0, kAll) == std::nullopt);
  CHECK(parse("18446744073709551616", 0, kAll) == 2);
  CHECK(parse("-1", 0, kAll) == 2);
}

TEST_CASE("a bearer token may have white space and a byte order mark around it, and nothing else") {
  for (const std::string text : {"abc", "abc\n", "\r\n abc\t\r\n",
                                 "\xEF\xBB\xBF"
                                 "abc\r\n"}) {
    CHECK(parse_bearer_token(text, "x").value() == "abc");
  }
  const std::string with_null("a\0b", 3);
  for (const std::string& text : {std::string(), std::string(" \r\n"), std::string("\xEF\xBB\xBF"), with_null,
                                  std::string("ab cd"), std::string("ab\r\nX-A: 1"), std::string("a\xFF"),
                                  std::string("\xFF\xFE"
                                              "a\0",
                                              4),
                                  std::string("a\x7f")}) {
    const auto token = parse_bearer_token(text, "the file 'f'");
    REQUIRE(!token);
    CHECK(token.error().code == ErrorCode::kInvalidArgument);
    CHECK(token.error().message.starts_with("the file 'f' "));
  }
}

}  // namespace
}  // namespace hearsay::console
