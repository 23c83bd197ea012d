#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/estimate_charts.h"
#include "aggregator/cli/estimate_csv.h"
#include "aggregator/cli/estimate_report.h"
#include "aggregator/cli/layout.h"
#include "aggregator/cli/measure_report.h"
#include "aggregator/cli/task_names.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/csv/fields.h"
#include "aggregator/csv/read_records.h"
#include "aggregator/csv/write_records.h"
#include "aggregator/measures/measure.h"
#include "aggregator/measures/times.h"
#include "common/base/json_text.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "hearsay/clock.h"

namespace hearsay::cli {
namespace {

// Enough for a table of 2^20 cells with three numbers each, and for the other answers.
constexpr std::size_t kMaxAnswerBytes = std::size_t{128} << 20U;

struct EstimateFlags {
  ServerFlags server;
  std::string task;
  std::vector<std::string> queries;
  std::string query_file;
  std::vector<std::string> tables;  // the attributes of each table, separated by commas
  std::vector<std::string> measures;
  std::string measure_file;
  std::string every;  // empty: no trend
  std::string time_zone;
  bool simultaneous = false;
  std::string sample_file;
  std::string companion_file;  // for the sample; empty: the sample has the schema's values
  bool ignore_unknown_columns = false;
  bool project = false;
  double confidence = 0.95;
  std::string from;  // the option's text; empty: no bound
  std::string to;
  console::OutputFormat format = console::OutputFormat::kText;
  console::OutputFile svg;
};

Result<void> print_tables(const Task& task, const Json& answers, bool first) {
  for (const Json& item : answers.at("tables")) {
    if (!first) std::cout << '\n';
    first = false;
    if (item.contains("error")) {
      std::cout << about(item) << error_text(item.at("error")) << '\n';
      continue;
    }
    HEARSAY_TRY(const std::string text, text_of_cells(item, task.asked_schema()));
    std::cout << text;
    if (!item.at("warnings").empty()) std::cout << paragraph(about(item) + joined(item.at("warnings")));
  }
  return {};
}

bool answered(const Json& items) {
  return std::none_of(items.begin(), items.end(), [](const Json& item) { return item.contains("error"); });
}

// Returns the measures of the command line, and then the named measures of the file.
Result<Json> collect_measures(const EstimateFlags& flags) {
  Json list = Json::array();
  for (const std::string& text : flags.measures) list.push_back(text);
  if (flags.measure_file.empty()) return list;
  HEARSAY_TRY(const std::string text, console::read_text(flags.measure_file));
  HEARSAY_TRY(const auto named, console::named(flags.measure_file, measures::read_file(text)));
  for (const measures::NamedMeasure& measure : named) {
    list.push_back(measure.name.empty() ? Json(measure.text) : Json{{"name", measure.name}, {"measure", measure.text}});
  }
  return list;
}

Result<void> add_times(const EstimateFlags& flags, Json& request) {
  const std::string zone = flags.time_zone.empty() ? "UTC" : flags.time_zone;
  if (!flags.from.empty()) {
    HEARSAY_TRY(request["from"], console::named("--from", measures::parse_time(flags.from, zone)));
  }
  if (!flags.to.empty()) {
    HEARSAY_TRY(request["to"], console::named("--to", measures::parse_time(flags.to, zone)));
  }
  if (!flags.every.empty()) request["every"] = flags.every;
  if (!flags.time_zone.empty()) request["time_zone"] = flags.time_zone;
  return {};
}

// Returns the sample as a CSV text of the schema's values. If there is a companion document, converts raw texts to
// values here, so that the aggregator does not need the document.
Result<std::string> sample_of(const EstimateFlags& flags, const Task& task) {
  if (flags.companion_file.empty()) return console::read_text(flags.sample_file);
  HEARSAY_TRY(const Companion companion, console::read_companion(task.schema(), flags.companion_file));
  HEARSAY_TRY(const std::string bytes, console::read_file(flags.sample_file));
  HEARSAY_TRY(const auto records, csv::read_records(companion, bytes, flags.sample_file));
  return csv::write_records(task.schema(), records);
}

Result<Json> request_of(const EstimateFlags& flags, const Task& task) {
  Json request{{"confidence", flags.confidence}};
  const bool has_measures = !flags.measures.empty() || !flags.measure_file.empty();
  if (has_measures) {
    HEARSAY_TRY(request["measures"], collect_measures(flags));
  }
  if (flags.simultaneous) request["simultaneous"] = true;
  if (!flags.queries.empty() || !flags.query_file.empty() || (flags.tables.empty() && !has_measures)) {
    HEARSAY_TRY(request["queries"], console::collect_queries(flags.queries, flags.query_file));
  }
  for (const std::string& text : flags.tables) {
    HEARSAY_TRY(auto names, console::named("--table", csv::read_fields(text)));
    request["tables"].push_back(std::move(names));
  }
  if (!flags.sample_file.empty()) {
    HEARSAY_TRY(request["sample"], sample_of(flags, task));
    if (flags.ignore_unknown_columns) request["ignore_unknown_columns"] = true;
  }
  if (flags.project) request["project"] = true;
  HEARSAY_CHECK_OK(add_times(flags, request));
  return request;
}

// Returns a text about the time that the answers are about, or an empty text if they are about all time.
std::string range_text(const Json& answers) {
  std::string text;
  if (answers.value("from", UnixSeconds{0}) > 0) {
    text += ", from " + measures::time_text(answers.at("from").get<UnixSeconds>());
  }
  if (answers.contains("to")) text += ", before " + measures::time_text(answers.at("to").get<UnixSeconds>());
  return text;
}

Result<void> print_text(const EstimateFlags& flags, const Task& task, const Json& answers) {
  const Json& estimates = answers.at("estimates");
  const std::string title = task.spec().title;
  std::cout << paragraph("task " + task.id().to_string() + (title.empty() ? "" : " \"" + title + "\"") + ", " +
                         counted(answers.at("reports").get<std::uint64_t>(), "report") + ", epsilon " +
                         answers.at("epsilon").get<std::string>() + ", confidence " +
                         console::short_number(answers.at("confidence").get<double>()) + range_text(answers))
            << '\n';
  if (!estimates.empty()) std::cout << text_of_estimates(estimates, flags.project);
  if (!estimates.empty() && answers.contains("measures")) std::cout << '\n';
  if (answers.contains("measures")) std::cout << text_of_measures(answers);
  if (!answers.contains("tables")) return {};
  return print_tables(task, answers, estimates.empty() && !answers.contains("measures"));
}

Result<void> print(const EstimateFlags& flags, const Task& task, const Json& answers) {
  if (flags.format == console::OutputFormat::kText) return print_text(flags, task, answers);
  console::Table table;
  if (flags.format == console::OutputFormat::kCsv) {
    HEARSAY_TRY(table, csv_of_answers(answers, task.asked_schema()));
  }
  console::print(table, answers, flags.format);
  return {};
}

Result<int> estimate(const EstimateFlags& flags) {
  HEARSAY_CHECK_OK(flags.svg.check());
  HEARSAY_TRY(const Server server, flags.server.resolve());
  HEARSAY_TRY(const std::string id, resolve_task(server, flags.task));
  const std::string path = "/v1/tasks/" + id;
  HEARSAY_TRY(const std::string document, call(server, "GET", path, ""));
  HEARSAY_TRY(const Task task, Task::parse(document));
  HEARSAY_TRY(const Json request, request_of(flags, task));
  HEARSAY_TRY(const std::string answer, call(server, "POST", path + "/estimates", json_text(request)));
  HEARSAY_TRY(const Json answers, parse_json(answer, {.max_bytes = kMaxAnswerBytes}));
  HEARSAY_CHECK_OK(print(flags, task, answers));
  if (!flags.svg.path.empty()) {
    HEARSAY_TRY(const charts::Figure figure, figure_of(answers, task, range_text(answers)));
    HEARSAY_CHECK_OK(flags.svg.write(charts::to_svg(figure)));
  }
  const bool all = answered(answers.at("estimates")) && answered(answers.value("tables", Json::array())) &&
                   answered(answers.value("measures", Json::array()));
  return all ? 0 : 1;
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
                   "Answer every cell of the table of these attributes, written as in a line of CSV, such as "
                   "age,\"work, paid\"; needs a task with the arrangement `characters`; may be repeated")
      ->allow_extra_args(false);  // the option takes one word; further words are queries
  command->add_option("--sample", flags->sample_file,
                      "CSV file with a public sample of records as the reference distribution, for a task with the "
                      "arrangement `literals`; default: all records are equally likely");
  command
      ->add_option("--companion", flags->companion_file,
                   "Companion document that turns the sample's raw texts into values (`hearsay schema` proposes one); "
                   "default: the sample holds the schema's values")
      ->needs("--sample");
  command
      ->add_flag("--ignore-unknown-columns", flags->ignore_unknown_columns,
                 "Ignore columns of the sample that the task's schema lacks")
      ->needs("--sample");
  command->add_flag("--project", flags->project,
                    "Also print consistent values: no cell is negative, and tables agree with each other; needs the "
                    "arrangement `characters`");
  command->add_option("--confidence", flags->confidence, "Confidence of both intervals, between 0 and 1")
      ->capture_default_str();
  command
      ->add_option("--measure", flags->measures,
                   "A measure, e.g. \"mean(age) among smoker by region\"; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--measures", flags->measure_file,
                      "File with one measure a line; a name may stand in front, as NAME: MEASURE");
  command->add_option("--every", flags->every,
                      "Answer the measures for each period of days or hours, such as 7d or 6h");
  command->add_option("--time-zone", flags->time_zone,
                      "Time zone of days, and of times without an offset; default: UTC");
  command->add_flag("--simultaneous", flags->simultaneous,
                    "Widen the measures' intervals so that all of them hold at once with this confidence");
  const std::string time = ": 2026-03-01, 2026-03-01T06:00Z, or seconds since 1970";
  command->add_option("--from", flags->from, "Only windows from this time on" + time);
  command->add_option("--to", flags->to, "Only windows before this time" + time);
  // Without this check, an empty value (from an unset variable, say) would count as a missing option.
  for (const char* option :
       {"--queries", "--sample", "--companion", "--from", "--to", "--measures", "--every", "--time-zone"}) {
    command->get_option(option)->check(
        [](const std::string& value) { return value.empty() ? std::string("the value is empty") : std::string(); });
  }
  console::add_output_flag(*command, flags->format);
  flags->svg.add_to(*command, "Draw the answers as charts into this SVG file", "--svg");
  console::set_examples(
      *command,
      {{"two queries", "hearsay estimate \"commuting habits\" \"cyclist\" \"cyclist and minutes >= 30\""},
       {"a mean by group, drawn", "hearsay estimate 8mYk --measure \"mean(minutes) by region\" --svg minutes.svg"},
       {"a table, for a spreadsheet", "hearsay estimate 8mYk --table cyclist,region -o csv"},
       {"weeks", "hearsay estimate 8mYk --measure cyclist --from 2026-03-01 --every 7d"}});
  command->callback([&chosen, flags] { chosen = [flags] { return estimate(*flags); }; });
}

}  // namespace hearsay::cli
