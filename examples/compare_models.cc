// Compares the errors with and without a trusted curator. Answers the same queries about the same people at the same ε:
// once from reports that each person randomizes, and once by a curator who sees every record.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/console/program.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "examples/comparison/source.h"
#include "examples/models/model_report.h"
#include "examples/models/other_questions.h"

namespace hearsay::examples {
namespace {

using console::OutputFormat;
using console::Table;

struct Flags {
  SourceFlags source;
  std::vector<std::string> queries;
  std::string query_file;
  std::string epsilon = "1";
  std::size_t users = 10'000;
  std::size_t runs = 20;
  console::OutputFormat format = console::OutputFormat::kText;
  std::string svg;
  bool other = false;
};

// The queries about the built-in table, if the command line names none.
const std::vector<std::string>& berkeley_queries() {
  static const std::vector<std::string> kQueries{"admitted", "woman and admitted", "not woman and admitted",
                                                 "department = A and woman", "department in {A, B} and admitted"};
  return kQueries;
}

Result<Setting> setting_of(const Flags& flags, const Schema& schema) {
  const auto epsilon = Epsilon::parse(flags.epsilon);
  if (!epsilon) return Error{epsilon.error().code, "--epsilon: " + epsilon.error().message};
  const bool built_in = flags.source.csv.path.empty() && flags.source.synthetic == 0;
  std::vector<std::string> texts = berkeley_queries();
  if (!built_in || !flags.queries.empty() || !flags.query_file.empty()) {
    HEARSAY_TRY(texts, console::collect_queries(flags.queries, flags.query_file));
  }
  Setting setting{schema, *epsilon, {}, {}};
  HEARSAY_TRY(setting.queries, console::parse_queries(schema, texts));
  setting.workload = setting.queries;
  return setting;
}

void print(const Setting& setting, const ModelComparison& comparison, console::OutputFormat format) {
  if (format == console::OutputFormat::kText) {
    std::cout << comparison.population << ", epsilon " << setting.epsilon.to_string() << ", " << setting.queries.size()
              << " queries, " << comparison.plan.users << " users, " << comparison.plan.runs << " runs\n\n";
  }
  const Rows cells = model_table(setting, comparison, format == console::OutputFormat::kCsv);
  console::print(console::Table{cells.front(), {cells.begin() + 1, cells.end()}}, models_to_json(setting, comparison),
                 format);
  if (format != console::OutputFormat::kText) return;
  std::cout << '\n';
  for (const std::string& sentence : terms(setting)) std::cout << sentence << '\n';
}

// Prints the errors for questions that are no counts, each asked alone, about made-up people.
Result<int> run_other(const Flags& flags) {
  HEARSAY_TRY(const Epsilon epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  PopulationGenerator made_up(flags.source.seed);
  HEARSAY_TRY(const auto answered,
              other_questions(epsilon, flags.users, flags.runs, Randomness{system_bit_source(), made_up}));
  console::Table table{{"question", "curator's mechanism", "RMSE", "reports at best", "in units of"}, {}};
  Json json = Json::array();
  for (const OtherQuestion& one : answered) {
    table.rows.push_back({one.question, one.mechanism, console::number(one.rmse, flags.format),
                          one.local ? console::number(*one.local, flags.format) : "", one.unit});
    json.push_back({{"question", one.question}, {"mechanism", one.mechanism}, {"rmse", one.rmse}, {"unit", one.unit}});
    if (one.local) json.back()["local"] = *one.local;
  }
  console::print(table, json, flags.format);
  return 0;
}

Result<int> run(const Flags& flags) {
  if (flags.other) return run_other(flags);
  HEARSAY_TRY(const Source source, load(flags.source));
  HEARSAY_TRY(const Setting setting, setting_of(flags, source.people.schema));
  std::ofstream chart;  // opened before the work starts, because the work may take minutes
  if (!flags.svg.empty()) chart.open(flags.svg, std::ios::binary);
  if (!chart) return Error{ErrorCode::kIo, "cannot write '" + flags.svg + "'"};
  const std::vector<Model> models = all_models(setting);
  PopulationGenerator made_up(flags.source.seed);
  const Randomness randomness{system_bit_source(), made_up};
  std::vector<ModelComparison> sizes;
  for (const std::size_t users : flags.svg.empty() ? std::vector{flags.users} : sizes_up_to(flags.users)) {
    HEARSAY_TRY(auto comparison, compare_models(setting, source.name, source.people, models, {users, flags.runs},
                                                flags.source.seed, randomness));
    sizes.push_back(std::move(comparison));
  }
  print(setting, sizes.back(), flags.format);
  if (flags.svg.empty()) return 0;
  chart << charts::to_svg(model_chart(setting, sizes));
  chart.close();
  if (!chart) return Error{ErrorCode::kIo, "cannot write '" + flags.svg + "'"};
  return 0;
}

void add_options(CLI::App& app, Flags& flags) {
  flags.source.add_to(app);
  app.add_option("--query", flags.queries,
                 "A query; may be repeated. Default for the Berkeley admissions: five queries");
  app.add_option("--queries", flags.query_file, "File with one query a line");
  app.add_option("--epsilon", flags.epsilon, "Privacy parameter of all answers together; smaller is more private")
      ->capture_default_str();
  auto* users =
      app.add_option("--users", flags.users, "Number of people of one run, drawn from the source with replacement");
  console::require_whole(*users->capture_default_str(), 1, 100'000'000);
  auto* runs = app.add_option("--runs", flags.runs, "Number of runs, each with other people");
  console::require_whole(*runs->capture_default_str(), 2, 1'000'000);
  app.add_option("--seed", flags.source.seed, "Seed of the made-up people; private noise does not depend on it");
  app.add_option("--svg", flags.svg, "Write a chart of the error against the number of users, up to --users");
  CLI::Option* other = app.add_flag("--other", flags.other,
                                    "Compare questions that are no counts, each with the whole epsilon: sum, mean, "
                                    "maximum, parity, halfspace, network");
  for (const char* unused : {"--csv", "--schema", "--companion", "--ignore-unknown-columns", "--synthetic", "--values",
                             "--uniform", "--query", "--queries", "--svg"}) {
    other->excludes(unused);
  }
  console::add_output_flag(app, flags.format);
}

}  // namespace
}  // namespace hearsay::examples

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app("compare_models: the same queries at the same epsilon, answered with and without a trusted curator.",
               "compare_models");
  examples::Flags flags;
  examples::add_options(app, flags);
  return console::run_program(app, {argv + 1, argv + argc}, [&flags] { return examples::run(flags); });
}
