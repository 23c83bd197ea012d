#include "examples/simulation/admissions.h"

#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/console/table.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "examples/simulation/rates.h"

namespace hearsay::examples {
namespace {

using console::short_number;
using console::Table;

constexpr double kQuantile = 1.959964;  // 95 %

struct Group {
  std::string department;  // empty: all
  bool women;

  std::string condition() const {
    const std::string sex = women ? "woman" : "not woman";
    return department.empty() ? sex : sex + " and department = " + department;
  }
  // Of whom some were admitted, some not; and all.
  std::array<std::string, 3> queries() const {
    return {"admitted and " + condition(), "not admitted and " + condition(), condition()};
  }
};

// All departments together, then each; women, then men.
std::vector<Group> groups_of(const Population& population) {
  std::vector<Group> groups{{"", true}, {"", false}};
  for (const std::string& department : population.schema[0].values()) {
    groups.push_back({department, true});
    groups.push_back({department, false});
  }
  return groups;
}

struct Rate {
  double truth;
  double estimate;
  std::optional<RateInterval> interval;
};

Result<Fraction> fraction_of(const Json& estimate) {
  if (estimate.contains("error")) {
    return Error{ErrorCode::kServerRefused, estimate.at("error").at("detail").get<std::string>()};
  }
  return Fraction{estimate.at("value").get<double>(), estimate.at("standard_error").get<double>()};
}

Result<Rate> rate_of(const Population& population, const Group& group, const Json& estimates, std::size_t first) {
  const auto queries = group.queries();
  HEARSAY_TRY(const Query with, Query::parse(population.schema, queries[0]));
  HEARSAY_TRY(const Query all, Query::parse(population.schema, queries[2]));
  HEARSAY_TRY(const Fraction admitted, fraction_of(estimates.at(first)));
  HEARSAY_TRY(const Fraction rejected, fraction_of(estimates.at(first + 1)));
  HEARSAY_TRY(const Fraction applied, fraction_of(estimates.at(first + 2)));
  return Rate{population.fraction(with) / population.fraction(all), admitted.value / applied.value,
              rate_interval(admitted, rejected, applied, kQuantile)};
}

std::string text_of(const Rate& rate) {
  if (!rate.interval) return "too few applicants to tell";
  return console::short_number(rate.estimate, 2) + " [" + console::short_number(rate.interval->low, 2) + ", " +
         console::short_number(rate.interval->high, 2) + "]";
}

}  // namespace

std::vector<std::string> admission_queries(const Population& population) {
  std::vector<std::string> queries;
  for (const Group& group : groups_of(population)) {
    for (const std::string& query : group.queries()) queries.push_back(query);
  }
  return queries;
}

Result<void> print_admission_rates(const Population& population, const Json& answers) {
  const Json& estimates = answers.at("estimates");
  const std::vector<Group> groups = groups_of(population);
  console::Table table{
      {"department", "women: true", "private rate, 95%", "men: true", "private rate, 95%", "women lower?"}, {}};
  std::size_t lower_departments = 0;
  bool lower_overall = false;
  for (std::size_t g = 0; g < groups.size(); g += 2) {
    HEARSAY_TRY(const Rate women, rate_of(population, groups[g], estimates, 3 * g));
    HEARSAY_TRY(const Rate men, rate_of(population, groups[g + 1], estimates, 3 * g + 3));
    const bool lower = women.interval && men.interval && women.interval->high < men.interval->low;
    const bool higher = women.interval && men.interval && women.interval->low > men.interval->high;
    const bool overall = groups[g].department.empty();
    if (overall) lower_overall = lower;
    if (!overall && lower) ++lower_departments;
    table.rows.push_back({overall ? "all" : groups[g].department, console::short_number(women.truth, 2), text_of(women),
                          console::short_number(men.truth, 2), text_of(men),
                          lower    ? "yes"
                          : higher ? "no, higher"
                                   : "not shown"});
  }
  std::cout << "\nAdmission rates from the planned task's private answers:\n\n" << table.to_text() << '\n';
  const std::size_t departments = groups.size() / 2 - 1;
  std::cout << (lower_overall ? "Overall women are admitted less often" : "Overall no difference is certain")
            << "; taken by department, the reports show that in " << lower_departments << " of " << departments
            << ".\n";
  if (lower_overall && 3 * lower_departments <= departments) {
    std::cout << "That is the paradox of 1973, recovered without anybody's record.\n";
  }
  return {};
}

}  // namespace hearsay::examples
