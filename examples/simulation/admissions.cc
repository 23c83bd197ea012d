#include "examples/simulation/admissions.h"

#include <array>
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

// Holds for the 14 intervals of six departments and of all together at once, with probability 95 %: each leaves out at
// most 5 %/28 on either side. So does every comparison of two of them, however their errors depend on each other.
constexpr double kQuantile = 2.91;

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
  std::optional<double> truth;  // absent: nobody applied
  double estimate;
  std::optional<RateInterval> interval;  // absent: every rate is possible
};

std::optional<Fraction> fraction_of(const Json& estimate) {
  if (estimate.contains("error")) return std::nullopt;
  return Fraction{estimate.at("value").get<double>(), estimate.at("standard_error").get<double>()};
}

Result<Rate> rate_of(const Population& population, const Group& group, const Json& estimates, std::size_t first) {
  const auto queries = group.queries();
  HEARSAY_TRY(const Query with, Query::parse(population.schema, queries[0]));
  HEARSAY_TRY(const Query all, Query::parse(population.schema, queries[2]));
  Rate rate{{}, 0, {}};
  if (population.fraction(all) > 0) rate.truth = population.fraction(with) / population.fraction(all);
  const auto admitted = fraction_of(estimates.at(first));
  const auto rejected = fraction_of(estimates.at(first + 1));
  const auto applied = fraction_of(estimates.at(first + 2));
  if (!admitted || !rejected || !applied) return rate;
  rate.estimate = admitted->value / applied->value;
  rate.interval = rate_interval(*admitted, *rejected, *applied, kQuantile);
  return rate;
}

std::string truth_of(const Rate& rate) { return rate.truth ? console::short_number(*rate.truth, 2) : "nobody"; }

std::string text_of(const Rate& rate) {
  if (!rate.interval) return "too few reports to tell";
  return console::short_number(rate.estimate, 2) + " [" + console::short_number(rate.interval->low, 2) + ", " +
         console::short_number(rate.interval->high, 2) + "]";
}

// By how much the rate of women may exceed that of men.
std::optional<RateInterval> difference(const Rate& women, const Rate& men) {
  if (!women.interval || !men.interval) return std::nullopt;
  return RateInterval{women.interval->low - men.interval->high, women.interval->high - men.interval->low};
}

bool lower(const std::optional<RateInterval>& difference) { return difference && difference->high < 0; }
bool higher(const std::optional<RateInterval>& difference) { return difference && difference->low > 0; }

// How many departments' intervals show what.
struct Departments {
  std::size_t all = 0;
  std::size_t lower = 0;
  std::size_t higher = 0;
  std::size_t above_overall = 0;  // the difference is smaller than overall, or the other way
};

std::string conclusion(const std::optional<RateInterval>& overall, const Departments& departments) {
  std::string text = "Overall the intervals show no difference between women and men.\n";
  if (lower(overall)) text = "Overall the intervals show that women are admitted less often.\n";
  if (higher(overall)) text = "Overall the intervals show that women are admitted more often.\n";
  text += "By department they show that women are admitted less often in " + std::to_string(departments.lower) +
          ", more often in " + std::to_string(departments.higher) + " of " + std::to_string(departments.all) + ".\n";
  if (!lower(overall)) return text + "The paradox of 1973 is not shown.\n";
  text += "In " + std::to_string(departments.above_overall) + " of " + std::to_string(departments.all) +
          " they show that women are at less of a disadvantage than overall, or at none.\n";
  if (2 * departments.above_overall <= departments.all) {
    return text + "The paradox of 1973, that this is so in most departments, is not shown.\n";
  }
  return text + "That is the paradox of 1973, recovered without anybody's record.\n";
}

}  // namespace

std::vector<std::string> admission_queries(const Population& population) {
  std::vector<std::string> queries;
  for (const Group& group : groups_of(population)) {
    for (const std::string& query : group.queries()) queries.push_back(query);
  }
  return queries;
}

Result<std::string> describe_admission_rates(const Population& population, const Json& answers) {
  const Json& estimates = answers.at("estimates");
  const std::vector<Group> groups = groups_of(population);
  console::Table table{{"department", "women: true", "private rate, 95%", "men: true", "private rate, 95%",
                        "women lower?", "by less than overall?"},
                       {}};
  std::optional<RateInterval> overall;
  Departments departments;
  for (std::size_t g = 0; g < groups.size(); g += 2) {
    HEARSAY_TRY(const Rate women, rate_of(population, groups[g], estimates, 3 * g));
    HEARSAY_TRY(const Rate men, rate_of(population, groups[g + 1], estimates, 3 * g + 3));
    const auto shown = difference(women, men);
    const std::string verdict = lower(shown) ? "yes" : higher(shown) ? "no, higher" : "not shown";
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {"all", truth_of(women), text_of(women), truth_of(men), text_of(men), verdict, ""};
    if (groups[g].department.empty()) {
      overall = shown;
      continue;
    }
    const bool above = shown && lower(overall) && shown->low > overall->high;
    departments.all += 1;
    departments.lower += lower(shown) ? 1 : 0;
    departments.higher += higher(shown) ? 1 : 0;
    departments.above_overall += above ? 1 : 0;
    row.front() = groups[g].department;
    row.back() = above ? "yes" : "not shown";
  }
  return "Admission rates from the planned task's private answers. All intervals hold at once with probability "
         "95%:\n\n" +
         table.to_text() + '\n' + conclusion(overall, departments);
}

}  // namespace hearsay::examples
