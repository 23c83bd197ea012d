// Compares mechanisms at the same ε on the same people: how many users each needs for an answer, and how biased the
// answer is.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <optional>

#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/console/program.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "examples/comparison/ordered_class.h"
#include "examples/comparison/query_class.h"
#include "examples/comparison/report.h"
#include "examples/comparison/source.h"

namespace hearsay::examples {
namespace {

using console::OutputFormat;
using console::Table;

constexpr std::size_t kShownQueries = 8;  // with more queries, the text output has no list of errors by query

struct Flags {
  SourceFlags source;
  std::vector<std::string> queries;
  std::string query_file;
  std::string query_class;
  std::uint32_t literals = 2;
  bool exactly = false;
  std::uint32_t attributes = 2;
  std::string epsilon = "1";
  std::size_t users = 10'000;
  std::size_t runs = 20;
  std::vector<std::string> only;
  console::OutputFormat format = console::OutputFormat::kText;
  std::string svg;
  std::string svg_by_values;
};

bool of_ordered(const std::string& query_class) {
  return query_class == "ranges" || query_class == "boxes" || query_class == "points" || query_class == "means";
}

Result<Setting> setting_of(const Flags& flags, const Schema& schema) {
  const auto epsilon = Epsilon::parse(flags.epsilon);
  if (!epsilon) return Error{epsilon.error().code, "--epsilon: " + epsilon.error().message};
  const bool listed = !flags.queries.empty() || !flags.query_file.empty();
  if (listed && !flags.query_class.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "give queries (--query, --queries) or a class of queries (--class), not both"};
  }
  if (of_ordered(flags.query_class)) return ordered_class(schema, *epsilon, flags.query_class);
  Setting setting{schema, *epsilon, {}, planner::Conjunctions{flags.literals}};
  if (flags.query_class == "conjunctions") {
    HEARSAY_TRY(setting.queries, conjunctions(schema, flags.exactly ? flags.literals : 1, flags.literals));
    if (flags.exactly) setting.workload = setting.queries;
  } else if (flags.query_class == "functions") {
    setting.workload = planner::Functions{flags.attributes};
    HEARSAY_TRY(setting.queries, functions(schema, flags.attributes, flags.source.seed));
  } else {
    if (!listed) {
      return Error{ErrorCode::kInvalidArgument,
                   "no query given: name queries by --query or --queries, or a class of them by --class"};
    }
    HEARSAY_TRY(const std::vector<std::string> texts, console::collect_queries(flags.queries, flags.query_file));
    HEARSAY_TRY(setting.queries, console::parse_queries(schema, texts));
    setting.workload = setting.queries;
  }
  return setting;
}

Result<std::vector<Mechanism>> mechanisms_of(const Setting& setting, const std::vector<std::string>& only) {
  std::vector<Mechanism> all;
  if (setting.means.empty()) all.push_back(one_query_response(setting));
  HEARSAY_TRY(std::vector<Mechanism> own, own_mechanisms(setting));
  std::move(own.begin(), own.end(), std::back_inserter(all));
  std::vector<Mechanism> literature = literature_mechanisms(setting);
  std::move(literature.begin(), literature.end(), std::back_inserter(all));
  if (only.empty()) return all;
  std::erase_if(all, [&only](const Mechanism& mechanism) {
    return std::none_of(only.begin(), only.end(), [&mechanism](const std::string& word) {
      return mechanism.name.find(word) != std::string::npos;
    });
  });
  if (all.empty())
    return Error{ErrorCode::kInvalidArgument, "no mechanism has a name that contains the text of --only"};
  return all;
}

console::Table as_table(const Rows& cells) { return {cells.front(), {cells.begin() + 1, cells.end()}}; }

std::string heading(const Setting& setting, const Comparison& comparison) {
  const std::size_t questions = setting.queries.size() + setting.means.size();
  return comparison.population + ", epsilon " + setting.epsilon.to_string() + ", " + std::to_string(questions) +
         (setting.means.empty() ? " queries" : " mean");
}

void print(const Setting& setting, const Comparison& comparison, console::OutputFormat format) {
  if (format == console::OutputFormat::kText) {
    std::cout << heading(setting, comparison) << ", " << comparison.plan.users << " users, " << comparison.plan.runs
              << " runs\n\n";
  }
  const bool exact = format == console::OutputFormat::kCsv;
  console::print(as_table(summary(comparison, exact)), to_json(setting, comparison), format);
  if (format == console::OutputFormat::kText && setting.queries.size() <= kShownQueries) {
    std::cout << '\n' << as_table(errors_by_query(setting, comparison)).to_text();
  }
}

class Bench {
 public:
  static Result<Bench> create(const Flags& flags) {
    HEARSAY_TRY(Source source, load(flags.source));
    HEARSAY_TRY(Setting setting, setting_of(flags, source.people.schema));
    HEARSAY_TRY(std::vector<Mechanism> mechanisms, mechanisms_of(setting, flags.only));
    return Bench{std::move(source), std::move(setting), std::move(mechanisms)};
  }

  const Setting& setting() const { return setting_; }
  Result<Comparison> compare(const Flags& flags, std::size_t users, const Randomness& randomness) const {
    const Plan plan{users, flags.runs};
    HEARSAY_TRY(std::vector<Score> scores, examples::compare(setting_, source_.people, mechanisms_, plan, randomness));
    return Comparison{source_.name, flags.source.seed, plan, mechanisms_, std::move(scores), {}};
  }

 private:
  Bench(Source source, Setting setting, std::vector<Mechanism> mechanisms)
      : source_(std::move(source)), setting_(std::move(setting)), mechanisms_(std::move(mechanisms)) {}

