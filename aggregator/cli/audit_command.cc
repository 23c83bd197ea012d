#include <charconv>
#include <iostream>
#include <memory>
#include <optional>

#include "aggregator/cli/central_audit_report.h"
#include "aggregator/cli/commands.h"
#include "common/audit/audit.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

struct AuditFlags {
  std::string task_file;
  std::string scale;
  std::string mechanism;
  std::string epsilon;
  std::optional<std::uint32_t> domain;
  std::optional<std::uint32_t> rows;
  std::string scale_factor;
  bool list = false;
  OutputFormat format = OutputFormat::kText;
};

// "32" or "64/3".
Result<Rational> parse_scale(const std::string& text) {
  std::uint64_t num = 0;
  std::uint64_t den = 1;
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, num);
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '/') {
    parsed = std::from_chars(parsed.ptr + 1, end, den);
  }
  if (parsed.ec != std::errc{} || parsed.ptr != end || num == 0) {
    return Error{ErrorCode::kInvalidArgument, "a scale is a positive number like 32 or 64/3"};
  }
  return Rational::create(num, den);
}

// The task's channel, or the same one with another scale on every coordinate.
Result<Channel> audited_channel(const Task& task, const std::string& scale) {
  if (scale.empty()) return task.channel();
  HEARSAY_TRY(const Rational replacement, parse_scale(scale));
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  if (laplace == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "only the channel `laplace` has scales; --scale does not apply"};
  }
  const std::vector<Rational> scales(laplace->coordinates(), replacement);
  HEARSAY_TRY(const LaplaceChannel channel, laplace->with_scales(scales));
  return Channel(channel);
}

Json record_json(const Schema& schema, const Record& record) {
  Json json = Json::object();
  for (std::size_t i = 0; i < schema.size(); ++i) json[schema[i].name()] = schema[i].value_text(record[i]);
  return json;
}

Result<int> audit_task(const AuditFlags& flags) {
  HEARSAY_TRY(const Task task, read_task(flags.task_file));
  HEARSAY_TRY(const Channel channel, audited_channel(task, flags.scale));
  HEARSAY_TRY(const AuditResult result, audit(task, channel));

  const Json first = record_json(task.schema(), result.worst_first);
  const Json second = record_json(task.schema(), result.worst_second);
  const std::string verdict = result.holds ? "holds" : "refuted";
  const Table table{
      {"claimed", "actual", "approximately", "exact", "verdict", "pairs", "worst_first", "worst_second"},
      {{result.claimed.to_string(), result.actual.to_string(), exact_number(result.actual.approximate()),
        result.exact ? "yes" : "upper bound", verdict, std::to_string(result.pairs), first.dump(), second.dump()}}};
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

Result<int> audit_central(const AuditFlags& flags) {
  AuditRequest request{flags.mechanism};
  if (!flags.epsilon.empty()) {
    HEARSAY_TRY(request.epsilon, Epsilon::parse(flags.epsilon));
  }
  request.domain = flags.domain;
  request.rows = flags.rows;
  if (!flags.scale_factor.empty()) {
    HEARSAY_TRY(request.scale_factor, parse_scale(flags.scale_factor));
  }
  return audit_mechanism(request, flags.format);
}

// A task, or a central mechanism by name, or the list of those names.
Result<int> run_audit(const AuditFlags& flags) {
  const bool central = !flags.mechanism.empty();
  if (int{flags.list} + int{central} + int{!flags.task_file.empty()} != 1) {
    return Error{ErrorCode::kInvalidArgument, "audit a task document, or a --mechanism, or ask for the --list"};
  }
  if (flags.list) return list_mechanisms(flags.format);
  return central ? audit_central(flags) : audit_task(flags);
}

}  // namespace

void add_audit_command(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = app.add_subcommand("audit",
                                         "Compute what a task's reports, or a central mechanism's releases, reveal at "
                                         "most; status 1 if that exceeds epsilon");
  CLI::Option* file = command->add_option("file", flags->task_file, "Task document with a small universe");
  command->add_option("--scale", flags->scale, "Audit this noise scale in place of the task's own, e.g. 32 or 64/3")
      ->needs(file);
  CLI::Option* mechanism = command->add_option("--mechanism", flags->mechanism, "Central mechanism on a small domain");
  command->add_flag("--list", flags->list, "Name the central mechanisms, and the broken ones that are to be refuted");
  command->add_option("--epsilon", flags->epsilon, "The epsilon that is claimed")->needs(mechanism);
  command->add_option("--domain", flags->domain, "Values a row can have")->needs(mechanism);
  command->add_option("--rows", flags->rows, "Rows; at most so many where rows are added or removed")->needs(mechanism);
  command
      ->add_option("--scale-factor", flags->scale_factor,
                   "Plant a mistake: noise of so many times the right scale, e.g. 1/2")
      ->needs(mechanism);
  add_output_flag(*command, flags->format);
  command->callback([&chosen, flags] { chosen = [flags] { return run_audit(*flags); }; });
}

}  // namespace hearsay::aggregator
