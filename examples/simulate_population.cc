// A population reports over TLS, once under a planned task and once under the paper's scheme; the aggregator's answers
// stand beside the truth and beside what a trusted curator would publish at the same ε.
#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>

#include "aggregator/console/input.h"
#include "aggregator/console/table.h"
#include "aggregator/planner/candidates.h"
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
  std::string csv;
  std::string schema;
  std::vector<std::string> queries;
  std::string query_file;
  std::size_t users = 200'000;
  bool built_in() const { return csv.empty(); }
};

Result<Population> source_population(const Flags& flags) {
  if (flags.built_in()) return berkeley_admissions();
  HEARSAY_TRY(const std::string text, console::read_file(flags.schema));
  HEARSAY_TRY(const Schema schema, Schema::parse(text));
  return read_csv(schema, flags.csv);
}

// The best mechanism for the queries that is right for every population.
Result<Task> planned_task(const TaskSpec& base, const std::vector<Query>& queries) {
  HEARSAY_TRY(const auto ranked, planner::candidates(base, queries, {0.01, 0.05}));
  const planner::Candidate& best = ranked.front();
  if (!best.plan) return best.plan.error();
  std::cout << "the planner's choice: " << best.name << " of order " << planner::order_of(planner::Workload(queries));
  if (const auto* sampled = std::get_if<SampledSpec>(&best.task->spec().channel)) {
    std::cout << " (" << planner::describe(*sampled) << ")";
  }
  std::cout << "\n  for ±0.01 on the hardest query (" << best.plan->worst_query
            << "): " << (best.plan->at_most ? "at most " : "") << best.plan->users_worst << " users, "
            << console::short_number(best.plan->limit_ratio) << " times those of asking it alone\n";
  return best.task;
}

Result<Task> paper_task(TaskSpec base) {
  base.name += ", the paper's scheme";
  base.channel = LaplaceSpec{LaplaceCalibration::kPaper, {}};
  return Task::create(std::move(base));
}

// Lets the people report and checks that each is counted.
Result<TaskId> collect(const Task& task, const Population& population, const SimulationOptions& server) {
  HEARSAY_TRY(const TaskId id, create_task(server, task));
  HEARSAY_TRY(const double seconds, simulate(task, population.records, server));
  const auto users = static_cast<double>(population.records.size());
  std::cout << "task " << id.to_string() << ": " << population.records.size() << " reports accepted in "
            << console::short_number(seconds, 3) << " s, " << console::short_number(users / seconds, 3)
            << " per second\n";
  return id;
}

Result<Json> answers_of(const SimulationOptions& server, const TaskId& id, const Population& population,
                        const Json& request) {
  HEARSAY_TRY(Json answers, ask(server, id, request));
  if (answers.at("reports").get<std::size_t>() != population.records.size()) {
    return Error{ErrorCode::kInternal, "the aggregator counted " + answers.at("reports").dump() + " reports"};
  }
  return answers;
}

// "0.2345 ± 0.0021", the standard error after the sign, or the error's name.
std::string with_error(const Json& estimate) {
  if (estimate.contains("error")) {
    return std::string(problem_name(estimate.at("error").at("type").get_ref<const std::string&>()));
  }
  return console::short_number(estimate.at("value").get<double>()) + " ± " +
         console::short_number(estimate.at("standard_error").get<double>(), 2);
}

// What a trusted curator publishes at ε for all queries together: each count with ε shared out equally, exact noise.
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

void print_answers(const Population& population, const std::vector<Query>& queries, const Json& planned,
                   const Json& paper, const std::vector<double>& central) {
  console::Table table{{"query", "true", "planned", "95% low", "95% high", "paper's scheme", "fit p", "central"}, {}};
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Json& first = planned.at("estimates").at(i);
    const Json& second = paper.at("estimates").at(i);
    const bool answered = !first.contains("error");
    table.rows.push_back(
        {queries[i].to_string(population.schema), console::short_number(population.fraction(queries[i])),
         with_error(first), answered ? console::short_number(first.at("normal").at(0).get<double>()) : "",
         answered ? console::short_number(first.at("normal").at(1).get<double>()) : "", with_error(second),
         second.contains("fit") ? console::short_number(second.at("fit").at("query").at("p").get<double>(), 2) : "",
         console::short_number(central[i])});
  }
  std::cout << '\n'
            << table.to_text() << R"(
