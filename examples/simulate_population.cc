// A population reports over TLS; the aggregator's answers stand beside the truth and beside what a trusted curator
// would publish at the same ε.
#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>

#include "aggregator/central/laplace/laplace_count.h"
#include "aggregator/cli/commands.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/random/bit_source.h"
#include "examples/population/population.h"
#include "examples/simulation/flags.h"

namespace hearsay::examples {
namespace {

using aggregator::short_number;
using aggregator::Table;

const std::vector<std::string> kBerkeleyQueries{
    "admitted",
    "woman",
    "department in {A, B}",
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
  LaplaceCalibration calibration = LaplaceCalibration::kTight;
};

// One line of the result.
struct Answer {
  std::string query;
  double truth = 0;
  double estimate = 0;
  double standard_error = 0;
  double low = 0;
  double high = 0;
  std::string guarantee;
  double central = 0;  // the trusted curator's noisy fraction
  double bias = 0;     // what the estimate is off by on average, for this population
  double chance = 0;   // standard deviation of that bias if the population were random as assumed
};

Result<Population> source_population(const Flags& flags) {
  if (flags.csv.empty()) return berkeley_admissions();
  HEARSAY_TRY(const std::string text, aggregator::read_file(flags.schema));
  HEARSAY_TRY(const Schema schema, Schema::parse(text));
  return read_csv(schema, flags.csv);
}

// E[estimate] - ω for exactly these reporters: the randomization has mean zero, so only the embedding counts.
double bias_on(const Population& population, const Task& task, const LinearQuery& query, double truth) {
  std::vector<std::int8_t> embedding(task.arrangement().dimension());
  double sum = 0;
  for (const Record& record : population.records) {
    task.arrangement().encode(record, embedding);
    for (const LinearQuery::Weight& weight : query.weights) {
      // The homogeneous coordinate of the paper's embedding reports noise alone.
      if (weight.coordinate < embedding.size()) sum += weight.value * embedding[weight.coordinate];
    }
  }
  return query.offset + sum / static_cast<double>(population.records.size()) - truth;
}

Result<Answer> complete(const Json& estimate, const Population& population, const Task& task) {
  Answer answer;
  answer.query = estimate.at("query").get<std::string>();
  if (estimate.contains("error")) {
    return Error{ErrorCode::kServerRefused, answer.query + ": " + estimate.at("error").at("detail").get<std::string>()};
  }
  answer.estimate = estimate.at("value").get<double>();
  answer.standard_error = estimate.at("standard_error").get<double>();
  answer.low = estimate.at("normal").at(0).get<double>();
  answer.high = estimate.at("normal").at(1).get<double>();
  answer.guarantee = estimate.at("guarantee").get<std::string>();

  HEARSAY_TRY(const Query query, Query::parse(task.schema(), answer.query));
  answer.truth = population.fraction(query);
  HEARSAY_TRY(const LinearQuery compiled,
              task.channel().compile(query, task.schema(), task.arrangement(), system_bit_source()));
  answer.bias = bias_on(population, task, compiled, answer.truth);
  const auto users = population.records.size();
  answer.chance =
      std::sqrt((answer.truth * compiled.class_variance[1] + (1 - answer.truth) * compiled.class_variance[0]) /
                static_cast<double>(users));
  HEARSAY_TRY(const auto count, aggregator::LaplaceCount::create(task.epsilon()));
  const auto satisfied = static_cast<std::uint64_t>(std::llround(answer.truth * static_cast<double>(users)));
  HEARSAY_TRY(const auto central, count.release(satisfied, users, 0.95, system_bit_source()));
  answer.central = central.fraction;
  return answer;
}

void print_answers(const std::vector<Answer>& answers) {
  Table table{{"query", "true", "estimate", "std.error", "95% low", "95% high", "guarantee", "central Laplace"}, {}};
  for (const Answer& answer : answers) {
    table.rows.push_back({answer.query, short_number(answer.truth), short_number(answer.estimate),
                          short_number(answer.standard_error, 2), short_number(answer.low), short_number(answer.high),
                          answer.guarantee, short_number(answer.central, 6)});
  }
  std::cout << '\n' << table.to_text() << '\n';
}

// The average-case guarantee speaks of (f,ω,n)-random populations; say where this population is not one.
void print_broken_assumptions(const std::vector<Answer>& answers) {
  constexpr double kDeviations = 5;  // a random population goes beyond with probability 6e-7
  constexpr double kRounding = 1e-9;
  std::cout << "Answers marked average-case assume that the people with and without the property are uniformly random\n"
               "(Aldà and Simon 2014). For these queries this population is not, and more users do not help:\n";
  bool any = false;
  for (const Answer& answer : answers) {
    if (std::abs(answer.bias) <= kDeviations * answer.chance + kRounding) continue;
    any = true;
    std::cout << "  " << answer.query << ": off by " << (answer.bias > 0 ? "+" : "") << short_number(answer.bias, 3)
              << " on average (" << short_number(std::abs(answer.bias) / answer.standard_error, 2)
              << " standard errors)\n";
  }
  if (!any) std::cout << "  none\n";
}

Result<int> run(Flags& flags) {
  HEARSAY_CHECK_OK(flags.driver.resolve());
  HEARSAY_TRY(const Population source, source_population(flags));
  const bool built_in = flags.csv.empty();
  std::vector<std::string> queries = built_in ? kBerkeleyQueries : std::vector<std::string>{};
  if (!flags.queries.empty() || !flags.query_file.empty()) {
    HEARSAY_TRY(queries, aggregator::collect_queries(flags.queries, flags.query_file));
  }
  if (queries.empty()) return Error{ErrorCode::kInvalidArgument, "no query given"};
  PopulationGenerator generator(flags.driver.seed);
  const Population population = resample(source, flags.users, generator);

  HEARSAY_TRY(const Epsilon epsilon, Epsilon::parse(flags.driver.epsilon));
  HEARSAY_TRY(const Task task, task_for_today(built_in ? "Berkeley admissions 1973" : flags.csv, source.schema,
                                              LaplaceSpec{flags.calibration, {}}, epsilon));
  HEARSAY_TRY(const TaskId id, create_task(flags.driver.server, task));
  std::cout << "task " << id.to_string() << ", epsilon " << epsilon.to_string() << ", " << flags.users
            << " reporters\n";
  HEARSAY_TRY(const double seconds, simulate(task, population.records, flags.driver.server));
  std::cout << flags.users << " reports accepted in " << short_number(seconds, 3) << " s, "
            << short_number(static_cast<double>(flags.users) / seconds, 3) << " per second\n";

  HEARSAY_TRY(const Json answered, ask(flags.driver.server, id, queries));
  if (answered.at("reports").get<std::size_t>() != flags.users) {
    return Error{ErrorCode::kInternal, "the aggregator counted " + answered.at("reports").dump() + " reports"};
  }
  std::vector<Answer> answers;
  for (const Json& estimate : answered.at("estimates")) {
    HEARSAY_TRY(Answer answer, complete(estimate, population, task));
    answers.push_back(std::move(answer));
  }
  print_answers(answers);
  print_broken_assumptions(answers);
  return 0;
}

}  // namespace
}  // namespace hearsay::examples

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app("simulate_population: made-up people report to a real aggregator, and the answers meet the truth.");
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
  app.add_flag_callback(
      "--paper", [&flags] { flags.calibration = LaplaceCalibration::kPaper; }, "Use the paper's calibration");
  CLI11_PARSE(app, argc, argv);
  return examples::exit_status("simulate_population", examples::run(flags));
}
