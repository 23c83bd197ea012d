#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <random>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/layout.h"
#include "aggregator/cli/next_steps.h"
#include "aggregator/cli/rehearsal.h"
#include "aggregator/cli/rehearsal_report.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/console/progress.h"
#include "aggregator/csv/read_records.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct RehearseFlags {
  ServerFlags server;
  bool there = false;  // true: the rehearsal runs on a running aggregator
  std::string task_file;
  std::string csv_file;
  std::string companion_file;
  bool ignore_unknown_columns = false;
  std::vector<std::string> queries;
  std::string query_file;
  std::vector<std::string> measures;
  std::string measure_file;
  std::uint64_t users = 0;  // 0: one person for each row
  std::uint64_t runs = 1;
  std::uint64_t windows = 1;
  std::uint64_t seed = 1973;
  double confidence = 0.95;
  console::OutputFormat format = console::OutputFormat::kText;
};

Result<std::vector<Record>> read_people(const RehearseFlags& flags, const Schema& schema) {
  if (!flags.companion_file.empty()) {
    HEARSAY_TRY(const Companion companion, console::read_companion(schema, flags.companion_file));
    HEARSAY_TRY(const std::string bytes, console::read_file(flags.csv_file));
    return csv::read_records(companion, bytes, flags.csv_file);
  }
  HEARSAY_TRY(const std::string text, console::read_text(flags.csv_file));
  return csv::read_records(schema, text,
                           {.name = flags.csv_file, .ignore_unknown_columns = flags.ignore_unknown_columns});
}

// Returns the measures to ask for. Each query counts as a measure.
Result<std::vector<measures::NamedMeasure>> measures_of(const RehearseFlags& flags) {
  std::vector<measures::NamedMeasure> result;
  const bool has_measures = !flags.measures.empty() || !flags.measure_file.empty();
  if (!flags.queries.empty() || !flags.query_file.empty() || !has_measures) {
    HEARSAY_TRY(const auto queries, console::collect_queries(flags.queries, flags.query_file));
    for (const std::string& query : queries) result.push_back({"", query});
  }
  for (const std::string& text : flags.measures) result.push_back({"", text});
  if (flags.measure_file.empty()) return result;
  HEARSAY_TRY(const std::string text, console::read_text(flags.measure_file));
  HEARSAY_TRY(const auto named, console::named(flags.measure_file, measures::read_file(text)));
  result.insert(result.end(), named.begin(), named.end());
  return result;
}

// Returns the people of a run: all rows in order, or rows drawn with replacement. Puts the people into the windows in
// turn.
Windows people_of(const RehearseFlags& flags, const std::vector<Record>& rows, std::mt19937_64& random) {
  Windows windows(flags.windows);
  std::uniform_int_distribution<std::size_t> draw(0, rows.size() - 1);
  const std::size_t count = flags.users == 0 ? rows.size() : flags.users;
  for (std::size_t i = 0; i < count; ++i) {
    windows[i % windows.size()].push_back(rows[flags.users == 0 ? i : draw(random)]);
  }
  return windows;
}

Result<RehearsalSummary> run_all(const RehearseFlags& flags, const Task& task, const std::vector<Record>& rows) {
  RehearsalPlan plan{task.spec(), {}, flags.confidence};
  HEARSAY_TRY(plan.measures, measures_of(flags));
  Server server;
  if (flags.there) {
    HEARSAY_TRY(server, flags.server.resolve());
  }
  std::mt19937_64 random(flags.seed);
  RehearsalSummary summary;
  console::Progress progress("run 1 of " + std::to_string(flags.runs));
  for (std::uint64_t run = 1; run <= flags.runs; ++run) {
    progress.set("run " + std::to_string(run) + " of " + std::to_string(flags.runs));
    const Windows people = people_of(flags, rows, random);
    const auto answers = flags.there ? rehearse_there(server, plan, people) : rehearse_here(plan, people);
    if (!answers) return answers.error();
    summary.add(*answers);
  }
  return summary;
}

void print(const RehearseFlags& flags, const Task& task, std::uint64_t people, const RehearsalSummary& summary) {
  if (flags.format != console::OutputFormat::kText) {
    const Json json{{"epsilon", task.epsilon().to_string()},
                    {"people", people},
                    {"runs", flags.runs},
                    {"windows", flags.windows},
                    {"confidence", flags.confidence},
                    {"measures", to_json(summary)}};
    return console::print(to_table(summary), json, flags.format);
  }
  std::cout << paragraph(counted(flags.runs, "run") + (flags.runs == 1 ? " with " : ", each with ") +
                         with_separators(people) + " reports in " + counted(flags.windows, "window") + ", epsilon " +
                         task.epsilon().to_string() + ", confidence " + console::short_number(flags.confidence))
            << '\n'
            << to_text(summary, flags.confidence);
  if (!summary.all_answered()) return;
  std::cout << '\n'
            << next_steps({{"create the task on your aggregator; the command prints the id that clients need",
                            command_line({"hearsay", "task", "create", flags.task_file})},
                           {"when people have reported, ask the same questions",
                            command_line({"hearsay", "estimate", "TASK", "QUERY"})}});
}