  Source source_;
  Setting setting_;
  std::vector<Mechanism> mechanisms_;
};

// The file of a chart. The program opens the file before the work starts, because the work may take minutes.
class ChartFile {
 public:
  static Result<ChartFile> open(const std::string& path) {
    ChartFile chart{path, std::ofstream(path, std::ios::binary)};
    if (!chart.file_) return chart.failure();
    return chart;
  }
  Result<void> write(const charts::LineChart& chart) {
    file_ << charts::to_svg(chart);
    file_.close();
    if (!file_) return failure();
    return {};
  }

 private:
  ChartFile(std::string path, std::ofstream file) : path_(std::move(path)), file_(std::move(file)) {}
  Error failure() const { return {ErrorCode::kIo, "cannot write '" + path_ + "'"}; }

  std::string path_;
  std::ofstream file_;
};

// Asks the same questions of --users users. For a chart, also asks them of smaller numbers of users.
Result<Sizes> by_users(const Flags& flags, const Bench& bench, const Randomness& randomness) {
  Sizes sizes{"users", {}, {}};
  for (const std::size_t users : flags.svg.empty() ? std::vector{flags.users} : sizes_up_to(flags.users)) {
    HEARSAY_TRY(Comparison comparison, bench.compare(flags, users, randomness));
    sizes.numbers.push_back(static_cast<double>(users));
    sizes.each.push_back(std::move(comparison));
  }
  return sizes;
}

// Asks the same class of questions about attributes with 8, 16, … values, up to --values.
Result<Sizes> by_values(const Flags& flags, const Randomness& randomness) {
  Sizes sizes{"values", {}, {}};
  for (const std::uint32_t values : values_up_to(flags.source.values)) {
    Flags fewer = flags;
    fewer.source.values = values;
    HEARSAY_TRY(const Bench bench, Bench::create(fewer));
    HEARSAY_TRY(Comparison comparison, bench.compare(flags, flags.users, randomness));
    sizes.numbers.push_back(values);
    sizes.each.push_back(std::move(comparison));
  }
  return sizes;
}

Result<int> run(const Flags& flags) {
  HEARSAY_TRY(const Bench bench, Bench::create(flags));
  std::optional<ChartFile> users_chart;
  std::optional<ChartFile> values_chart;
  if (!flags.svg.empty()) {
    HEARSAY_TRY(users_chart, ChartFile::open(flags.svg));
  }
  if (!flags.svg_by_values.empty()) {
    HEARSAY_TRY(values_chart, ChartFile::open(flags.svg_by_values));
  }
  PopulationGenerator made_up(flags.source.seed);
  const Randomness randomness{system_bit_source(), made_up};
  HEARSAY_TRY(Sizes users, by_users(flags, bench, randomness));
  Comparison& last = users.each.back();
  last.limit_ratios = limit_ratios_of(last.mechanisms);
  print(bench.setting(), last, flags.format);
  if (users_chart) HEARSAY_CHECK_OK(users_chart->write(error_chart(users, heading(bench.setting(), last))));
  if (!values_chart) return 0;
  HEARSAY_TRY(const Sizes values, by_values(flags, randomness));
  const std::string subtitle =
      "--class " + flags.query_class + ", epsilon " + flags.epsilon + ", " + std::to_string(flags.users) + " users";
  HEARSAY_CHECK_OK(values_chart->write(error_chart(values, subtitle)));
  return 0;
}

void add_options(CLI::App& app, Flags& flags) {
  flags.source.add_to(app);
  app.add_option("--query", flags.queries, "A query; may be repeated");
  app.add_option("--queries", flags.query_file, "File with one query a line");
  app.add_option(
         "--class", flags.query_class,
         "All queries of a class; ranges, boxes and means are about ordered attributes, points about one attribute")
      ->check(CLI::IsMember({"conjunctions", "functions", "ranges", "boxes", "points", "means"}));
  app.add_option("--literals", flags.literals, "Largest number of literals in a conjunction")->capture_default_str();
  app.add_flag("--exactly", flags.exactly, "Only conjunctions with exactly --literals literals");
  app.add_option("--attributes", flags.attributes, "Largest number of attributes of a function")->capture_default_str();
  app.add_option("--epsilon", flags.epsilon, "Privacy parameter of one report; smaller is more private")
      ->capture_default_str();
  auto* users =
      app.add_option("--users", flags.users, "Number of reporters of one run, drawn from the people with replacement");
  console::require_whole(*users->capture_default_str(), 1, 100'000'000);
  auto* runs = app.add_option("--runs", flags.runs, "Number of runs, each with new reporters");
  console::require_whole(*runs->capture_default_str(), 2, 1'000'000);
  app.add_option("--only", flags.only, "Only mechanisms whose name contains this text; may be repeated");
  app.add_option("--seed", flags.source.seed, "Seed of the made-up people and of the literature's mechanisms")
      ->capture_default_str();
  app.add_option("--svg", flags.svg, "Write a chart of the error against the number of users, up to --users");
  app.add_option("--svg-by-values", flags.svg_by_values,
                 "Write a chart of the error against the number of values, up to --values")
      ->needs("--values");
  console::add_output_flag(app, flags.format);
}

}  // namespace
}  // namespace hearsay::examples

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app(
      "compare_mechanisms: made-up people report through every mechanism, and the answers stand beside the truth.",
      "compare_mechanisms");
  examples::Flags flags;
  examples::add_options(app, flags);
  return console::run_program(app, {argv + 1, argv + argc}, [&flags] { return examples::run(flags); });
}
