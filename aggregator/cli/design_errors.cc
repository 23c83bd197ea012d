#include "aggregator/cli/design_errors.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

#include "aggregator/cli/design_report.h"
#include "aggregator/cli/error_report.h"
#include "aggregator/cli/layout.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

using Queries = std::vector<Query>;

constexpr std::size_t kTriedAbsences = 8;  // most attributes, and most queries, to leave out in turn

// Adds the workload's listed queries, also those within a mixture.
void listed(const planner::Workload& workload, Queries& queries) {
  if (const auto* list = std::get_if<Queries>(&workload)) queries.insert(queries.end(), list->begin(), list->end());
  if (const auto* mixture = std::get_if<planner::Mixture>(&workload)) {
    for (const planner::Mixture::Part& part : mixture->parts) listed(part.workload, queries);
  }
}

// The heading of the largest error. In a mixture the planner compares errors multiplied by √weight.
std::string largest_name(const planner::Workload& workload) {
  return is_weighted(workload) ? "largest, times √weight" : "largest error";
}

Result<planner::ExpectedError> largest(const Result<planner::WorkloadPlan>& plan, const AccuracyFlags& accuracy) {
  if (!plan) return plan.error();
  return planner::expected_error(*plan, accuracy.people(), accuracy.target);
}

struct Absence {
  std::string change;
  Result<planner::ExpectedError> error;
};

std::string text_of(const std::vector<Absence>& absences, const planner::ExpectedError& now) {
  console::Table table{{"change", "largest error", "smaller by"}, {}};
  for (const Absence& absence : absences) {
    if (!absence.error) {
      table.rows.push_back({shortened(absence.change, 60), "-", "-"});
      continue;
    }
    const double part = 1 - absence.error->half_width / now.half_width;
    table.rows.push_back({shortened(absence.change, 60), console::short_number(absence.error->half_width, 3),
                          std::to_string(std::lround(100 * std::max(0.0, part))) + "%"});
  }
  return table.to_text();
}

}  // namespace

Result<int> print_errors_of(const planner::Wish& wish, const AccuracyFlags& accuracy, console::OutputFormat format,
                            const std::string& next) {
  Queries queries;
  listed(wish.workload, queries);
  ErrorReport report;
  for (const Query& query : queries) report.lines.push_back({query.as_written(wish.base.schema), {}});
  report.lines.push_back({largest_name(wish.workload), {}});
  std::size_t place = 0;
  Result<planner::Candidate> chosen = Error{ErrorCode::kInternal, ""};
  for (const Epsilon& epsilon : several_epsilons(wish.base.epsilon)) {
    Result<planner::Candidate> best = planner::at_epsilon(wish, epsilon);
    add_errors(report, best ? best->task : Result<Task>(best.error()), queries, accuracy);
    report.lines.back().errors.push_back(
        largest(best ? best->plan : Result<planner::WorkloadPlan>(best.error()), accuracy));
    if (epsilon == wish.base.epsilon) {
      place = report.epsilons.size();
      chosen = std::move(best);
    }
    report.epsilons.push_back(epsilon.to_string());
  }
  if (!chosen) return chosen.error();
  if (format == console::OutputFormat::kCsv) {
    std::cout << to_table(report).to_csv();
    return 0;
  }
  HEARSAY_TRY(const planner::ExpectedError now, report.lines.back().errors[place]);
  std::vector<Absence> absences;
  const std::size_t tried = planner::changes_to_try(wish, kTriedAbsences);
  for (const planner::WhatIf& one : planner::with_less(wish, *chosen->task, tried)) {
    absences.push_back({one.change, largest(one.plan, accuracy)});
  }
  if (format == console::OutputFormat::kText) {
    std::cout << paragraph(planner::describe(wish.workload) + "; each epsilon has a task of its own")
              << heading_of(accuracy, wish.base) << to_text(report, place);
    if (!absences.empty()) {
      std::cout << "\nWhat costs most at epsilon " << report.epsilons[place] << ": the largest error is "
                << console::short_number(now.half_width, 3) << "; after a change it would be\n\n"
                << text_of(absences, now);
    }
    std::cout << '\n'
              << paragraph("the query with the largest error: " +
                           shortened(chosen->plan->worst_query, 3 * line_columns()))
              << cuts_text(*chosen->task, "the task of epsilon " + report.epsilons[place]) << '\n'
              << next;
    return 0;
  }
  Json without = Json::array();
  for (const Absence& absence : absences) {
    without.push_back(to_json(absence.error));
    without.back()["change"] = absence.change;
  }
  console::print({},
                 {{"workload", planner::describe(wish.workload)},
                  {"epsilon", wish.base.epsilon.to_string()},
                  {"users", accuracy.people()},
                  {"beta", accuracy.target.beta},
                  {"queries", to_json(report)},
                  {"left_out", std::move(without)}},
                 format);
  return 0;
}

}  // namespace hearsay::cli
