#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/csv/fields.h"
#include "common/base/json_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/schema/value_text.h"
#include "hearsay/clock.h"

namespace hearsay::cli {
namespace {

// 2^20 cells of tables, each with two numbers of at most 25 characters, and the queries.
constexpr std::size_t kMaxAnswerBytes = std::size_t{128} << 20U;

struct EstimateFlags {
  ServerFlags server;
  std::string task;
  std::vector<std::string> queries;
  std::string query_file;
  std::vector<std::string> tables;  // each attributes separated by commas
  std::string sample_file;
  bool ignore_unknown_columns = false;
  bool project = false;
  double confidence = 0.95;
  std::string from;  // as they were given; empty: no bound
  std::string to;
  console::OutputFormat format = console::OutputFormat::kText;
};

std::string number(const Json& json, console::OutputFormat format) {
  return console::number(json.get<double>(), format);
}

std::string joined(const Json& warnings) {
  std::string text;
  for (const Json& warning : warnings) text += (text.empty() ? "" : "; ") + warning.get<std::string>();
  return text;
}

std::string error_text(const Json& error) {
  const std::string type = error.at("type").get<std::string>();
  return std::string(problem_name(type)) + ": " + error.at("detail").get<std::string>();
}

// The columns after `query`; `projected` only where it was asked for.
const std::vector<std::string> kEstimateColumns{"estimate",  "standard_error", "low",
                                                "high",      "guaranteed_low", "guaranteed_high",
                                                "influence", "guarantee",      "fit_p"};

std::vector<std::string> row(const Json& estimate, bool project, console::OutputFormat format) {
  std::vector<std::string> cells{estimate.at("query").get<std::string>()};
  if (estimate.contains("error")) {
    cells.resize(1 + kEstimateColumns.size() + (project ? 1 : 0));
    cells.push_back(error_text(estimate.at("error")));
    return cells;
  }
  const auto add = [&](const Json& json) { cells.push_back(number(json, format)); };
  add(estimate.at("value"));
  add(estimate.at("standard_error"));
  add(estimate.at("normal").at(0));
  add(estimate.at("normal").at(1));
  add(estimate.at("guaranteed").at(0));
  add(estimate.at("guaranteed").at(1));
  add(estimate.at("influence"));
  cells.push_back(estimate.at("guarantee").get<std::string>());
  cells.push_back(estimate.contains("fit") ? number(estimate.at("fit").at("query").at("p"), format) : "");
  if (project) cells.push_back(estimate.contains("projected") ? number(estimate.at("projected"), format) : "");
  cells.push_back(joined(estimate.at("warnings")));
  return cells;
}

console::Table estimates_table(const Json& estimates, bool project, console::OutputFormat format) {
  console::Table table{{"query"}, {}};
  table.header.insert(table.header.end(), kEstimateColumns.begin(), kEstimateColumns.end());
  if (project) table.header.emplace_back("projected");
  table.header.emplace_back("remarks");
  for (const Json& item : estimates) table.rows.push_back(row(item, project, format));
  return table;
}

// One row a cell: the attributes' values, estimate, standard error, normal interval, and the consistent value.
Result<console::Table> cells_table(const Json& item, const Schema& schema, console::OutputFormat format) {
  console::Table table;
  std::vector<std::size_t> attributes;
  for (const Json& name : item.at("attributes")) {
    const auto attribute = schema.find(name.get_ref<const std::string&>());
    if (!attribute) return Error{ErrorCode::kTaskMismatch, "the answer names an attribute that the task lacks"};
    attributes.push_back(*attribute);
    const bool for_people = format == console::OutputFormat::kText;
    table.header.push_back(for_people ? heading(schema[*attribute]) : schema[*attribute].name());
  }
  table.header.insert(table.header.end(), {"estimate", "standard_error", "low", "high"});
  const bool projected = item.contains("projected");
  if (projected) table.header.emplace_back("projected");
  const Json& values = item.at("values");
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    std::vector<std::string> cells(attributes.size());
    std::size_t rest = cell;
    for (std::size_t i = attributes.size(); i-- > 0; rest /= schema[attributes[i]].size()) {
      cells[i] = schema[attributes[i]].value_text(static_cast<std::uint32_t>(rest % schema[attributes[i]].size()));
    }
    const double value = values.at(cell).get<double>();
    const double standard_error = item.at("standard_errors").at(cell).get<double>();
    const double margin = item.at("quantile").get<double>() * standard_error;
    for (const double each : {value, standard_error, value - margin, value + margin}) {
      cells.push_back(console::number(each, format));
    }
    if (projected) cells.push_back(number(item.at("projected").at(cell), format));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// "sex,age: ": which table a line is about.
std::string about(const Json& item) {
  return csv::write_fields(item.at("attributes").get<std::vector<std::string>>()) + ": ";
}

Result<void> print_tables(const Server& server, const EstimateFlags& flags, const Json& answers) {
  HEARSAY_TRY(const std::string document, call(server, "GET", "/v1/tasks/" + flags.task, ""));
  HEARSAY_TRY(const Task task, Task::parse(document));
  bool first = answers.at("estimates").empty();
  for (const Json& item : answers.at("tables")) {
    if (!first) std::cout << '\n';
    first = false;
    if (item.contains("error")) {
      std::cout << about(item) << error_text(item.at("error")) << '\n';
      continue;
    }
    HEARSAY_TRY(const console::Table table, cells_table(item, task.schema(), flags.format));
    print(table, {}, flags.format);
    if (!item.at("warnings").empty()) std::cerr << about(item) << joined(item.at("warnings")) << '\n';
  }
  return {};
}

bool answered(const Json& items) {
  return std::none_of(items.begin(), items.end(), [](const Json& item) { return item.contains("error"); });
}

Result<UnixSeconds> time_of(const std::string& flag, const std::string& text) {
  UnixSeconds time = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  if (error == std::errc() && end == text.data() + text.size()) return time;
  return Error{ErrorCode::kInvalidArgument, flag + " must be a time in whole seconds since 1970, such as 1767225600"};
}

Result<Json> request_of(const EstimateFlags& flags) {
  Json request{{"confidence", flags.confidence}};
  if (!flags.queries.empty() || !flags.query_file.empty() || flags.tables.empty()) {
    HEARSAY_TRY(request["queries"], console::collect_queries(flags.queries, flags.query_file));
  }
  for (const std::string& text : flags.tables) {
    HEARSAY_TRY(auto names, console::named("--table", csv::read_fields(text)));
    request["tables"].push_back(std::move(names));
  }
  if (!flags.sample_file.empty()) {
    HEARSAY_TRY(request["sample"], console::read_text(flags.sample_file));
    if (flags.ignore_unknown_columns) request["ignore_unknown_columns"] = true;
  }
  if (flags.project) request["project"] = true;
  if (!flags.from.empty()) {
    HEARSAY_TRY(request["from"], time_of("--from", flags.from));
  }
  if (!flags.to.empty()) {
    HEARSAY_TRY(request["to"], time_of("--to", flags.to));
  }
  return request;
}

Result<int> estimate(const EstimateFlags& flags) {
  HEARSAY_TRY(const Server server, flags.server.resolve());
  HEARSAY_TRY(const Json request, request_of(flags));
  HEARSAY_TRY(const std::string answer,
              call(server, "POST", "/v1/tasks/" + flags.task + "/estimates", json_text(request)));
  HEARSAY_TRY(const Json answers, parse_json(answer, {.max_bytes = kMaxAnswerBytes}));
  const Json& estimates = answers.at("estimates");

  if (flags.format == console::OutputFormat::kText) {
    std::cout << "task " << flags.task << ", " << answers.at("reports") << " reports, epsilon "
              << answers.at("epsilon").get<std::string>() << ", confidence " << answers.at("confidence") << "\n\n";
  }
  if (flags.format == console::OutputFormat::kJson || !estimates.empty()) {
    print(estimates_table(estimates, flags.project, flags.format), answers, flags.format);
  }
  if (flags.format != console::OutputFormat::kJson && answers.contains("tables")) {
    HEARSAY_CHECK_OK(print_tables(server, flags, answers));
  }
  return answered(estimates) && answered(answers.value("tables", Json::array())) ? 0 : 1;
}

}  // namespace

void add_estimate_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<EstimateFlags>();
  CLI::App* command = app.add_subcommand("estimate", "Answer counting queries from a task's reports");
  flags->server.add_to(*command);
  add_task_option(*command, flags->task);
  command->add_option("queries", flags->queries, "Queries, e.g. \"smoker and age in 18..29\"");
  command->add_option("--queries", flags->query_file, "File with one query a line");
  command
      ->add_option("--table", flags->tables,
                   "Attributes as in a line of CSV, such as age,\"work, paid\": every cell of their table "
                   "(characters); may be repeated")
      ->allow_extra_args(false);  // what follows the list is a query
  command->add_option("--sample", flags->sample_file,
                      "CSV file with a public sample to take the classes' means from (literals); default: uniform");
  command
      ->add_flag("--ignore-unknown-columns", flags->ignore_unknown_columns,
                 "Take from the sample only the columns that the task's schema has")
      ->needs("--sample");
  command->add_flag("--project", flags->project,
                    "Also jointly consistent values: no negative cell, tables that agree (characters)");
  command->add_option("--confidence", flags->confidence, "Of both intervals, between 0 and 1")->capture_default_str();
  command->add_option("--from", flags->from, "Only windows from this time on, seconds since 1970");
  command->add_option("--to", flags->to, "Only windows before this time, seconds since 1970");
  // An empty value, such as that of an unset variable, would otherwise count as none given.
  for (const char* option : {"--queries", "--sample", "--from", "--to"}) {
    command->get_option(option)->check(
        [](const std::string& value) { return value.empty() ? std::string("the value is empty") : std::string(); });
  }
  console::add_output_flag(*command, flags->format);
  command->callback([&chosen, flags] { chosen = [flags] { return estimate(*flags); }; });
}

}  // namespace hearsay::cli
