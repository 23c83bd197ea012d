#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "aggregator/cli/accuracy_flags.h"
#include "aggregator/cli/commands.h"
#include "aggregator/cli/error_report.h"
#include "aggregator/cli/layout.h"
#include "aggregator/cli/mechanism_words.h"
#include "aggregator/cli/next_steps.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/plan.h"
#include "common/base/number_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct PlanFlags {
  std::string task_file;
  std::vector<std::string> queries;
  std::string query_file;
  AccuracyFlags accuracy;
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

std::vector<std::string> planned_row(const std::string& text, const planner::PlannedQuery& planned) {
  std::string remarks;
  for (const std::string& remark : remarks_on(planned)) remarks += (remarks.empty() ? "" : "; ") + remark;
  return {text,
          std::string(compiler::guarantee_name(planned.guarantee)),
          console::exact_number(planned.margin),
          std::to_string(planned.report_bytes),
          console::exact_number(planned.limit_ratio),
          console::exact_number(planned.variance.influence),
          std::to_string(planned.users_exact),
          std::to_string(planned.users_average),
          planned.users_paper ? std::to_string(*planned.users_paper) : "",
          remarks};
}

std::string title_of(const Task& task) {
  const std::string& title = task.spec().title;
  return title.empty() ? "" : shortened(title, line_columns()) + '\n';
}

std::string text_of(const std::vector<Result<planner::PlannedQuery>>& plans, const std::vector<std::string>& texts) {
  constexpr std::size_t kQueryColumns = 40;
  console::Table table{{"users", "typical", "times limit", "query", "remarks"}, {}};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::string query = shortened(texts[i], kQueryColumns);
    if (!plans[i]) {
      const Error& error = plans[i].error();
      table.rows.push_back({"-", "-", "-", query, std::string(error_name(error.code)) + ": " + error.message});
      continue;
    }
    const planner::PlannedQuery& planned = *plans[i];
    std::string remarks(compiler::guarantee_name(planned.guarantee));
    if (planned.users_paper) remarks += "; by the paper's bound " + counted(*planned.users_paper, "user");
    for (const std::string& remark : remarks_on(planned)) remarks += "; " + remark;
    table.rows.push_back({with_separators(planned.users_exact), with_separators(planned.users_average),
                          times_text(planned.limit_ratio), query, remarks});
  }
  std::string text = to_text(table);
  const bool some_average = std::any_of(plans.begin(), plans.end(), [](const Result<planner::PlannedQuery>& planned) {
    return planned && planned->guarantee == compiler::Guarantee::kAverageCase;
  });
  if (some_average) text += '\n' + paragraph("average-case: " + std::string(kAverageCase));
  return text;
}

// Prints the errors of the queries at several ε, each with a task that differs from `task` in its ε only.
Result<int> plan_errors(const PlanFlags& flags, const Task& task, const std::vector<Query>& queries,
                        const std::vector<std::string>& texts) {
  ErrorReport report;
  for (const std::string& text : texts) report.lines.push_back({text, {}});
  std::size_t place = 0;
  for (const Epsilon& epsilon : several_epsilons(task.epsilon())) {
    if (epsilon == task.epsilon()) place = report.epsilons.size();
    TaskSpec spec = task.spec();
    spec.epsilon = epsilon;
    add_errors(report, Task::create(std::move(spec)), queries, flags.accuracy);
    report.epsilons.push_back(epsilon.to_string());
  }
  if (flags.format == console::OutputFormat::kText) {
    std::cout << title_of(task)
              << paragraph("task " + task.id().to_string() + ", epsilon " + task.epsilon().to_string() +
                           "; for other epsilons, the errors are those of another task with the same questions")
              << heading_of(flags.accuracy, task.spec()) << to_text(report, place) << '\n'
              << next_steps({{"find the best questions for these queries, and what costs most: run hearsay design with "
                              "the schema, the queries and --users " +
                                  std::to_string(flags.accuracy.people()),
                              ""}});
  } else {
    console::print(to_table(report),
                   {{"task", task.id().to_string()},
                    {"epsilon", task.epsilon().to_string()},
                    {"users", flags.accuracy.people()},
                    {"beta", flags.accuracy.target.beta},
                    {"queries", to_json(report)}},
                   flags.format);
  }
  const auto answered = [place](const ErrorReport::Line& line) { return static_cast<bool>(line.errors[place]); };
  return std::all_of(report.lines.begin(), report.lines.end(), answered) ? 0 : 1;
}

std::string heading_of(const Task& task, const planner::Target& target) {
  return title_of(task) +
         paragraph("task " + task.id().to_string() + ", epsilon " + task.epsilon().to_string() + ": users for ±" +
                   console::short_number(target.alpha) + " at confidence " + console::short_number(1 - target.beta)) +
         paragraph(
             "users: enough whatever the people are like; typical: enough if the people are evenly mixed; times limit: "
             "users divided by the users that randomized response to the query alone needs. Both numbers are for "
             "people drawn at random from a large population") +
         '\n';
}

std::string next_of(const PlanFlags& flags, bool planned_all) {
  if (!planned_all) {
    return next_steps(
        {{"plan a task that answers all of these queries: run hearsay design with the schema and the queries; or leave "
          "out the queries that this task cannot answer",
          ""}});
  }
  std::vector<std::string> create{"hearsay", "task", "create", flags.task_file};
  if (!flags.query_file.empty() && flags.query_file != "-") {
    create.insert(create.end(), {"--queries", flags.query_file});
  }
  create.insert(create.end(), {"--server", "https://AGGREGATOR:8443", "--token-file", "ADMIN_TOKEN"});
  return next_steps(
      {{"see the errors that N users leave: run this command with --users N in place of --alpha", ""},
       {"create the task on your aggregator; the command prints the id that clients need", command_line(create)}});
}

Result<int> plan_queries(const PlanFlags& flags) {
  HEARSAY_CHECK_OK(flags.accuracy.check());
  HEARSAY_TRY(const Task task, read_task(flags.task_file));
  HEARSAY_TRY(const auto texts, console::collect_queries(flags.queries, flags.query_file));
  HEARSAY_TRY(const std::vector<Query> queries, console::parse_queries(task.schema(), texts));
  if (flags.accuracy.of_users()) return plan_errors(flags, task, queries, texts);
  const planner::Target& target = flags.accuracy.target;
  const auto plans = planner::plan(task, queries, target);

  console::Table table{{"query", "guarantee", "margin", "report_bytes", "limit_ratio", "influence", "users_exact",
                        "users_average", "users_paper", "remarks"},
                       {}};
  Json listed = Json::array();
  bool planned_all = true;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i]) {
      table.rows.push_back(planned_row(texts[i], *plans[i]));
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
    std::cout << heading_of(task, target) << text_of(plans, texts) << '\n' << next_of(flags, planned_all);
  } else {
    console::print(table,
                   {{"task", task.id().to_string()}, {"alpha", target.alpha}, {"beta", target.beta}, {"plans", listed}},
                   flags.format);
  }
  return planned_all ? 0 : 1;
}

}  // namespace

void add_plan_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<PlanFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "Show for each query whether a task can answer it, and how many users that takes");
  command->add_option("file", flags->task_file, "Task document")->required();
  command->add_option("queries", flags->queries, "Queries, e.g. \"smoker and age in 18..29\"");
  command->add_option("--queries", flags->query_file, "File with one query a line");
  flags->accuracy.add_to(*command);
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay plan task.json \"smoker and age in 18..29\" --alpha 0.01"}});
  command->callback([&chosen, flags] { chosen = [flags] { return plan_queries(*flags); }; });
}

}  // namespace hearsay::cli
