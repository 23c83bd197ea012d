#include "examples/simulation/random_databases.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <iostream>

#include "aggregator/console/table.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "examples/population/population.h"

namespace hearsay::examples {
namespace {

using console::short_number;

constexpr std::array kFractions{0.0, 0.3, 1.0};

// One database's row of the table; whether its error is within alpha.
struct Outcome {
  std::vector<std::string> row;
  bool within;
};

Result<Outcome> report_one(const RandomDatabaseFlags& flags, const Schema& schema, const Epsilon& epsilon,
                           const std::string& text, double fraction, PopulationGenerator& generator) {
  // The name makes each database a task of its own.
  TaskSpec spec = spec_for_today("random database: " + text + ", " + console::short_number(fraction), schema, epsilon);
  spec.channel = LaplaceSpec{flags.calibration, {}};
  HEARSAY_TRY(const Task task, Task::create(std::move(spec)));
  HEARSAY_TRY(const Query query, Query::parse(schema, text));
  const auto plans = planner::plan(task, {query}, flags.target);
  if (!plans.front()) return plans.front().error();
  const std::size_t users = *plans.front()->users_paper;

  HEARSAY_TRY(const Population population, random_database(schema, query, fraction, users, generator));
  HEARSAY_TRY(const TaskId id, create_task(flags.driver.server, task));
  HEARSAY_TRY(const double seconds, simulate(task, population.records, flags.driver.server));
  HEARSAY_TRY(const Json answered, ask(flags.driver.server, id, {{"queries", {text}}}));
  const Json& estimate = answered.at("estimates").at(0);
  if (estimate.contains("error")) return Error{ErrorCode::kServerRefused, estimate.at("error").dump()};

  const double truth = population.fraction(query);
  const double value = estimate.at("value").get<double>();
  const double error = std::abs(value - truth);
  const bool within = error <= flags.target.alpha;
  return Outcome{
      {text, std::to_string(users), console::short_number(truth), console::short_number(value),
       console::short_number(estimate.at("standard_error").get<double>(), 2), console::short_number(error, 2),
       console::short_number(flags.target.alpha), within ? "holds" : "broken", console::short_number(seconds, 2)},
      within};
}

}  // namespace

void RandomDatabaseFlags::add_to(CLI::App& app) {
  driver.epsilon = "8";
  driver.server.own_connections = 0;
  driver.add_to(app);
  app.add_option("--attributes", attributes, "Boolean attributes")->capture_default_str()->check(CLI::Range(4, 26));
  app.add_option("--alpha", target.alpha, "Largest error allowed")->capture_default_str();
  app.add_option("--beta", target.beta, "Probability of a larger one")->capture_default_str();
  app.add_flag_callback(
      "--tight", [this] { calibration = LaplaceCalibration::kTight; },
      "Use the tight calibration in place of the paper's");
}

Result<Schema> boolean_schema(unsigned attributes) {
  std::vector<Attribute> booleans;
  for (unsigned i = 0; i < attributes; ++i) {
    HEARSAY_TRY(Attribute boolean, Attribute::boolean(std::string(1, static_cast<char>('a' + i))));
    booleans.push_back(std::move(boolean));
  }
  return Schema::create(std::move(booleans));
}

Result<int> report_random_databases(RandomDatabaseFlags& flags, const std::vector<std::string>& queries) {
  HEARSAY_CHECK_OK(flags.driver.resolve());
  HEARSAY_TRY(const Epsilon epsilon, Epsilon::parse(flags.driver.epsilon));
  HEARSAY_TRY(const Schema schema, boolean_schema(flags.attributes));
  PopulationGenerator generator(flags.driver.seed);
  console::Table table{{"query", "users", "true", "estimate", "std.error", "error", "bound", "guarantee", "seconds"},
                       {}};
  bool all_within = true;
  for (const std::string& query : queries) {
    for (const double fraction : kFractions) {
      HEARSAY_TRY(Outcome outcome, report_one(flags, schema, epsilon, query, fraction, generator));
      all_within = all_within && outcome.within;
      table.rows.push_back(std::move(outcome.row));
    }
  }
  std::cout << "(f,ω,n)-random databases over " << flags.attributes << " booleans, epsilon " << epsilon.to_string()
            << "; n by Theorem 7 for an error of at most " << flags.target.alpha << " with probability "
            << 1 - flags.target.beta << "\n\n"
            << table.to_text();
  return all_within ? 0 : 1;
}

}  // namespace hearsay::examples
