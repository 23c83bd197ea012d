#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/layout.h"
#include "aggregator/cli/next_steps.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/proposal/propose.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/companion/rule.h"

namespace hearsay::cli {
namespace {

struct SchemaFlags {
  std::string csv_file;
  std::string separator;
  std::string decimal_mark;
  std::string date_order;
  std::vector<std::string> missing;
  proposal::ProposalOptions options;
  console::OutputFile schema_file;
  console::OutputFile companion_file;
  console::OutputFormat format = console::OutputFormat::kText;
};

const std::string kPublic =
    "The schema and the companion document become public. If the rows describe real people, both documents reveal "
    "something about these people: the ends of ranges, which categories there are, and what is frequent. Propose from "
    "a public sample, or change both files by hand before anybody else sees them.";

const std::map<std::string, char> kSeparators{{",", ','}, {";", ';'}, {"|", '|'}, {"tab", '\t'}, {"\t", '\t'}};
const std::map<std::string, DateOrder> kOrders{
    {"ymd", DateOrder::kYearMonthDay}, {"dmy", DateOrder::kDayMonthYear}, {"mdy", DateOrder::kMonthDayYear}};

Result<proposal::ProposalOptions> options_of(const SchemaFlags& flags) {
  proposal::ProposalOptions options = flags.options;
  if (!flags.separator.empty()) {
    const auto known = kSeparators.find(flags.separator);
    if (known == kSeparators.end()) {
      return Error{ErrorCode::kInvalidArgument, "--separator must be a comma, a semicolon, | or tab"};
    }
    options.layout.separator = known->second;
  }
  if (!flags.decimal_mark.empty()) {
    if (flags.decimal_mark != "." && flags.decimal_mark != ",") {
      return Error{ErrorCode::kInvalidArgument, "--decimal-mark must be a point or a comma"};
    }
    options.decimal_mark = flags.decimal_mark[0];
  }
  if (!flags.date_order.empty()) {
    const auto known = kOrders.find(flags.date_order);
    if (known == kOrders.end()) return Error{ErrorCode::kInvalidArgument, "--date-order must be ymd, dmy or mdy"};
    options.guess.date_order = known->second;
  }
  if (!flags.missing.empty()) {
    options.guess.missing = {""};
    for (const std::string& text : flags.missing) {
      const std::string word(trimmed(text));
      auto& known = options.guess.missing;
      if (std::find(known.begin(), known.end(), word) == known.end()) known.push_back(word);
    }
  }
  return options;
}

std::string separator_name(char separator) {
  switch (separator) {
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    case '|':
      return "vertical bars";
    default:
      return "commas";
  }
}

console::Table table_of(const proposal::Proposal& proposal, console::OutputFormat format) {
  constexpr std::size_t kLabel = 24;
  constexpr std::size_t kWhat = 36;
  const bool text = format == console::OutputFormat::kText;
  console::Table table{{"column", "becomes", "why"}, {}};
  if (!text) table.header.insert(table.header.begin() + 1, "attribute");
  for (const proposal::Decision& decision : proposal.decisions) {
    if (text)
      table.rows.push_back({shortened(decision.column, kLabel), shortened(decision.what, kWhat), decision.why});
    else
      table.rows.push_back({decision.column, decision.attribute, decision.what, decision.why});
  }
  return table;
}

Result<Json> json_of(const proposal::Proposal& proposal) {
  Json columns = Json::array();
  for (const proposal::Decision& decision : proposal.decisions) {
    Json column{{"column", decision.column}, {"becomes", decision.what}, {"why", decision.why}};
    if (!decision.attribute.empty()) column["attribute"] = decision.attribute;
    columns.push_back(std::move(column));
  }
  HEARSAY_TRY(const Json schema, parse_json(proposal.schema.to_json()));
  HEARSAY_TRY(const Json companion, parse_json(proposal.companion_json));
  return Json{{"rows", proposal.rows},
              {"columns", std::move(columns)},
              {"schema", schema},
              {"companion", companion},
              {"warnings", Json::array({kPublic})}};
}

std::string next_of(const SchemaFlags& flags) {
  std::vector<Step> steps;
  std::string schema = flags.schema_file.path;
  std::string companion = flags.companion_file.path;
  if (schema.empty() || companion.empty()) {
    schema = schema.empty() ? "schema.json" : schema;
    companion = companion.empty() ? "companion.json" : companion;
    steps.push_back({"write both documents (repeat your other options)",
                     command_line({"hearsay", "schema", flags.csv_file, "--write", schema, "--companion", companion})});
  }
  steps.push_back({"see which tasks answer your questions, and with how many people",
                   command_line({"hearsay", "design", schema, "--epsilon", "1", "QUERY"})});
  return next_steps(steps);
}

Result<int> propose_schema(const SchemaFlags& flags) {
  HEARSAY_CHECK_OK(flags.schema_file.check());
  console::OutputFile companion_file = flags.companion_file;
  companion_file.overwrite = flags.schema_file.overwrite;
  HEARSAY_CHECK_OK(companion_file.check());
  HEARSAY_TRY(const proposal::ProposalOptions options, options_of(flags));
  HEARSAY_TRY(const std::string bytes, console::read_file(flags.csv_file));
  HEARSAY_TRY(const proposal::Proposal proposal, proposal::propose(bytes, options, flags.csv_file));
  if (!flags.schema_file.path.empty()) HEARSAY_CHECK_OK(flags.schema_file.write(proposal.schema_json + '\n'));
  if (!companion_file.path.empty()) HEARSAY_CHECK_OK(companion_file.write(proposal.companion_json + '\n'));
  if (flags.format != console::OutputFormat::kText) {
    HEARSAY_TRY(const Json json, json_of(proposal));
    console::print(table_of(proposal, flags.format), json, flags.format);
    return 0;
  }
  std::cout << flags.csv_file << ": " << counted(proposal.rows, "row") << ", "
            << counted(proposal.decisions.size(), "column")
            << (proposal.decisions.size() > 1 ? ", " + separator_name(proposal.separator) + " between them" : "")
            << "; " << counted(proposal.schema.size(), "attribute") << "\n\n"
            << to_text(table_of(proposal, flags.format)) << '\n'
            << paragraph(kPublic) << '\n'
            << next_of(flags);
  return 0;
}

void add_reading_options(CLI::App& command, SchemaFlags& flags) {
  command.add_option("--separator", flags.separator, "Column separator: , ; | or tab; default: detected");
  command.add_option("--encoding", flags.options.layout.encoding,
                     "Encoding of the file, such as windows-1252 (iconv -l lists all); default: UTF-8");
  command.add_option("--decimal-mark", flags.decimal_mark, "Decimal mark of all numbers: . or ,; default: detected");
  command.add_option("--date-order", flags.date_order,
                     "Order of day, month and year: ymd, dmy or mdy; default: detected");
  command
      .add_option("--missing", flags.missing,
                  "A text that stands for a missing value, as the empty text always does; may be repeated; default: "
                  "NA, N/A, n/a, na, -, --, ., ?, null, NULL, #N/A, NaN, nan and <NA>")
      ->allow_extra_args(false);
}

}  // namespace

void add_schema_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<SchemaFlags>();
  CLI::App* command = app.add_subcommand(
      "schema", "Propose a schema for a CSV file, and a companion document that says how raw text becomes a value");
  command->add_option("file", flags->csv_file, "CSV file; its first line has the columns' names")->required();
  flags->schema_file.add_to(*command, "Write the schema to this file");
  command->add_option("--companion", flags->companion_file.path, "Write the companion document to this file");
  command->get_option("--overwrite")->remove_needs(command->get_option("--write"));
  add_reading_options(*command, *flags);
  command->add_option("--leave-out", flags->options.leave_out, "Label of a column to leave out; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--keep", flags->options.keep,
                   "Label of a column to keep although the column looks like identifiers or free text; may be repeated")
      ->allow_extra_args(false);
  console::require_whole(
      *command
           ->add_option("--most-values", flags->options.guess.most_values,
                        "Largest number of values of a categorical attribute; rarer texts become \"other\"")
           ->capture_default_str(),
      2, 10'000);
  console::require_whole(*command
                              ->add_option("--most-steps", flags->options.guess.most_steps,
                                           "Largest number of values of an integer attribute")
                              ->capture_default_str(),
                         2, 10'000);
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay schema people.csv --write schema.json --companion companion.json"}});
  command->callback([&chosen, flags] { chosen = [flags] { return propose_schema(*flags); }; });
}

}  // namespace hearsay::cli
