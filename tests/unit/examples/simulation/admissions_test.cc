#include "examples/simulation/admissions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "common/base/strict_json.h"
#include "hearsay/query.h"

namespace hearsay::examples {
namespace {

// Every query answered with its value among the people, moved by `shift`, and this standard error. Three queries in a
// row are one group's: the admitted, the rejected and all.
Json answers_of(
    const Population& people, double standard_error,
    const std::function<double(const std::string&)>& shift = [](const std::string&) { return 0.0; }) {
  Json estimates = Json::array();
  const std::vector<std::string> queries = admission_queries(people);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double truth = people.fraction(Query::parse(people.schema, queries[i]).value());
    // The errors of the two parts are as good as independent.
    const double error = i % 3 == 2 ? std::sqrt(2) * standard_error : standard_error;
    estimates.push_back({{"query", queries[i]}, {"value", truth + shift(queries[i])}, {"standard_error", error}});
  }
  return {{"estimates", estimates}};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("the paradox is claimed only if intervals show it") {
  const Population people = berkeley_admissions().value();
  // Exact answers: women less often overall, in C and E; more often in A, B, D and F.
  const std::string exact = describe_admission_rates(people, answers_of(people, 1e-7)).value();
  CHECK(holds(exact, "Overall the intervals show that women are admitted less often."));
  CHECK(holds(exact, "less often in 2, more often in 4 of 6"));
  CHECK(holds(exact, "In 6 of 6 they show that women are at less of a disadvantage than overall"));
  CHECK(holds(exact, "That is the paradox of 1973, recovered"));

  // Overall shown, no department shown: 200,000 people at ε = 1.
  const std::string rough = describe_admission_rates(people, answers_of(people, 0.006)).value();
  CAPTURE(rough);
  CHECK(holds(rough, "Overall the intervals show that women are admitted less often."));
  CHECK(holds(rough, "less often in 0, more often in 0 of 6"));
  CHECK(holds(rough, "In 0 of 6 they show"));
  CHECK_FALSE(holds(rough, "That is the paradox"));
  CHECK(holds(rough, "is not shown"));

  // Nothing shown.
  const std::string nothing = describe_admission_rates(people, answers_of(people, 0.2)).value();
  CHECK(holds(nothing, "Overall the intervals show no difference"));
  CHECK(holds(nothing, "The paradox of 1973 is not shown"));
  CHECK_FALSE(holds(nothing, "That is the paradox"));
}

TEST_CASE("a disadvantage that every department has is no paradox") {
  const Population people = berkeley_admissions().value();
  // Every department has rejected so many more women: 10 % of all people.
  const std::string text =
      describe_admission_rates(people, answers_of(people, 1e-5,
                                                  [](const std::string& query) {
                                                    const bool women = query.find("not woman") == std::string::npos;
                                                    if (!women || query.find("department") == std::string::npos)
                                                      return 0.0;
                                                    if (query.starts_with("not admitted")) return 0.1;
                                                    return query.starts_with("admitted") ? 0.0 : 0.1;
                                                  }))
          .value();
  CAPTURE(text);
  CHECK(holds(text, "Overall the intervals show that women are admitted less often."));
  CHECK_FALSE(holds(text, "That is the paradox"));
}

TEST_CASE("a difference the other way is said, and is no paradox") {
  const Population people = berkeley_admissions().value();
  const std::string text = describe_admission_rates(people, answers_of(people, 1e-3,
                                                                       [](const std::string& query) {
                                                                         return query == "admitted and woman" ? 0.2
                                                                                : query == "not admitted and woman"
                                                                                    ? -0.2
                                                                                    : 0.0;
                                                                       }))
                               .value();
  CHECK(holds(text, "Overall the intervals show that women are admitted more often."));
  CHECK_FALSE(holds(text, "That is the paradox"));
}

TEST_CASE("rates whose queries have no answer cannot be told") {
  const Population people = berkeley_admissions().value();
  Json answers = answers_of(people, 1e-3);
  for (Json& estimate : answers.at("estimates")) {
    estimate = {{"query", estimate.at("query")},
                {"error", {{"type", "urn:hearsay:error:no_reports"}, {"detail", "nobody was asked"}}}};
  }
  const std::string text = describe_admission_rates(people, answers).value();
  CHECK(holds(text, "too few reports to tell"));
  CHECK(holds(text, "less often in 0, more often in 0 of 6"));
  CHECK_FALSE(holds(text, "That is the paradox"));
}

}  // namespace
}  // namespace hearsay::examples
