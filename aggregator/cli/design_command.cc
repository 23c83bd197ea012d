#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>

#include "aggregator/cli/accuracy_flags.h"
#include "aggregator/cli/commands.h"
#include "aggregator/cli/design_errors.h"
#include "aggregator/cli/design_report.h"
#include "aggregator/cli/design_warnings.h"
#include "aggregator/cli/layout.h"
#include "aggregator/cli/next_steps.h"
#include "aggregator/cli/schema_source.h"
#include "aggregator/cli/workload_flags.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/planner/starved.h"
#include "aggregator/planner/strategy_design.h"
#include "aggregator/planner/what_if.h"
#include "aggregator/tails/paper.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/task/times.h"

namespace hearsay::cli {
namespace {

struct DesignFlags {
  std::string schema_file;
  std::string epsilon;
  WorkloadFlags workload;
  AccuracyFlags accuracy;
  console::OutputFormat format = console::OutputFormat::kText;
  bool changes = false;
  bool strategy = false;

  // The task to write, and its file.
  console::OutputFile task_file;
  std::size_t choice = 1;
  std::string title;
  std::uint64_t start = 0;
  std::uint64_t duration = 90 * 86'400;
  std::uint64_t precision = 86'400;
  std::uint64_t min_batch = 100;
};

Result<TaskSpec> base_of(const DesignFlags& flags) {
  HEARSAY_TRY(Schema schema, read_schema(flags.schema_file));
  HEARSAY_TRY(const Epsilon epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  if (looks_like_milliseconds(flags.start)) {
    return Error{ErrorCode::kInvalidArgument, "--start is " + std::to_string(flags.start) +
                                                  ", which looks like milliseconds: give seconds since 1970"};
  }
  for (const auto& [flag, seconds] : {std::pair{"--start", flags.start}, {"--duration", flags.duration}}) {
    if (seconds % flags.precision == 0) continue;
    return Error{ErrorCode::kInvalidArgument, std::string(flag) + " must be a multiple of --precision, " +
                                                  std::to_string(flags.precision) + " seconds"};
  }
  const auto now = static_cast<std::uint64_t>(std::time(nullptr));
  if (flags.start != 0 && flags.duration <= now && flags.start <= now - flags.duration) {
    return Error{ErrorCode::kInvalidArgument, "--start " + std::to_string(flags.start) + " and --duration " +
                                                  std::to_string(flags.duration) +
                                                  " make a task that has already ended (now is " + std::to_string(now) +
                                                  "): give a later start or a longer duration"};
  }
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

// If every mechanism fails for the same reason, returns this reason as the error, in place of a table of failures. Also
// returns an error if the queries need no reports.
Result<void> some_answer(const std::vector<planner::Candidate>& list) {
  if (list.front().plan && list.front().plan->limit_ratio == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "no task is needed: every query has the same answer for all records of this schema. Compare the "
                 "values in the queries with those in the schema"};
  }
  const auto fails_alike = [&list](const planner::Candidate& candidate) {
    return !candidate.plan && candidate.plan.error().code == list.front().plan.error().code &&
           candidate.plan.error().message == list.front().plan.error().message;
  };
  if (list.front().plan || !std::all_of(list.begin(), list.end(), fails_alike)) return {};
  return list.front().plan.error();
}

Result<void> write_task(const DesignFlags& flags, const std::vector<planner::Candidate>& list) {
  if (flags.choice < 1 || flags.choice > list.size()) {
    return Error{ErrorCode::kInvalidArgument, "--choice " + std::to_string(flags.choice) +
                                                  " is no rank: the table has ranks from 1 to " +
                                                  std::to_string(list.size())};
  }
  const planner::Candidate& chosen = list[flags.choice - 1];
  if (!chosen.plan) return chosen.plan.error();
  HEARSAY_CHECK_OK(planner::check_not_starved(*chosen.task, *chosen.plan, *list.front().plan));
  return flags.task_file.write(chosen.task->canonical_json() + '\n');
}

std::vector<std::string> words_of(const DesignFlags& flags) {
  std::vector<std::string> words{"hearsay", "design", flags.schema_file, "--epsilon", flags.epsilon};
  const std::vector<std::string> more = flags.workload.words();
  words.insert(words.end(), more.begin(), more.end());
  if (flags.strategy) words.emplace_back("--strategy");
  return words;
}

std::string next_of(const DesignFlags& flags) {
  std::string file = flags.task_file.path;
  std::vector<Step> steps;
  if (file.empty()) {
    file = "task.json";
    std::vector<std::string> words = words_of(flags);
    words.insert(words.end(), {"--write", file});
    const std::string command = command_line(words);
    const std::string what = flags.accuracy.of_users()
                                 ? "rank the mechanisms for epsilon " + flags.epsilon + ", and write the task of rank 1"
                                 : "write the task of rank 1 (--choice 2 writes that of rank 2)";
    steps.push_back(
        {command.empty() ? "write the task: run this command again with --write task.json" : what, command});
  }
  steps.push_back({"see what the task says about any query", command_line({"hearsay", "plan", file, "QUERY"})});
  steps.push_back({"try the task on a CSV file: each row reports, and the answers are compared with the truth",
                   command_line({"hearsay", "rehearse", file, "PEOPLE.csv", "QUERY"})});
  std::vector<std::string> create{"hearsay", "task", "create", file};
  if (!flags.workload.query_file.empty() && flags.workload.query_file != "-") {
    create.insert(create.end(), {"--queries", flags.workload.query_file});
  }
  create.insert(create.end(), {"--server", "https://AGGREGATOR:8443", "--token-file", "ADMIN_TOKEN"});
  steps.push_back(
      {"create the task on your aggregator; the command prints the id that clients need", command_line(create)});
  return next_steps(steps);
}

Json summary_json(const DesignFlags& flags, const planner::Wish& wish) {
  return {{"workload", planner::describe(wish.workload)},
          {"epsilon", wish.base.epsilon.to_string()},
          {"beta", flags.accuracy.target.beta},
          {"warnings", warnings_of(wish.base, wish.workload)}};
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Each change of the workload needs a plan of its own, so the list of changes takes many times longer than the table.
// If the table took longer than this and --changes is not given, the command leaves the list out.
constexpr double kSecondsBeforeChanges = 5;

std::string without_changes() {
  return paragraph(
      "The list of changes that would save users is left out, because planning takes long. Add --changes to see the "
      "list, or plan for coarser values, fewer attributes or fewer queries.");
}

// Plans for changed workloads have no strategy. So their numbers of users cannot be compared with a strategy's.
bool is_strategy(const planner::Candidate& candidate) {
  return candidate.task && std::holds_alternative<StrategySpec>(candidate.task->spec().channel);
}

std::string no_changes_of_strategy() {
  return paragraph(
      "The list of changes that would save users is left out: rank 1 is a strategy, and changes are planned without "
      "strategies. Leave out --strategy to see what changes save for the other mechanisms.");
}

// While an object of this class exists, the first Ctrl-C asks the search to end, and the second one ends the program.
// Only one object may exist at a time.
class Interruption {
 public:
  Interruption() {
    asked_ = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { asked_ = 1; };
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, &before_);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption() { sigaction(SIGINT, &before_, nullptr); }

  static bool asked() { return asked_ != 0; }

 private:
  static volatile std::sig_atomic_t asked_;
  struct sigaction before_ = {};
};
volatile std::sig_atomic_t Interruption::asked_ = 0;

// Makes a strategy for the workload and adds it to the ranked list. Progress goes to standard error.
Result<void> add_strategy(const planner::Wish& wish, std::vector<planner::Candidate>& list) {
  constexpr double kLong = 60;
  HEARSAY_TRY(const std::size_t records, planner::strategy_records(wish.base.schema));
  HEARSAY_TRY(const double seconds, planner::strategy_seconds(wish.base.schema, wish.workload, list));
  if (seconds > kLong) {
    std::cerr << "making a strategy for " << records << " possible records takes up to about "
              << static_cast<std::uint64_t>(seconds / kLong) + 1
              << " minutes on an idle core; Ctrl-C ends the search with the best strategy so far\n";
  }
  const Interruption interruption;
  HEARSAY_TRY(planner::Candidate made,
              planner::strategy_candidate(
                  wish.base, wish.workload, wish.target, list,
                  [](const std::string& line) { std::cerr << "strategy: " << line << '\n'; }, Interruption::asked));
  if (!made.plan) return made.plan.error();
  const auto is_behind = [&](const planner::Candidate& other) {
    return !other.plan || other.plan->guarantee != made.plan->guarantee ||
           other.plan->users_worst > made.plan->users_worst;
  };
  const auto place = std::find_if(list.begin(), list.end(), is_behind);
  list.insert(place, std::move(made));
  return {};
}

Result<int> print_users(const DesignFlags& flags, const planner::Wish& wish) {
  const double start = processor_seconds();
  // Checks the schema first, because the ranking may take long.
  if (flags.strategy) HEARSAY_CHECK_OK(console::named("--strategy", planner::strategy_records(wish.base.schema)));
  HEARSAY_TRY(std::vector<planner::Candidate> list,
              planner::candidates(wish.base, wish.workload, wish.target, planner::Wanted::kAll, *wish.known));
  if (flags.strategy) HEARSAY_CHECK_OK(add_strategy(wish, list));
  const bool takes_long = processor_seconds() - start > kSecondsBeforeChanges;
  HEARSAY_CHECK_OK(some_answer(list));
  // Writes the task before printing, so that a failure prints an error only.
  if (!flags.task_file.path.empty()) HEARSAY_CHECK_OK(write_task(flags, list));
  if (flags.format == console::OutputFormat::kCsv) {
    std::cout << table_of(list).to_csv();
    return list.front().plan ? 0 : 1;
  }
  if (flags.format == console::OutputFormat::kText) {
    std::cout << text_of(list, wish, flags.choice) << std::flush;
  }
  std::optional<Changes> changes;
  const bool of_strategy = is_strategy(list.front());
  if (list.front().plan && !of_strategy && (flags.changes || !takes_long)) changes = changes_of(wish, list.front());
  if (flags.format == console::OutputFormat::kText) {
    if (list.front().plan) {
      const std::string none = of_strategy ? no_changes_of_strategy() : without_changes();
      std::cout << '\n' << (changes ? text_of(*changes) : none) << '\n' << next_of(flags);
    }
    return list.front().plan ? 0 : 1;
  }
  Json json = summary_json(flags, wish);
  json["alpha"] = wish.target.alpha;
  json["one_query_limit"] = tails::one_query_limit(wish.base.epsilon.approximate());
  json["candidates"] = json_of(list);
  if (changes) json["changes"] = json_of(*changes);
  console::print({}, json, flags.format);
  return list.front().plan ? 0 : 1;
}

Result<int> design(const DesignFlags& flags) {
  HEARSAY_CHECK_OK(flags.task_file.check());
  HEARSAY_CHECK_OK(flags.accuracy.check());
  HEARSAY_TRY(TaskSpec base, base_of(flags));
  HEARSAY_TRY(planner::Workload workload, flags.workload.resolve(base.schema));
  const planner::Wish wish{std::move(base), std::move(workload), flags.accuracy.target};
  for (const std::string& warning : warnings_of(wish.base, wish.workload)) {
    std::cerr << paragraph("warning: " + warning);
  }
  if (!flags.accuracy.of_users()) return print_users(flags, wish);
  if (!flags.task_file.path.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "--users compares several tasks and writes none: leave out --users or --write"};
  }
  return print_errors_of(wish, flags.accuracy, flags.format, next_of(flags));
}

void add_task_options(CLI::App& command, DesignFlags& flags) {
  const auto number = [&command](const char* name, auto& value, std::uint64_t least, const char* what) {
    CLI::Option* option = command.add_option(name, value, what)->needs("--write");
    console::require_whole(*option, least);
    return option;
  };
  number("--choice", flags.choice, 1, "Rank of the mechanism to write")->capture_default_str();
  command.add_option("--title", flags.title, "Title of the task, for people")->needs("--write");
  number("--start", flags.start, 0,
         "Start of the task, in seconds since 1970; default: the start of the present window");
  number("--duration", flags.duration, 1, "Length of the task, in seconds")->capture_default_str();
  number("--precision", flags.precision, 1,
         "Length of a window, in seconds; the time in a report is its window's start")
      ->capture_default_str();
  number("--min-batch", flags.min_batch, 1, "Smallest number of reports from which the aggregator answers")
      ->capture_default_str();
}

}  // namespace

void add_design_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<DesignFlags>();
  CLI::App* command = app.add_subcommand(
      "design", "Rank the mechanisms for your queries by the users they need, and write the task of one");
  command
      ->add_option("schema", flags->schema_file,
                   "Schema: a JSON file with an array of attributes, or a CSV file from which a schema is proposed")
      ->required();
  command->add_option("--epsilon", flags->epsilon, "Privacy parameter of one report, e.g. 1; smaller is more private")
      ->required();
  flags->workload.add_to(*command);
  flags->accuracy.add_to(*command);
  flags->task_file.add_to(*command, "Write the task document to this file");
  command->add_flag(
      "--changes", flags->changes,
      "Show how many users a change would save, even if planning takes long; cannot be combined with --users");
  CLI::Option* strategy =
      command->add_flag("--strategy", flags->strategy,
                        "Also make a strategy for these queries; may take minutes. The schema "
                        "must have at most 1,024 possible records. Cannot be combined with --users");
  for (const char* errors : {"--users", "--users-per-window"}) strategy->excludes(errors);
  add_task_options(*command, *flags);
  console::add_output_flag(*command, flags->format);
  console::set_examples(
      *command,
      {{"a task for one query, with the users it needs",
        "hearsay design schema.json --epsilon 1 \"smoker and age in 18..29\" --write task.json"},
       {"the errors that 4,000 people leave", "hearsay design schema.json --epsilon 1 --conjunctions 2 --users 4000"}});
  command->callback([&chosen, flags] { chosen = [flags] { return design(*flags); }; });
}

}  // namespace hearsay::cli
