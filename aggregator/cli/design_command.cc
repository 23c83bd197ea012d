#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/tails/paper.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/task/times.h"

namespace hearsay::cli {
namespace {

struct DesignFlags {
  std::string schema_file;
  std::string epsilon;
  std::vector<std::string> queries;
  std::string query_file;
  std::uint32_t conjunctions = 0;
  std::uint32_t functions = 0;
  planner::Target target{0.01, 0.05};
  console::OutputFormat format = console::OutputFormat::kText;

  // The task to write.
  console::OutputFile task_file;
  std::size_t choice = 1;
  std::string title;
  std::uint64_t start = 0;
  std::uint64_t duration = 90 * 86'400;
  std::uint64_t precision = 86'400;
  std::uint64_t min_batch = 100;
};

Result<planner::Workload> workload_of(const DesignFlags& flags, const Schema& schema) {
  for (const auto& [flag, attributes] :
       {std::pair{"--conjunctions", flags.conjunctions}, {"--functions", flags.functions}}) {
    if (attributes <= schema.size()) continue;
    return Error{ErrorCode::kInvalidArgument, std::string(flag) +
                                                  " must be from 1 to the number of the schema's attributes, " +
                                                  std::to_string(schema.size())};
  }
  if (flags.conjunctions > 0) return planner::Workload(planner::Conjunctions{flags.conjunctions});
  if (flags.functions > 0) return planner::Workload(planner::Functions{flags.functions});
  if (flags.queries.empty() && flags.query_file.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "no query given: name queries, a file of them by --queries, or a class by --conjunctions or "
                 "--functions"};
  }
  HEARSAY_TRY(const auto texts, console::collect_queries(flags.queries, flags.query_file));
  HEARSAY_TRY(std::vector<Query> queries, console::parse_queries(schema, texts));
  return planner::Workload(std::move(queries));
}

Result<TaskSpec> base_of(const DesignFlags& flags) {
  HEARSAY_TRY(const std::string text, console::read_file(flags.schema_file));
  HEARSAY_TRY(Schema schema, console::named(flags.schema_file, Schema::parse(text)));
  HEARSAY_TRY(const Epsilon epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  if (looks_like_milliseconds(flags.start)) {
    return Error{ErrorCode::kInvalidArgument, "--start is " + std::to_string(flags.start) +
                                                  ", which looks like milliseconds: times are in seconds since 1970"};
  }
  for (const auto& [flag, seconds] : {std::pair{"--start", flags.start}, {"--duration", flags.duration}}) {
    if (seconds % flags.precision == 0) continue;
    return Error{ErrorCode::kInvalidArgument, std::string(flag) + " must be a multiple of --precision, " +
                                                  std::to_string(flags.precision) + " seconds"};
  }
  const auto now = static_cast<std::uint64_t>(std::time(nullptr));
  return TaskSpec{.title = flags.title,
                  .schema = std::move(schema),
                  .arrangement = LiteralsSpec{},
                  .channel = LaplaceSpec{},
                  .epsilon = epsilon,
                  .task_start = flags.start != 0 ? flags.start : now - now % flags.precision,
                  .task_duration = flags.duration,
                  .time_precision = flags.precision,
                  .min_batch_size = flags.min_batch};
}

std::vector<std::string> remarks_on(const planner::WorkloadPlan& plan) {
  return planner::remarks_on_users(plan.at_most, plan.near_normal);
}

// The groups, and what must be known about the users.
std::string remarks_of(const planner::Candidate& candidate) {
  const auto* sampled = std::get_if<SampledSpec>(&candidate.task->spec().channel);
  std::string text = sampled != nullptr ? planner::describe(*sampled) : "";
  for (const std::string& remark : remarks_on(*candidate.plan)) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

Json candidate_json(const planner::Candidate& candidate) {
  Json json{{"mechanism", candidate.name}};
  if (!candidate.plan) {
    json["error"] = error_json(candidate.plan.error());
    return json;
  }
  const planner::WorkloadPlan& plan = *candidate.plan;
  json["guarantee"] = compiler::guarantee_name(plan.guarantee);
  json["users_worst"] = plan.users_worst;
  json["users_average"] = plan.users_average;
  json["limit_ratio"] = plan.limit_ratio;
  json["influence"] = plan.influence;
  json["report_bytes"] = plan.report_bytes;
  json["worst_query"] = plan.worst_query;
  json["at_most"] = plan.at_most;
  json["near_normal"] = plan.near_normal;
  json["remarks"] = remarks_on(plan);
  const auto document = parse_json(candidate.task->canonical_json());
  if (document) {
    json["arrangement"] = document->at("arrangement");
    json["channel"] = document->at("channel");
  }
  return json;
}

console::Table table_of(const std::vector<planner::Candidate>& list, console::OutputFormat format) {
  console::Table table{{"rank", "mechanism", "guarantee", "users_worst", "users_average", "limit_ratio", "influence",
                        "bytes", "remarks"},
                       {}};
  for (const planner::Candidate& candidate : list) {
    const std::string rank = std::to_string(table.rows.size() + 1);
    if (!candidate.plan) {
      const Error& error = candidate.plan.error();
      table.rows.push_back(
          {rank, candidate.name, "", "", "", "", "", "", std::string(error_name(error.code)) + ": " + error.message});
      continue;
    }
    const planner::WorkloadPlan& plan = *candidate.plan;
    table.rows.push_back({rank, candidate.name, std::string(compiler::guarantee_name(plan.guarantee)),
                          std::to_string(plan.users_worst), std::to_string(plan.users_average),
                          console::number(plan.limit_ratio, format), console::number(plan.influence, format),
                          std::to_string(plan.report_bytes), remarks_of(candidate)});
  }
  return table;
}

// If every mechanism fails for one reason, the reason lies in what was asked, and a table of repetitions helps nobody.
Result<void> some_answer(const std::vector<planner::Candidate>& list) {
  const auto fails_alike = [&list](const planner::Candidate& candidate) {
    return !candidate.plan && candidate.plan.error().code == list.front().plan.error().code &&
           candidate.plan.error().message == list.front().plan.error().message;
  };
  if (list.front().plan || !std::all_of(list.begin(), list.end(), fails_alike)) return {};
  return list.front().plan.error();
}

Result<void> write_task(const DesignFlags& flags, const std::vector<planner::Candidate>& list) {
  if (flags.choice < 1 || flags.choice > list.size()) {
    return Error{ErrorCode::kInvalidArgument, "--choice must be a rank of the table"};
  }
  const planner::Candidate& chosen = list[flags.choice - 1];
  if (!chosen.plan) return chosen.plan.error();
  return flags.task_file.write(chosen.task->canonical_json() + '\n');
}

void print_heading(const DesignFlags& flags, const planner::Workload& workload, const TaskSpec& base) {
  std::cout << planner::describe(workload) << ", epsilon " << base.epsilon.to_string() << ": users for ±"
            << flags.target.alpha << " at confidence " << 1 - flags.target.beta
            << "\nlimit_ratio: variance of one user's estimate over that of asking the worst query alone by randomized "
               "response ("
            << console::short_number(tails::one_query_limit(base.epsilon.approximate()))
            << "), both for users drawn anew from the worst population"
               "\nusers_worst: against the fraction among the users themselves, which varies less"
               "\ninfluence: number of users times what one lying report can move an answer\n\n";
}

Result<int> design(const DesignFlags& flags) {
  HEARSAY_CHECK_OK(flags.task_file.check());
  HEARSAY_TRY(const TaskSpec base, base_of(flags));
  HEARSAY_TRY(const planner::Workload workload, workload_of(flags, base.schema));
  HEARSAY_TRY(const std::vector<planner::Candidate> list, planner::candidates(base, workload, flags.target));
  HEARSAY_CHECK_OK(some_answer(list));
  if (flags.format == console::OutputFormat::kText) print_heading(flags, workload, base);
  Json listed = Json::array();
  for (const planner::Candidate& candidate : list) listed.push_back(candidate_json(candidate));
  print(table_of(list, flags.format),
        {{"workload", planner::describe(workload)},
         {"epsilon", base.epsilon.to_string()},
         {"alpha", flags.target.alpha},
         {"beta", flags.target.beta},
         {"one_query_limit", tails::one_query_limit(base.epsilon.approximate())},
         {"candidates", std::move(listed)}},
        flags.format);
  if (!flags.task_file.path.empty()) HEARSAY_CHECK_OK(write_task(flags, list));
  return list.front().plan ? 0 : 1;
}

// What the table does not depend on.
void add_task_options(CLI::App& command, DesignFlags& flags) {
  const auto number = [&command](const char* name, auto& value, std::uint64_t least, const char* what) {
    CLI::Option* option = command.add_option(name, value, what)->needs("--write");
    console::require_whole(*option, least);
    return option;
  };
  number("--choice", flags.choice, 1, "Rank of the mechanism to write")->capture_default_str();
  command.add_option("--title", flags.title, "Title of the task, for people")->needs("--write");
  number("--start", flags.start, 0, "Start, seconds since 1970; default: this window");
  number("--duration", flags.duration, 1, "Seconds")->capture_default_str();
  number("--precision", flags.precision, 1, "Reports' times are truncated to this, seconds")->capture_default_str();
  number("--min-batch", flags.min_batch, 1, "Fewest reports to estimate from")->capture_default_str();
}

}  // namespace

void add_design_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<DesignFlags>();
  CLI::App* command = app.add_subcommand(
      "design", "For a workload: the mechanisms ranked by the users they take, and the task document of one");
  command->add_option("schema", flags->schema_file, "File with the schema, a JSON array of attributes")->required();
  command->add_option("--epsilon", flags->epsilon, "Privacy of one report, e.g. 1")->required();
  auto* queries = command->add_option("queries", flags->queries, "Queries, e.g. \"smoker and age in 18..29\"");
  auto* file = command->add_option("--queries", flags->query_file, "File with one query a line");
  auto* conjunctions = command->add_option("--conjunctions", flags->conjunctions,
                                           "All conjunctions of at most so many literals of different attributes");
  auto* functions = command->add_option("--functions", flags->functions, "Any function of at most so many attributes");
  for (CLI::Option* option : {conjunctions, functions}) console::require_whole(*option, 1, Schema::kMaxAttributes);
  functions->excludes(conjunctions)->excludes(queries)->excludes(file);
  conjunctions->excludes(queries)->excludes(file);
  add_target_options(*command, flags->target);
  flags->task_file.add_to(*command, "Write the task document to this file");
  add_task_options(*command, *flags);
  console::add_output_flag(*command, flags->format);
  command->callback([&chosen, flags] { chosen = [flags] { return design(*flags); }; });
}

}  // namespace hearsay::cli
