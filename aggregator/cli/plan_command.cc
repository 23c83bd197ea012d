#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/plan.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct PlanFlags {
  std::string task_file;
  std::vector<std::string> queries;
  std::string query_file;
  planner::Target target{0.01, 0.05};
  console::OutputFormat format = console::OutputFormat::kText;
};

std::vector<std::string> remarks_on(const planner::PlannedQuery& planned) {
  return planner::remarks_on_users(!planned.variance.exact,
                                   planner::near_normal(planned.variance, planned.users_exact));
}

Json planned_json(const std::string& text, const planner::PlannedQuery& planned) {
  Json json{{"query", text},
            {"guarantee", compiler::guarantee_name(planned.guarantee)},
            {"margin", planned.margin},
            {"report_bytes", planned.report_bytes},
            {"variance", planned.variance.worst_among_reporters},
            {"variance_average", planned.variance.average},
            {"limit_ratio", planned.limit_ratio},
            {"influence", planned.variance.influence},
            {"users_exact", planned.users_exact},
            {"users_average", planned.users_average},
            {"at_most", !planned.variance.exact},
            {"near_normal", planner::near_normal(planned.variance, planned.users_exact)},
            {"remarks", remarks_on(planned)}};
  if (planned.users_paper) json["users_paper"] = *planned.users_paper;
  return json;
}

std::vector<std::string> planned_row(const std::string& text, const planner::PlannedQuery& planned,
                                     console::OutputFormat format) {
  std::string remarks;
  for (const std::string& remark : remarks_on(planned)) remarks += (remarks.empty() ? "" : "; ") + remark;
  return {text,
          std::string(compiler::guarantee_name(planned.guarantee)),
          console::number(planned.margin, format),
          std::to_string(planned.report_bytes),
          console::number(planned.limit_ratio, format),
          console::number(planned.variance.influence, format),
          std::to_string(planned.users_exact),
          std::to_string(planned.users_average),
          planned.users_paper ? std::to_string(*planned.users_paper) : "",
          remarks};
}

Result<int> plan_queries(const PlanFlags& flags) {
  HEARSAY_TRY(const Task task, read_task(flags.task_file));
  HEARSAY_TRY(const auto texts, console::collect_queries(flags.queries, flags.query_file));
  HEARSAY_TRY(const std::vector<Query> queries, console::parse_queries(task.schema(), texts));
  const auto plans = planner::plan(task, queries, flags.target);

  console::Table table{{"query", "guarantee", "margin", "report_bytes", "limit_ratio", "influence", "users_exact",
                        "users_average", "users_paper", "remarks"},
                       {}};
  Json listed = Json::array();
  bool planned_all = true;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i]) {
      table.rows.push_back(planned_row(texts[i], *plans[i], flags.format));
      listed.push_back(planned_json(texts[i], *plans[i]));
      continue;
    }
    planned_all = false;
    const Error& error = plans[i].error();
    table.rows.push_back(
        {texts[i], "", "", "", "", "", "", "", "", std::string(error_name(error.code)) + ": " + error.message});
    listed.push_back({{"query", texts[i]}, {"error", error_json(error)}});
  }
  if (flags.format == console::OutputFormat::kText) {
    if (!task.spec().title.empty()) std::cout << task.spec().title << '\n';
    std::cout << "task " << task.id().to_string() << ", epsilon " << task.epsilon().to_string() << ": users for ±"
              << flags.target.alpha << " at confidence " << 1 - flags.target.beta
              << "\nlimit_ratio: variance of one user's estimate over that of asking the query alone by randomized "
                 "response, both for users drawn anew from the worst population\n\n";
  }
  print(
      table,
      {{"task", task.id().to_string()}, {"alpha", flags.target.alpha}, {"beta", flags.target.beta}, {"plans", listed}},
      flags.format);
  return planned_all ? 0 : 1;
}

}  // namespace

void add_plan_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<PlanFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "For each query: what a task can say about it, and the users it takes");
  command->add_option("file", flags->task_file, "Task document")->required();
  command->add_option("queries", flags->queries, "Queries, e.g. \"smoker and age in 18..29\"");
  command->add_option("--queries", flags->query_file, "File with one query a line");
  add_target_options(*command, flags->target);
  console::add_output_flag(*command, flags->format);
  command->callback([&chosen, flags] { chosen = [flags] { return plan_queries(*flags); }; });
}

}  // namespace hearsay::cli