Result<int> rehearse(const RehearseFlags& flags) {
  HEARSAY_TRY(const Task task, read_task(flags.task_file));
  HEARSAY_TRY(const std::vector<Record> rows, read_people(flags, task.schema()));
  if (!(flags.confidence > 0 && flags.confidence < 1)) {
    return Error{ErrorCode::kInvalidArgument, "--confidence must lie strictly between 0 and 1"};
  }
  const std::uint64_t people = flags.users == 0 ? rows.size() : flags.users;
  if (people < flags.windows) {
    return Error{ErrorCode::kInvalidArgument,
                 "--windows: there are more windows than people; give fewer windows, or more people with --users"};
  }
  const std::uint64_t least = task.spec().min_batch_size;
  if (people < least) {
    return Error{ErrorCode::kBatchTooSmall, counted(people, "report") + "; the task needs at least " +
                                                with_separators(least) + ". --users " + std::to_string(10 * least) +
                                                " draws more people from the rows; `hearsay design --min-batch` "
                                                "makes a task with another limit"};
  }
  HEARSAY_TRY(const RehearsalSummary summary, run_all(flags, task, rows));
  print(flags, task, people, summary);
  return summary.all_answered() ? 0 : 1;
}

void add_questions(CLI::App& command, RehearseFlags& flags) {
  command.add_option("queries", flags.queries, "Queries, e.g. \"smoker and age in 18..29\"");
  command.add_option("--queries", flags.query_file, "File with one query a line");
  command.add_option("--measure", flags.measures, "A measure, e.g. \"mean(age) by region\"; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--measures", flags.measure_file,
                     "File with one measure a line; a name may stand in front, as NAME: MEASURE");
  command.add_option("--confidence", flags.confidence, "Confidence of both intervals, between 0 and 1")
      ->capture_default_str();
}

}  // namespace

void add_rehearse_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<RehearseFlags>();
  CLI::App* command = app.add_subcommand(
      "rehearse", "Try a task on a CSV file: each row reports, and the answers are compared with the truth");
  command->add_option("task", flags->task_file, "Task document, as `hearsay design --write` makes it")->required();
  command->add_option("people", flags->csv_file, "CSV file, one row a person")->required();
  add_questions(*command, *flags);
  auto* companion = command->add_option("--companion", flags->companion_file,
                                        "Companion document of the CSV file, as `hearsay schema` makes it");
  command
      ->add_flag("--ignore-unknown-columns", flags->ignore_unknown_columns,
                 "Ignore columns of the CSV file that the task's schema lacks")
      ->excludes(companion);
  console::require_whole(
      *command->add_option(
          "--users", flags->users,
          "Number of people to draw from the rows in each run, with replacement; default: each row once"),
      1, 100'000'000);
  console::require_whole(*command->add_option("--runs", flags->runs, "Repetitions")->capture_default_str(), 1, 100'000);
  console::require_whole(
      *command->add_option("--windows", flags->windows, "Number of windows to spread the people over")
           ->capture_default_str(),
      1, 1000);
  command->add_option("--seed", flags->seed, "Seed for drawing people; the noise of the reports does not depend on it")
      ->capture_default_str();
  CLI::Option* there = command->add_flag(
      "--on-aggregator", flags->there, "Rehearse on a running aggregator, in new tasks, with an administrator's token");
  flags->server.add_to(*command);
  for (const char* option : {"--server", "--ca", "--certificate", "--private-key", "--token-file"}) {
    command->get_option(option)->needs(there);
  }
  console::add_output_flag(*command, flags->format);
  console::set_examples(
      *command,
      {{"how good would the answers be?", "hearsay rehearse task.json people.csv smoker --runs 100"},
       {"with more people than rows", "hearsay rehearse task.json people.csv --measure \"mean(age)\" --users 50000"},
       {"on the aggregator itself", "hearsay rehearse task.json people.csv smoker --on-aggregator"}});
  command->callback([&chosen, flags] { chosen = [flags] { return rehearse(*flags); }; });
}

}  // namespace hearsay::cli