planned: right for every population; ± is the standard error, 95% low and high its normal interval.
paper's scheme: the same people and the same ε. Its answers on two or more attributes are right on average for random
populations only; fit p is the probability of so bad a fit if this were one. Small p: do not believe the answer.
central: a trusted curator who sees the records, all these queries together at the same ε.
)";
}

Result<int> run(Flags& flags) {
  HEARSAY_CHECK_OK(flags.driver.resolve());
  HEARSAY_TRY(const Population source, source_population(flags));
  std::vector<std::string> texts = flags.built_in() ? kBerkeleyQueries : std::vector<std::string>{};
  if (!flags.queries.empty() || !flags.query_file.empty()) {
    HEARSAY_TRY(texts, console::collect_queries(flags.queries, flags.query_file));
  }
  if (texts.empty()) return Error{ErrorCode::kInvalidArgument, "no query given"};
  HEARSAY_TRY(const std::vector<Query> queries, console::parse_queries(source.schema, texts));
  PopulationGenerator generator(flags.driver.seed);
  const Population population = resample(source, flags.users, generator);

  HEARSAY_TRY(const Epsilon epsilon, Epsilon::parse(flags.driver.epsilon));
  const TaskSpec base =
      spec_for_today(flags.built_in() ? "Berkeley admissions 1973" : flags.csv, source.schema, epsilon);
  std::cout << flags.users << " reporters, epsilon " << epsilon.to_string() << '\n';
  std::vector<Query> workload = queries;
  if (flags.built_in()) {
    HEARSAY_TRY(workload, console::parse_queries(source.schema, admission_queries(population)));
  }
  HEARSAY_TRY(const Task planned, planned_task(base, workload));
  HEARSAY_TRY(const Task paper, paper_task(base));
  HEARSAY_TRY(const TaskId planned_id, collect(planned, population, flags.driver.server));
  HEARSAY_TRY(const TaskId paper_id, collect(paper, population, flags.driver.server));

  const Json request{{"queries", texts}};
  HEARSAY_TRY(const Json planned_answers, answers_of(flags.driver.server, planned_id, population, request));
  HEARSAY_TRY(const Json paper_answers, answers_of(flags.driver.server, paper_id, population, request));
  HEARSAY_TRY(const std::vector<double> central, central_answers(epsilon, population, queries));
  print_answers(population, queries, planned_answers, paper_answers, central);
  if (!flags.built_in()) return 0;
  const Json rates_request{{"queries", admission_queries(population)}};
  HEARSAY_TRY(const Json rates, answers_of(flags.driver.server, planned_id, population, rates_request));
  HEARSAY_CHECK_OK(print_admission_rates(population, rates));
  return 0;
}

}  // namespace
}  // namespace hearsay::examples

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app(
      "simulate_population: made-up people report to a real aggregator under a planned task and under the paper's "
      "scheme, and the answers meet the truth.");
  examples::Flags flags;
  flags.driver.epsilon = "1";
  flags.driver.add_to(app);
  app.add_option("--csv", flags.csv, "Population from a CSV file; default: the Berkeley admissions of 1973");
  app.add_option("--schema", flags.schema, "JSON file with the schema of the CSV file")->needs("--csv");
  app.get_option("--csv")->needs("--schema");
  app.add_option("--users", flags.users, "Reporters, drawn from the population with replacement")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--query", flags.queries, "A query; may be repeated");
  app.add_option("--queries", flags.query_file, "File with one query a line");
  CLI11_PARSE(app, argc, argv);
  return examples::exit_status("simulate_population", examples::run(flags));
}
