#include "common/schema/value_text.h"

#include <doctest/doctest.h>

namespace hearsay {
namespace {

TEST_CASE("a boolean is written yes, true or 1, and no, false or 0, in upper or lower case") {
  const Attribute smoker = Attribute::boolean("smoker").value();
  for (const char* yes : {"yes", "Yes", "YES", "true", "True", "TRUE", "tRuE", "1"}) {
    CAPTURE(yes);
    CHECK(value_from_text(smoker, yes) == 1U);
  }
  for (const char* no : {"no", "No", "NO", "false", "False", "FALSE", "0"}) {
    CAPTURE(no);
    CHECK(value_from_text(smoker, no) == 0U);
  }
  for (const char* text : {"", "y", "n", "t", "f", "yess", "ye", "2", "-1", "01", "on", " yes", "j\xC3\xA1"}) {
    CAPTURE(text);
    CHECK_FALSE(value_from_text(smoker, text));
  }
}

TEST_CASE("categorical values are read letter by letter, integers in decimal digits") {
  const Attribute region = Attribute::categorical("region", {"north", "No"}).value();
  CHECK(value_from_text(region, "No") == 1U);
  CHECK_FALSE(value_from_text(region, "no"));
  CHECK_FALSE(value_from_text(region, "North"));
  const Attribute age = Attribute::range("age", -5, 120).value();
  CHECK(value_from_text(age, "-5") == 0U);
  CHECK(value_from_text(age, "007") == 12U);
  CHECK(value_from_text(age, "-0") == 5U);
  for (const char* text : {"", "-", "+5", "5.0", "1e1", "0x1", "5 ", " 5", "121", "-6", "9999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(value_from_text(age, text));
  }
}

TEST_CASE("the message names the values that an attribute accepts, or the first of many") {
  const auto told = [](const Result<Attribute>& attribute) { return accepted_values(attribute.value(), "yes or no"); };
  CHECK(told(Attribute::boolean("b")) == "yes or no");
  CHECK(told(Attribute::range("r", -5, 120)) == "an integer from -5 to 120");
  CHECK(told(Attribute::categorical("c", {"a", "b"})) == "'a' or 'b'");
  CHECK(told(Attribute::categorical("c", {"a", "b", "c"})) == "'a', 'b' or 'c'");
  std::vector<std::string> many;
  for (int i = 100; i < 1100; ++i) many.push_back("value" + std::to_string(i) + std::string(20, 'x'));
  const std::string text = told(Attribute::categorical("c", many));
  CHECK(text.size() < 250);
  CHECK(text.starts_with("'value100xxxxxxxxxxxxxxxxxxxx', 'value101"));
  CHECK(text.ends_with(" or one of 994 other values"));
}

TEST_CASE("the heading of a column is the title or the name, with the unit") {
  const Attribute range = Attribute::range("r", 0, 9).value();
  CHECK(heading(range) == "r");
  CHECK(heading(Attribute(range).with_unit("min").value()) == "r (min)");
  CHECK(heading(Attribute(range).with_title("On a bicycle").value().with_unit("min").value()) == "On a bicycle (min)");
}

}  // namespace
}  // namespace hearsay
