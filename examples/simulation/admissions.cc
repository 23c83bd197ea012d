#include "examples/simulation/admissions.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/console/table.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::examples {
namespace {

constexpr const char* kWomen = "admitted among woman";
constexpr const char* kMen = "admitted among not woman";
constexpr const char* kDifference = "difference(admitted among woman, admitted among not woman)";
constexpr const char* kByDepartment = " by department";

struct Answer {
  double value = 0;
  std::optional<std::pair<double, double>> interval = {};  // no interval: every value is possible

  bool is_below(double limit) const { return interval && interval->second < limit; }
  bool is_above(double limit) const { return interval && interval->first > limit; }
};

Answer answer_of(const Json& row) {
  if (row.contains("error")) return {};
  const Json& ends = row.at("normal");
  Answer answer{row.at("value").get<double>()};
  if (!ends.at(0).is_null() && !ends.at(1).is_null()) answer.interval = {ends.at(0), ends.at(1)};
  return answer;
}

// The admission rates of women and men, and the women's rate minus the men's rate: overall, or in a department.
struct Group {
  std::string department;  // empty: overall
  Answer women = {};
  Answer men = {};
  Answer difference = {};
};

// Returns the answers overall, then by department. `rows` are in the order of admission_measures(): three rows about
// all people, then three lists with a row for each department.
std::vector<Group> groups_of(const std::vector<std::string>& departments, const Json& rows) {
  std::vector<Group> groups{{"", answer_of(rows.at(0)), answer_of(rows.at(1)), answer_of(rows.at(2))}};
  const std::size_t size = departments.size();
  for (std::size_t d = 0; d < size; ++d) {
    groups.push_back({departments[d], answer_of(rows.at(3 + d)), answer_of(rows.at(3 + size + d)),
                      answer_of(rows.at(3 + 2 * size + d))});
  }
  return groups;
}

std::string condition(const std::string& sex, const std::string& department) {
  return department.empty() ? sex : sex + " and department = " + department;
}

// Returns the true admission rate of the people who satisfy the query `people`.
Result<std::string> truth(const Population& population, const std::string& people) {
  HEARSAY_TRY(const Query all, Query::parse(population.schema, people));
  HEARSAY_TRY(const Query with, Query::parse(population.schema, "admitted and " + people));
  if (population.fraction(all) == 0) return std::string("nobody");
  return console::short_number(population.fraction(with) / population.fraction(all), 2);
}

std::string text_of(const Answer& answer) {
  constexpr double kWidest = 0.5;  // a wider interval says too little about a rate
  if (!answer.interval || answer.interval->second - answer.interval->first > kWidest) return "no narrow interval";
  return console::short_number(answer.value, 2) + " [" + console::short_number(answer.interval->first, 2) + ", " +
         console::short_number(answer.interval->second, 2) + "]";
}

// Numbers of departments, by what their intervals show.
struct Departments {
  std::size_t all = 0;
  std::size_t lower = 0;          // women are admitted less often than men
  std::size_t higher = 0;         // women are admitted more often than men
  std::size_t above_overall = 0;  // the women's disadvantage is smaller than overall, or there is none
};

std::string conclusion(const Answer& overall, const Departments& departments) {
  std::string text = "Overall the intervals show no difference between women and men.\n";
  if (overall.is_below(0)) text = "Overall the intervals show that women are admitted less often.\n";
  if (overall.is_above(0)) text = "Overall the intervals show that women are admitted more often.\n";
  text += "By department they show that women are admitted less often in " + std::to_string(departments.lower) +
          ", more often in " + std::to_string(departments.higher) + " of " + std::to_string(departments.all) + ".\n";
  if (!overall.is_below(0)) return text + "The paradox of 1973 is not shown.\n";
  text += "In " + std::to_string(departments.above_overall) + " of " + std::to_string(departments.all) +
          " they show that women are at less of a disadvantage than overall, or at none.\n";
  if (2 * departments.above_overall <= departments.all) {
    return text + "The paradox of 1973, that this is so in most departments, is not shown.\n";
  }
  return text + "That is the paradox of 1973, recovered without anybody's record.\n";
}

}  // namespace

std::vector<std::string> admission_queries(const Population& population) {
  std::vector<std::string> departments = population.schema[0].values();
  departments.insert(departments.begin(), "");
  std::vector<std::string> queries;
  for (const std::string& department : departments) {
    for (const char* sex : {"woman", "not woman"}) {
      const std::string people = condition(sex, department);
      queries.insert(queries.end(), {"admitted and " + people, people});
    }
  }
  return queries;
}

std::vector<std::string> admission_measures() {
  std::vector<std::string> measures{kWomen, kMen, kDifference};
  for (const char* measure : {kWomen, kMen, kDifference}) measures.push_back(std::string(measure) + kByDepartment);
  return measures;
}

Result<std::string> describe_admission_rates(const Population& population, const Json& answers) {
  console::Table table{{"department", "women: true", "private rate, 95%", "men: true", "private rate, 95%",
                        "difference, 95%", "less than overall?"},
                       {}};
  const std::vector<Group> groups = groups_of(population.schema[0].values(), answers.at("measures"));
  const Answer& overall = groups.front().difference;
  Departments departments;
  for (const Group& group : groups) {
    const bool is_overall = group.department.empty();
    HEARSAY_TRY(const std::string women, truth(population, condition("woman", group.department)));
    HEARSAY_TRY(const std::string men, truth(population, condition("not woman", group.department)));
    const bool is_above = overall.is_below(0) && group.difference.is_above(overall.interval->second);
    table.rows.push_back({is_overall ? "all" : group.department, women, text_of(group.women), men, text_of(group.men),
                          text_of(group.difference),
                          is_overall ? ""
                          : is_above ? "yes"
                                     : "not shown"});
    if (is_overall) continue;
    departments.all += 1;
    departments.lower += group.difference.is_below(0) ? 1 : 0;
    departments.higher += group.difference.is_above(0) ? 1 : 0;
    departments.above_overall += is_above ? 1 : 0;
  }
  return "Admission rates from the planned task's private answers, and the women's rate minus the men's rate. All "
         "intervals hold at once with probability 95%:\n\n" +
         table.to_text() + '\n' + conclusion(overall, departments);
}

}  // namespace hearsay::examples
