// Lets a population report over TLS: once under a planned task and once under the paper's scheme, or once under your
// task. Prints the aggregator's answers beside the truth, and beside the answers that a trusted curator would publish
// at the same ε.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/mechanism_words.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "aggregator/console/program.h"
#include "aggregator/console/table.h"
#include "aggregator/planner/candidates.h"
#include "common/base/number_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"
#include "examples/population/population.h"
#include "examples/simulation/admissions.h"
#include "examples/simulation/flags.h"

namespace hearsay::examples {
namespace {

using console::short_number;
using console::Table;

const std::vector<std::string> kBerkeleyQueries{
    "admitted",
    "woman",
    "admitted and woman",
    "admitted and not woman",
    "woman and department in {A, B}",
    "woman and department in {E, F}",
    "admitted and department = A",
    "admitted and woman and department = A",
};

struct Flags {
  DriverFlags driver;
  std::string task;
  CsvFile csv;
  std::string schema;
  std::vector<std::string> queries;
  std::string query_file;
  std::size_t users = 200'000;
  // Returns true for the demonstration: Berkeley's admissions, with tasks that the program makes.
  bool built_in() const { return csv.path.empty() && task.empty(); }
};

struct Rehearsal {
  std::string name;
  TaskId id;
  Json estimates;
};

Result<Population> source_population(const Flags& flags, const std::optional<Task>& given) {
  if (flags.csv.path.empty()) {
    HEARSAY_TRY(Population berkeley, berkeley_admissions());
    if (given && !given->schema().has_same_records(berkeley.schema)) {
      return Error{
          ErrorCode::kInvalidArgument,
          "--task has another schema than the built-in admissions of 1973; give people with this schema by --csv"};
    }
    return berkeley;
  }
  if (given) return read_csv(given->schema(), flags.csv);
  if (flags.schema.empty()) return Error{ErrorCode::kInvalidArgument, "--csv needs --schema or --task"};
  HEARSAY_TRY(const std::string text, console::read_file(flags.schema));
  HEARSAY_TRY(const Schema schema, Schema::parse(text));
  return read_csv(schema, flags.csv);
}

Result<std::vector<std::string>> queries_of(const Flags& flags) {
  if (flags.built_in() && flags.queries.empty() && flags.query_file.empty()) return kBerkeleyQueries;
  return console::collect_queries(flags.queries, flags.query_file);
}

// Returns the planner's first choice for the queries, and prints it.
Result<Task> planned_task(const TaskSpec& base, const std::vector<Query>& queries) {
  HEARSAY_TRY(const auto ranked, planner::candidates(base, queries, {0.01, 0.05}));
  const planner::Candidate& best = ranked.front();
  if (!best.plan) return best.plan.error();
  std::cout << "the planner's choice: each person gives " << cli::what_is_asked(best)
            << "\n  an error of 0.01 on the hardest query (" << best.plan->worst_query << ") takes "
            << (best.plan->at_most ? "at most " : "") << with_separators(best.plan->users_worst)
            << " people; a task for this query alone takes " << console::short_number(best.plan->limit_ratio)
            << " times fewer\n";
  return best.task;
}

Result<Task> paper_task(TaskSpec base) {
  base.title += ", the paper's scheme";
  base.channel = LaplaceSpec{LaplaceCalibration::kPaper, {}};
  return Task::create(cli::for_rehearsal(std::move(base)));
}

Result<Rehearsal> collect(const std::string& name, const Task& task, const Population& population,
                          const SimulationOptions& simulation, const std::vector<std::string>& queries) {
  HEARSAY_TRY(const double seconds, rehearse(task, population.records, simulation));
  const auto users = static_cast<double>(population.records.size());
  std::cout << "task " << task.id().to_string() << ": " << population.records.size() << " reports accepted in "
            << console::short_number(seconds, 3) << " s, " << std::llround(users / seconds) << " per second\n";
  HEARSAY_TRY(const Json answers, ask(simulation.server, task.id(), {{"queries", queries}}));
  if (answers.at("reports").get<std::size_t>() != population.records.size()) {
    return Error{ErrorCode::kInternal, "the aggregator counted " + answers.at("reports").dump() + " reports"};
  }
  return Rehearsal{name, task.id(), answers.at("estimates")};
}

std::string with_error(const Json& estimate) {
  if (estimate.contains("error")) {
    return std::string(problem_name(estimate.at("error").at("type").get_ref<const std::string&>()));
  }
  return console::short_number(estimate.at("value").get<double>()) + " ± " +
         console::short_number(estimate.at("standard_error").get<double>(), 2);
}

// Returns the answers that a trusted curator would publish at ε for all queries together: each count with discrete
// Laplace noise, at an equal share of ε.
Result<std::vector<double>> central_answers(const Epsilon& epsilon, const Population& population,
                                            const std::vector<Query>& queries) {
  HEARSAY_TRY(const Rational scale, Rational::create(epsilon.den() * queries.size(), epsilon.num()));
  HEARSAY_TRY(const DiscreteLaplace noise, DiscreteLaplace::create(scale));
  const auto users = static_cast<double>(population.records.size());
  std::vector<double> answers;
  for (const Query& query : queries) {
    const double count = std::round(population.fraction(query) * users);
    answers.push_back((count + static_cast<double>(noise.sample(system_bit_source()))) / users);
  }
  return answers;
}

bool average_case(const Json& estimate) { return estimate.contains("fit"); }
bool refused(const Json& estimate) { return estimate.contains("error"); }

// Adds the answers to the table: values with standard errors, the normal intervals if `intervals`, and the p-value of
// the fit if an answer is average-case.
void add_columns(console::Table& table, const Rehearsal& rehearsal, bool intervals) {
  const bool fits = std::any_of(rehearsal.estimates.begin(), rehearsal.estimates.end(), &average_case);
  table.header.push_back(rehearsal.name);
  if (intervals) table.header.insert(table.header.end(), {"95% low", "95% high"});
  if (fits) table.header.emplace_back("fit p");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Json& estimate = rehearsal.estimates.at(i);
    std::vector<std::string>& row = table.rows[i];
    row.push_back(with_error(estimate));
    for (const std::size_t end : {0U, 1U}) {
      if (!intervals) continue;
      row.push_back(refused(estimate) ? "" : console::short_number(estimate.at("normal").at(end)));
    }
    if (!fits) continue;
    row.push_back(average_case(estimate) ? console::short_number(estimate.at("fit").at("query").at("p"), 2) : "");
  }
}

void print_remarks(const Json& estimates) {
  std::vector<std::pair<std::string, std::string>> remarks;
  const auto add = [&remarks](const std::string& remark, const std::string& query) {
    const auto known =
        std::find_if(remarks.begin(), remarks.end(), [&](const auto& one) { return one.first == remark; });
    if (known == remarks.end()) return void(remarks.emplace_back(remark, query));
    known->second += "; " + query;
  };
  for (const Json& estimate : estimates) {
    const std::string query = estimate.at("query").get<std::string>();
    if (estimate.contains("error")) add(estimate.at("error").at("detail").get<std::string>(), query);
    if (!estimate.contains("warnings")) continue;
    for (const Json& warning : estimate.at("warnings")) add(warning.get<std::string>(), query);
  }
  for (const auto& [remark, of] : remarks) std::cout << remark << "\n  (" << of << ")\n";
}

void print_legend(const std::vector<Rehearsal>& rehearsals) {
  std::cout << "±: the standard error. 95% low and high: the normal interval.\n";
  bool fits = false;
  for (const Rehearsal& rehearsal : rehearsals) {
    const auto& estimates = rehearsal.estimates;
    const auto average = std::count_if(estimates.begin(), estimates.end(), &average_case);
    const bool answered = !std::all_of(estimates.begin(), estimates.end(), &refused);
    fits = fits || average > 0;
    if (!answered) continue;
    std::cout << rehearsal.name << ": "
              << (average == 0 ? "unbiased for every population.\n"
                               : "the answers with a fit p are unbiased for random populations only.\n");
  }
  if (fits) {
    std::cout << "fit p: the probability that a random population fits this badly or worse. Small p: do not believe "
                 "the answer.\n";
  }
  std::cout << "central: a trusted curator who sees the records, all these queries together at the same ε.\n";
}

// Returns true if the first rehearsal answered every query.
bool print_answers(const Population& population, const std::vector<Query>& queries,
                   const std::vector<Rehearsal>& rehearsals, const std::vector<double>& central) {
  console::Table table{{"query", "true"}, {}};
  for (std::size_t i = 0; i < queries.size(); ++i) {
    table.rows.push_back({rehearsals.front().estimates.at(i).at("query").get<std::string>(),
                          console::short_number(population.fraction(queries[i]))});
  }
  for (const Rehearsal& rehearsal : rehearsals) add_columns(table, rehearsal, &rehearsal == &rehearsals.front());
  table.header.emplace_back("central");
  for (std::size_t i = 0; i < queries.size(); ++i) table.rows[i].push_back(console::short_number(central[i]));
  std::cout << '\n' << table.to_text() << '\n';
  const Json& first = rehearsals.front().estimates;
  print_remarks(first);
  print_legend(rehearsals);
  return std::none_of(first.begin(), first.end(), &refused);
}

// Returns the tasks under which people report, with the headers of their columns.
Result<std::vector<std::pair<std::string, Task>>> tasks_of(const Flags& flags, const std::optional<Task>& given,
                                                           const Epsilon& epsilon, const Population& population,
                                                           const std::vector<Query>& queries) {
  std::vector<std::pair<std::string, Task>> tasks;
  if (given) {
    HEARSAY_TRY(Task copy, Task::create(cli::for_rehearsal(given->spec())));
    tasks.emplace_back("task", std::move(copy));
    return tasks;
  }
  const TaskSpec base{.title = flags.built_in() ? "Berkeley admissions 1973"
                                                : std::filesystem::path(flags.csv.path).filename().string(),
                      .schema = population.schema,
                      .arrangement = LiteralsSpec{},
                      .channel = LaplaceSpec{},
                      .epsilon = epsilon,
                      .time_precision = 86'400};
  std::vector<Query> workload = queries;
  if (flags.built_in()) {
    HEARSAY_TRY(workload, console::parse_queries(population.schema, admission_queries(population)));
  }
  HEARSAY_TRY(Task planned, planned_task(cli::for_rehearsal(base), workload));
  HEARSAY_TRY(Task paper, paper_task(base));
  tasks.emplace_back("planned", std::move(planned));
  tasks.emplace_back("paper's scheme", std::move(paper));
  return tasks;
}

Result<int> run(const Flags& flags) {
  HEARSAY_TRY(const SimulationOptions simulation, flags.driver.resolve());
  std::optional<Task> given;
  if (!flags.task.empty()) {
    HEARSAY_TRY(given, cli::read_task(flags.task));
  }
  HEARSAY_TRY(const Population source, source_population(flags, given));
  HEARSAY_TRY(const std::vector<std::string> texts, queries_of(flags));
  HEARSAY_TRY(const std::vector<Query> queries, console::parse_queries(source.schema, texts));
  PopulationGenerator generator(flags.driver.seed);
  const Population population = resample(source, flags.users, generator);
  HEARSAY_TRY(const Epsilon epsilon, given ? given->epsilon() : flags.driver.privacy());
  std::cout << flags.users << " reporters, epsilon " << epsilon.to_string() << '\n';
  HEARSAY_TRY(const auto tasks, tasks_of(flags, given, epsilon, population, queries));

  std::vector<Rehearsal> rehearsals;
  for (const auto& [name, task] : tasks) {
    HEARSAY_TRY(Rehearsal rehearsal, collect(name, task, population, simulation, texts));
    rehearsals.push_back(std::move(rehearsal));
  }
  HEARSAY_TRY(const std::vector<double> central, central_answers(epsilon, population, queries));
  const bool answered = print_answers(population, queries, rehearsals, central);
  if (flags.built_in()) {
    const Json request{{"measures", admission_measures()}, {"simultaneous", true}};
    HEARSAY_TRY(const Json rates, ask(simulation.server, rehearsals.front().id, request));
    HEARSAY_TRY(const std::string text, describe_admission_rates(population, rates));
    std::cout << '\n' << text;
  }
  return answered ? 0 : 1;
}

}  // namespace
}  // namespace hearsay::examples

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app(
      "simulate_population: made-up people report to a real aggregator, and the answers stand beside the truth. "
      "Without "
      "--task, they report under a planned task and under the paper's scheme. Each run creates its own tasks and "
      "closes "
      "them.",
      "simulate_population");
  examples::Flags flags;
  flags.driver.epsilon = "1";
  flags.driver.add_to(app);
  auto* task = app.add_option("--task", flags.task,
                              "Task document, as `hearsay design --write` makes it, to rehearse under another title");
  auto* csv =
      app.add_option("--csv", flags.csv.path, "Population from a CSV file; default: the Berkeley admissions of 1973");
  app.add_option("--schema", flags.schema, "JSON file with the schema of the CSV file; default: the task's")
      ->needs(csv)
      ->excludes(task);
  app.get_option("--epsilon")->excludes(task);
  app.add_flag("--ignore-unknown-columns", flags.csv.ignore_unknown_columns,
               "Read only the schema's columns of the CSV file")
      ->needs(csv);
  app.add_option("--companion", flags.csv.companion,
                 "Companion document of the CSV file, as `hearsay schema` proposes it; default: the cells are values")
      ->needs(csv);
  auto* users =
      app.add_option("--users", flags.users, "Number of reporters, drawn from the population with replacement");
  console::require_whole(*users->capture_default_str(), 1);
  app.add_option("--query", flags.queries, "A query; may be repeated");
  app.add_option("--queries", flags.query_file, "File with one query a line");
  return console::run_program(app, {argv + 1, argv + argc}, [&flags] { return examples::run(flags); });
}
