#include "aggregator/cli/layout.h"

#include <doctest/doctest.h>

#include "aggregator/cli/next_steps.h"

namespace hearsay::cli {
namespace {

TEST_CASE("factors have four digits, and from a thousand on also separators") {
  CHECK(times_text(0) == "0");
  CHECK(times_text(4.6789) == "4.679");
  CHECK(times_text(999.94) == "999.9");
  CHECK(times_text(64079.6) == "64,080");
  CHECK(times_text(1e300) == "1e+300");
}

TEST_CASE("text is cut to columns, not to bytes, and stays on one line") {
  CHECK(shortened("age > 3", 7) == "age > 3");
  CHECK(shortened("age > 30", 7) == "age > …");
  CHECK(shortened("ééééé", 5) == "ééééé");
  CHECK(shortened("ééééé", 3) == "éé…");
  CHECK(shortened("a\nb\tc", 9) == "a b c");
}

TEST_CASE("text is broken at spaces, and a word that is too long is broken anywhere") {
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("one twothreefour", 6) == std::vector<std::string>{"one", "twothr", "eefour"});
  CHECK(wrapped("ééé é", 3) == std::vector<std::string>{"ééé", "é"});
  CHECK(wrapped("", 5) == std::vector<std::string>{""});
}

TEST_CASE("the last column of a table gets the rest of 100 columns") {
  const std::string text = to_text({{"rank", "users", "asked"}, {{"1", "1,234,567", std::string(200, 'x')}}});
  std::size_t longest = 0;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == '\n' ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  CHECK(longest == kColumns);
  CHECK(text.find("   1  1,234,567  xxx") != std::string::npos);
}

TEST_CASE("a command can be pasted into a shell, and a long command continues on the next line") {
  CHECK(command_line({"hearsay", "plan", "a b", "x's", "", "smoker=yes"}) ==
        "hearsay plan 'a b' 'x'\\''s' '' smoker=yes");
  const std::string sixty(60, 'x');
  CHECK(command_line({sixty, sixty}) == sixty + " \\\n        " + sixty);
  CHECK(command_line({"hearsay", std::string(100, 'x')}).empty());
  CHECK(command_line({"a\nb"}).empty());
}

}  // namespace
}  // namespace hearsay::cli
