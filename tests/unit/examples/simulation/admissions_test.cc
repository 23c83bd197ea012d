#include "examples/simulation/admissions.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "common/base/strict_json.h"
#include "hearsay/query.h"

namespace hearsay::examples {
namespace {

double rate(const Population& people, const std::string& among) {
  const auto fraction = [&](const std::string& text) {
    return people.fraction(Query::parse(people.schema, text).value());
  };
  return fraction("admitted and " + among) / fraction(among);
}

Json row(double value, double half) {
  return {{"value", value}, {"standard_error", half / 2}, {"normal", {value - half, value + half}}};
}

// Answers every measure with its true value and an interval of half width `half`. shift(department) is added to the
// rate of women; the department "" means overall.
Json answers_of(
    const Population& people, double half,
    const std::function<double(const std::string&)>& shift = [](const std::string&) { return 0.0; }) {
  Json lists[3];
  std::vector<std::string> departments = people.schema[0].values();
  departments.insert(departments.begin(), "");
  for (const std::string& department : departments) {
    const std::string of = department.empty() ? "" : " and department = " + department;
    const double women = rate(people, "woman" + of) + shift(department);
    const double men = rate(people, "not woman" + of);
    const double values[] = {women, men, women - men};
    for (std::size_t i = 0; i < 3; ++i) lists[i].push_back(row(values[i], half));
  }
  Json rows = Json::array();
  for (const Json& list : lists) rows.push_back(list.at(0));
  for (const Json& list : lists) rows.insert(rows.end(), list.begin() + 1, list.end());
  return {{"measures", rows}};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("first come three measures of all people, then three with a row for each department") {
  const std::vector<std::string> measures = admission_measures();
  REQUIRE(measures.size() == 6);
  CHECK(measures[0] == "admitted among woman");
  CHECK(measures[5] == measures[2] + " by department");
}

TEST_CASE("the output claims the paradox only if the intervals show it") {
  const Population people = berkeley_admissions().value();
  // The answers are exact. Women are admitted less often overall and in C and E, and more often in A, B, D and F.
  const std::string exact = describe_admission_rates(people, answers_of(people, 1e-7)).value();
  CHECK(holds(exact, "Overall the intervals show that women are admitted less often."));
  CHECK(holds(exact, "less often in 2, more often in 4 of 6"));
  CHECK(holds(exact, "In 6 of 6 they show that women are at less of a disadvantage than overall"));
  CHECK(holds(exact, "That is the paradox of 1973, recovered"));

  // The intervals show a difference overall, but only in one department.
  const std::string rough = describe_admission_rates(people, answers_of(people, 0.13)).value();
  CAPTURE(rough);
  CHECK(holds(rough, "Overall the intervals show that women are admitted less often."));
  CHECK(holds(rough, "less often in 0, more often in 1 of 6"));
  CHECK(holds(rough, "In 1 of 6 they show"));
  CHECK_FALSE(holds(rough, "That is the paradox"));
  CHECK(holds(rough, "is not shown"));

  const std::string nothing = describe_admission_rates(people, answers_of(people, 0.9)).value();
  CHECK(holds(nothing, "Overall the intervals show no difference"));
  CHECK(holds(nothing, "The paradox of 1973 is not shown"));
  CHECK(holds(rough, "["));
  CHECK_FALSE(holds(nothing, "["));  // such wide intervals tell nothing
  CHECK(holds(nothing, "no narrow interval"));
  CHECK_FALSE(holds(nothing, "That is the paradox"));
}

TEST_CASE("a disadvantage in every department is no paradox") {
  const Population people = berkeley_admissions().value();
  const std::string text =
      describe_admission_rates(
          people,
          answers_of(people, 1e-5, [](const std::string& department) { return department.empty() ? 0.0 : -0.4; }))
          .value();
  CAPTURE(text);
  CHECK(holds(text, "Overall the intervals show that women are admitted less often."));
  CHECK(holds(text, "less often in 6"));
  CHECK_FALSE(holds(text, "That is the paradox"));
}

TEST_CASE("a difference in the other direction is printed, but is no paradox") {
  const Population people = berkeley_admissions().value();
  const std::string text =
      describe_admission_rates(
          people,
          answers_of(people, 1e-3, [](const std::string& department) { return department.empty() ? 0.4 : 0.0; }))
          .value();
  CHECK(holds(text, "Overall the intervals show that women are admitted more often."));
  CHECK_FALSE(holds(text, "That is the paradox"));
}

TEST_CASE("the table says which rates have no answer or an unbounded interval") {
  const Population people = berkeley_admissions().value();
  const Json unknown{{"error", {{"type", "urn:hearsay:error:no_reports"}, {"detail", "nobody was asked"}}}};
  const Json unbounded{{"value", 0.3}, {"standard_error", 0.1}, {"normal", {nullptr, nullptr}}};
  for (const Json& answer : {unknown, unbounded}) {
    Json answers = answers_of(people, 1e-3);
    for (Json& one : answers.at("measures")) one = answer;
    const std::string text = describe_admission_rates(people, answers).value();
    CHECK(holds(text, "no narrow interval"));
    CHECK(holds(text, "less often in 0, more often in 0 of 6"));
    CHECK_FALSE(holds(text, "That is the paradox"));
  }
}

}  // namespace
}  // namespace hearsay::examples
