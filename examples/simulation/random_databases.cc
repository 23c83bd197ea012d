#include "examples/simulation/random_databases.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <iostream>

#include "aggregator/console/table.h"
#include "aggregator/tails/distributions.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "examples/population/population.h"

namespace hearsay::examples {
namespace {

using console::short_number;

constexpr std::array kFractions{0.0, 0.3, 1.0};
constexpr double kRefutedAt = 0.001;  // largest probability with which the test refutes a true promise

struct Outcome {
  std::vector<std::string> row;
  bool within;
};

Result<Outcome> report_one(const RandomDatabaseFlags& flags, const SimulationOptions& simulation, const TaskSpec& base,
                           const std::string& text, double fraction, PopulationGenerator& generator) {
  TaskSpec spec = base;
  spec.title = "random database: " + text + ", " + console::short_number(fraction);
  HEARSAY_TRY(const Task task, Task::create(cli::for_rehearsal(std::move(spec))));
  HEARSAY_TRY(const Query query, Query::parse(task.schema(), text));
  const auto plans = planner::plan(task, {query}, flags.target);
  if (!plans.front()) return plans.front().error();
  const std::size_t users = *plans.front()->users_paper;

  HEARSAY_TRY(const Population population, random_database(task.schema(), query, fraction, users, generator));
  HEARSAY_TRY(const double seconds, rehearse(task, population.records, simulation));
  HEARSAY_TRY(const Json answered, ask(simulation.server, task.id(), {{"queries", {text}}}));
  const Json& estimate = answered.at("estimates").at(0);
  if (estimate.contains("error")) {
    return Error{ErrorCode::kServerRefused,
                 "query '" + text + "': " + estimate.at("error").at("detail").get<std::string>()};
  }
  const double truth = population.fraction(query);
  const double value = estimate.at("value").get<double>();
  const double error = std::abs(value - truth);
  const bool within = error <= flags.target.alpha;
  return Outcome{{text, std::to_string(users), console::short_number(truth), console::short_number(value),
                  console::short_number(estimate.at("standard_error").get<double>(), 2),
                  console::short_number(error, 2), within ? "yes" : "no", console::short_number(seconds, 2)},
                 within};
}

}  // namespace

void RandomDatabaseFlags::add_to(CLI::App& app) {
  driver.epsilon = "8";
  driver.simulation.own_connections = 0;
  driver.add_to(app);
  app.add_option("--attributes", attributes, "Number of boolean attributes")
      ->capture_default_str()
      ->check(CLI::Range(4, 26));
  app.add_option("--alpha", target.alpha, "Largest error you accept")->capture_default_str();
  app.add_option("--beta", target.beta, "Probability that an error is larger than --alpha")->capture_default_str();
  app.add_flag_callback(
      "--tight", [this] { calibration = LaplaceCalibration::kTight; },
      "Use the tight calibration instead of the paper's");
}

Result<Schema> boolean_schema(unsigned attributes) {
  std::vector<Attribute> booleans;
  for (unsigned i = 0; i < attributes; ++i) {
    HEARSAY_TRY(Attribute boolean, Attribute::boolean(std::string(1, static_cast<char>('a' + i))));
    booleans.push_back(std::move(boolean));
  }
  return Schema::create(std::move(booleans));
}

Result<Verdict> verdict_on(std::size_t misses, std::size_t databases, const planner::Target& target) {
  HEARSAY_TRY(const auto frequency, tails::clopper_pearson(misses, databases, kRefutedAt));
  const bool refuted = frequency.low > target.beta;
  const std::string bound = console::short_number(target.alpha);
  std::string text = std::to_string(databases - misses) + " of " + std::to_string(databases) + " errors are at most " +
                     bound + ". Theorem 7 promises this for each error with probability at least " +
                     console::short_number(1 - target.beta) + ": ";
  text += refuted ? "there are so many larger errors that they contradict the promise."
                  : "the reports do not contradict the promise.";
  return Verdict{refuted, std::move(text)};
}

Result<int> report_random_databases(const RandomDatabaseFlags& flags, const std::vector<std::string>& queries) {
  HEARSAY_TRY(const SimulationOptions simulation, flags.driver.resolve());
  HEARSAY_TRY(const Epsilon epsilon, flags.driver.privacy());
  HEARSAY_TRY(const Schema schema, boolean_schema(flags.attributes));
  const TaskSpec base{.title = "",
                      .schema = schema,
                      .arrangement = LiteralsSpec{},
                      .channel = LaplaceSpec{flags.calibration, {}},
                      .epsilon = epsilon,
                      .time_precision = 86'400};
  PopulationGenerator generator(flags.driver.seed);
  console::Table table{{"query", "users", "true", "estimate", "std.error", "error", "within bound", "seconds"}, {}};
  std::size_t misses = 0;
  for (const std::string& query : queries) {
    for (const double fraction : kFractions) {
      HEARSAY_TRY(Outcome outcome, report_one(flags, simulation, base, query, fraction, generator));
      misses += outcome.within ? 0 : 1;
      table.rows.push_back(std::move(outcome.row));
    }
  }
  HEARSAY_TRY(const Verdict verdict, verdict_on(misses, table.rows.size(), flags.target));
  std::cout << "random people with " << flags.attributes << " yes/no attributes, epsilon " << epsilon.to_string()
            << "; as many users as Theorem 7 asks for an error of at most " << flags.target.alpha
            << " with probability " << 1 - flags.target.beta << "\n\n"
            << table.to_text() << '\n'
            << verdict.text << '\n';
  return verdict.refuted ? 1 : 0;
}

}  // namespace hearsay::examples
