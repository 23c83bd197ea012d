#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/layout.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "common/audit/audit.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct AuditFlags {
  std::string task_file;
  std::string scale;
  console::OutputFormat format = console::OutputFormat::kText;
};

// Returns the task's channel; with `scale`, the same channel with this scale on every coordinate.
Result<Channel> audited_channel(const Task& task, const std::string& scale) {
  if (scale.empty()) return task.channel();
  HEARSAY_TRY(const Rational replacement, console::named("--scale", Rational::parse_fraction(scale)));
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  if (laplace == nullptr) {
    return Error{ErrorCode::kInvalidArgument,
                 "--scale applies only to tasks with the channel `laplace`: leave --scale out"};
  }
  const std::vector<Rational> scales(laplace->coordinates(), replacement);
  HEARSAY_TRY(const LaplaceChannel channel, laplace->with_scales(scales));
  return Channel(channel);
}

// Writes a record in the form that Record::parse() reads.
Json record_json(const Schema& schema, const Record& record) {
  Json json = Json::object();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Attribute& attribute = schema[i];
    Json& value = json[attribute.name()];
    switch (attribute.kind()) {
      case AttributeKind::kBoolean:
        value = record[i] != 0;
        break;
      case AttributeKind::kCategorical:
        value = attribute.value_text(record[i]);
        break;
      case AttributeKind::kRange:
        value = attribute.min() + std::int64_t{record[i]};
        break;
    }
  }
  return json;
}

std::string audit_text(const AuditResult& result, const std::string& first, const std::string& second) {
  std::string text = paragraph(std::string("verdict: ") +
                               (result.holds ? "holds" : "refuted: the reports reveal more than the task claims"));
  text += paragraph("claimed epsilon: " + result.claimed.to_string());
  text += paragraph("actual epsilon: " + std::string(result.exact ? "" : "at most ") + result.actual.to_string() +
                    ", about " + console::short_number(result.actual.approximate(), 6));
  text += paragraph("compared: " + counted(result.pairs, "pair") + " of records; the worst pair:");
  return text + paragraph(first) + paragraph(second);
}

Result<int> audit_task(const AuditFlags& flags) {
  HEARSAY_TRY(const Task task, read_task(flags.task_file));
  HEARSAY_TRY(const Channel channel, audited_channel(task, flags.scale));
  HEARSAY_TRY(const AuditResult result, audit(task, channel));

  const Json first = record_json(task.asked_schema(), result.worst_first);
  const Json second = record_json(task.asked_schema(), result.worst_second);
  const std::string verdict = result.holds ? "holds" : "refuted";
  const console::Table table{
      {"claimed", "actual", "approximately", "exact", "verdict", "pairs", "worst_first", "worst_second"},
      {{result.claimed.to_string(), result.actual.to_string(), console::exact_number(result.actual.approximate()),
        result.exact ? "yes" : "upper bound", verdict, std::to_string(result.pairs), first.dump(), second.dump()}}};
  if (flags.format == console::OutputFormat::kText) {
    std::cout << audit_text(result, first.dump(), second.dump());
    return result.holds ? 0 : 1;
  }
  print(table,
        {{"claimed", result.claimed.to_string()},
         {"actual", result.actual.to_string()},
         {"approximately", result.actual.approximate()},
         {"exact", result.exact},
         {"holds", result.holds},
         {"pairs", result.pairs},
         {"worst_first", first},
         {"worst_second", second},
         {"worst_report", result.worst_report}},
        flags.format);
  return result.holds ? 0 : 1;
}

}  // namespace

void add_audit_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = app.add_subcommand("audit",
                                         "Compute the most that one report of a task can reveal. The exit status is 1 "
                                         "if this is more than the task's epsilon");
  command->add_option("file", flags->task_file, "Task document; its schema must have few possible records")->required();
  command->add_option("--scale", flags->scale, "Audit this noise scale instead of the task's own, e.g. 32 or 64/3");
  console::add_output_flag(*command, flags->format);
  console::set_examples(
      *command, {{"", "hearsay audit task.json"}, {"is less noise enough?", "hearsay audit task.json --scale 32"}});
  command->callback([&chosen, flags] { chosen = [flags] { return audit_task(*flags); }; });
}

}  // namespace hearsay::cli
