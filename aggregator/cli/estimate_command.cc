#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

struct EstimateFlags {
  ServerFlags server;
  std::string task;
  std::vector<std::string> queries;
  std::string query_file;
  double confidence = 0.95;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  OutputFormat format = OutputFormat::kText;
};

std::string number(const Json& json, OutputFormat format) {
  const double value = json.get<double>();
  return format == OutputFormat::kCsv ? exact_number(value) : short_number(value);
}

std::string joined(const Json& warnings) {
  std::string text;
  for (const Json& warning : warnings) text += (text.empty() ? "" : "; ") + warning.get<std::string>();
  return text;
}

std::vector<std::string> row(const Json& estimate, OutputFormat format) {
  const std::string query = estimate.at("query").get<std::string>();
  if (estimate.contains("error")) {
    const Json& error = estimate.at("error");
    const std::string type = error.at("type").get<std::string>();
    return {query, "", "",
            "",    "", "",
            "",    "", type.substr(type.rfind(':') + 1) + ": " + error.at("detail").get<std::string>()};
  }
  const auto cell = [&](const Json& json) { return number(json, format); };
  return {query,
          cell(estimate.at("value")),
          cell(estimate.at("standard_error")),
          cell(estimate.at("normal").at(0)),
          cell(estimate.at("normal").at(1)),
          cell(estimate.at("guaranteed").at(0)),
          cell(estimate.at("guaranteed").at(1)),
          estimate.at("guarantee").get<std::string>(),
          joined(estimate.at("warnings"))};
}

Result<int> estimate(const EstimateFlags& flags) {
  HEARSAY_TRY(const Server server, flags.server.resolve());
  HEARSAY_TRY(const auto queries, collect_queries(flags.queries, flags.query_file));
  Json request{{"queries", queries}, {"confidence", flags.confidence}};
  if (flags.from != 0) request["from"] = flags.from;
  if (flags.to != 0) request["to"] = flags.to;
  HEARSAY_TRY(const std::string answer, call(server, "POST", "/v1/tasks/" + flags.task + "/estimates", request.dump()));
  HEARSAY_TRY(const Json answers, parse_json(answer));

  Table table{{"query", "estimate", "standard_error", "low", "high", "guaranteed_low", "guaranteed_high", "guarantee",
               "remarks"},
              {}};
  bool answered_all = true;
  for (const Json& item : answers.at("estimates")) {
    table.rows.push_back(row(item, flags.format));
    answered_all = answered_all && !item.contains("error");
  }
  if (flags.format == OutputFormat::kText) {
    std::cout << "task " << flags.task << ", " << answers.at("reports") << " reports, epsilon "
              << answers.at("epsilon").get<std::string>() << ", confidence " << answers.at("confidence") << "\n\n";
  }
  print(table, answers, flags.format);
  return answered_all ? 0 : 1;
}

}  // namespace

void add_estimate_command(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<EstimateFlags>();
  CLI::App* command = app.add_subcommand("estimate", "Answer counting queries from a task's reports");
  flags->server.add_to(*command);
  command->add_option("task,--task", flags->task, "Task id")->required();
  command->add_option("queries", flags->queries, "Queries, e.g. \"smoker and age in 18..29\"");
  command->add_option("--queries", flags->query_file, "File with one query a line");
  command->add_option("--confidence", flags->confidence, "Of both intervals, between 0 and 1")->capture_default_str();
  command->add_option("--from", flags->from, "Only windows from this time on, seconds since 1970");
  command->add_option("--to", flags->to, "Only windows before this time");
  add_output_flag(*command, flags->format);
  command->callback([&chosen, flags] { chosen = [flags] { return estimate(*flags); }; });
}

}  // namespace hearsay::aggregator
