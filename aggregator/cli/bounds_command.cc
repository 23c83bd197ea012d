#include <CLI/CLI.hpp>
#include <cmath>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>

#include "aggregator/bounds/class_bounds.h"
#include "aggregator/bounds/named_class.h"
#include "aggregator/cli/bounds_report.h"
#include "aggregator/cli/bounds_task.h"
#include "aggregator/cli/commands.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/planner/candidates.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "hearsay/epsilon.h"

namespace hearsay::cli {
namespace {

struct BoundsFlags {
  bounds::ClassSpec spec;
  std::uint32_t size = 0;  // 0: not given
  std::string matrix_file;
  std::string epsilon = "1";
  double beta = 0.05;
  int dimensions = 0;  // 0: no projection
  console::OutputFile task_file;
  console::OutputFormat format = console::OutputFormat::kText;
};

// Returns the users with which the planner's first mechanism has errors of at most 1/2 with probability 1 - beta. If
// there is no such mechanism, returns the reason.
PlannersBest planners_best(const bounds::NamedClass& named, const Epsilon& epsilon, double beta) {
  constexpr std::size_t kMostQueries = 128;  // planning for more queries takes minutes
  if (named.queries.size() > kMostQueries) {
    return {
        {},
        "",
        "the class has more than " + std::to_string(kMostQueries) + " queries, too many to plan a mechanism for here"};
  }
  const TaskSpec base{.title = "",
                      .schema = named.schema,
                      .arrangement = LiteralsSpec{},
                      .channel = LaplaceSpec{},
                      .epsilon = epsilon,
                      .task_start = 0,
                      .task_duration = 86'400,
                      .time_precision = 86'400,
                      .min_batch_size = 1};
  const auto list = planner::candidates(base, named.queries, {0.5, beta}, planner::Wanted::kBest);
  if (!list) return {{}, "", list.error().message};
  const planner::Candidate& best = list->front();
  if (!best.plan) return {{}, "", best.plan.error().message};
  return {best.plan->users_worst, best.name, ""};
}

// Takes the arrangement with the largest margin γ̃_min. Projects the arrangement if --dimensions is given, and writes a
// task with the arrangement if --write is given.
Result<void> use_arrangement(const BoundsFlags& flags, const bounds::SignMatrix& matrix,
                             const std::optional<bounds::NamedClass>& named, const Epsilon& epsilon,
                             BoundsReport& report) {
  if (flags.dimensions == 0 && flags.task_file.path.empty()) return {};
  if (!report.bounds->margins) {
    return Error{ErrorCode::kLimitExceeded,
                 "--dimensions and --write need an arrangement, and the class is too large to find an arrangement: "
                 "name a smaller class"};
  }
  const bounds::MarginBracket& bracket = report.bounds->margins->class_average;
  bounds::VectorArrangement arrangement = bracket.arrangement;
  if (flags.dimensions != 0) {
    constexpr std::uint64_t kSeed = 1;  // fixed, so that the command prints the same figures each time
    arrangement = bounds::random_projection(arrangement, flags.dimensions, kSeed);
    report.projection =
        Projection{flags.dimensions, bracket.low, *bounds::margins_of(matrix, arrangement).least_class_average,
                   bounds::dimensions_for_projection(matrix.rows(), matrix.columns(), bracket.low, flags.beta)};
  }
  if (flags.task_file.path.empty()) return {};
  HEARSAY_TRY(const ArrangementTask made, arrangement_task(matrix, arrangement, named, epsilon));
  HEARSAY_CHECK_OK(flags.task_file.write(made.task.canonical_json() + '\n'));
  report.written = WrittenTask{flags.task_file.path,
                               made.task.id().to_string(),
                               std::get<ExplicitSpec>(made.task.spec().arrangement).dimension,
                               made.sensitivity,
                               made.before,
                               made.after};
  return {};
}

void warn_of_time(double seconds) {
  constexpr double kMinute = 60;
  if (seconds <= kMinute) return;
  std::cerr << "hearsay bounds: this may take up to about "
            << counted(static_cast<std::uint64_t>(std::ceil(seconds / kMinute)), "minute") << "\n";
}

Result<int> print_bounds(const BoundsFlags& flags) {
  if (flags.spec.name.empty() == flags.matrix_file.empty()) {
    return Error{ErrorCode::kInvalidArgument, "name a class of queries, or give --matrix FILE, but not both"};
  }
  HEARSAY_CHECK_OK(flags.task_file.check());
  HEARSAY_TRY(const Epsilon epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  BoundsReport report{flags.spec, flags.matrix_file, epsilon.to_string(), epsilon.approximate(), flags.beta, {}, {}, {},
                      {}};
  if (flags.size != 0) report.spec.size = flags.size;
  std::optional<bounds::NamedClass> named;
  std::optional<bounds::SignMatrix> matrix;
  if (flags.matrix_file.empty()) {
    HEARSAY_TRY(named, bounds::make_class(report.spec));
    matrix = named->matrix;
  } else {
    HEARSAY_TRY(const std::string text, console::read_text(flags.matrix_file));
    HEARSAY_TRY(matrix, console::named(flags.matrix_file, bounds::SignMatrix::parse(text)));
  }
  report.records = matrix->rows();
  report.queries = matrix->columns();
  warn_of_time(bounds::seconds_for_bounds(*matrix));
  HEARSAY_TRY(report.bounds, bounds::bounds_of(*matrix, report.epsilon, flags.beta));
  HEARSAY_CHECK_OK(use_arrangement(flags, *matrix, named, epsilon, report));
  if (named) report.best = planners_best(*named, epsilon, flags.beta);
  if (flags.format == console::OutputFormat::kText) {
    std::cout << text_of(report);
  } else {
    console::print(table_of(report), json_of(report), flags.format);
  }
  return 0;
}

}  // namespace

void add_bounds_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<BoundsFlags>();
  CLI::App* command = app.add_subcommand(
      "bounds",
      "Show how many users a class of queries needs under any locally private scheme, and how many are enough");
  std::string names;
  for (const std::string& name : bounds::class_names()) names += (names.empty() ? "" : ", ") + name;
  command->add_option("class", flags->spec.name, "One of " + names);
  command->add_option("--matrix", flags->matrix_file, "File with a sign matrix, instead of a class");
  console::require_whole(*command->add_option("--attributes", flags->spec.attributes, "Number of attributes"), 1, 64);
  console::require_whole(
      *command->add_option("--size", flags->size,
                           "Largest number of literals in a query, or of label changes in a decision list"),
      1, 64);
  console::require_whole(*command->add_option("--values", flags->spec.values,
                                              "Number of values of each attribute, for boxes and thresholds"),
                         2, bounds::SignMatrix::kMaxSide);
  command->add_option("--epsilon", flags->epsilon, "Privacy parameter of one report; smaller is more private")
      ->capture_default_str();
  command->add_option("--beta", flags->beta, "Accepted probability of an error of 1/2 or more")->capture_default_str();
  console::require_whole(
      *command->add_option("--dimensions", flags->dimensions,
                           "Project the arrangement that was found to this many dimensions (Theorem 8)"),
      2, 4096);
  flags->task_file.add_to(*command,
                          "Write a task with the arrangement that was found, rounded to integers. With --dimensions "
                          "the task holds the projected arrangement");
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay bounds parities --attributes 8 --epsilon 1"}});
  command->callback([&chosen, flags] { chosen = [flags] { return print_bounds(*flags); }; });
}

}  // namespace hearsay::cli
