#include "aggregator/cli/workload_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

// A part of a mixture, with its name in --weight.
struct NamedPart {
  std::string name;
  planner::Mixture::Part part;
  bool is_weighed = false;
};

Error at_fault(const std::string& flag, const std::string& what) {
  return {ErrorCode::kInvalidArgument, flag + ' ' + what};
}

Result<void> check_number(const char* flag, std::uint32_t number, std::size_t most, const char* of_what) {
  if (number <= most) return {};
  return at_fault(flag,
                  std::string("must be from 1 to the number of the schema's ") + of_what + ", " + std::to_string(most));
}

// Sets the weight of a part. For example, "ranges=2" gives the part `ranges` the weight 2.
Result<void> weigh(const std::string& text, std::vector<NamedPart>& parts) {
  const std::size_t middle = text.find('=');
  const std::string name = text.substr(0, middle);
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&name](const NamedPart& part) { return part.name == name; });
  double weight = 0;
  const bool number = middle != std::string::npos && CLI::detail::lexical_cast(text.substr(middle + 1), weight) &&
                      std::isfinite(weight) && weight > 0;
  if (!number) return at_fault("--weight", "must look like ranges=2: '" + text + "' has no positive number");
  if (found == parts.end()) {
    std::string names;
    for (const NamedPart& part : parts) names += (names.empty() ? "" : ", ") + part.name;
    return at_fault("--weight", "'" + text + "' is not asked for; these are: " + names);
  }
  if (parts.size() == 1) {
    return at_fault("--weight", "compares several things, and only " + name + " is asked for: leave --weight out");
  }
  if (found->is_weighed) {
    return at_fault("--weight", "gives " + name + " a weight twice, the second time by '" + text + "': give one");
  }
  found->is_weighed = true;
  found->part.weight = weight;
  return {};
}

}  // namespace

void WorkloadFlags::add_to(CLI::App& command) {
  command.add_option("queries", queries, "Queries, e.g. \"smoker and age in 18..29\"");
  command.add_option("--queries", query_file, "File with one query a line");
  auto* of_literals = command.add_option("--conjunctions", conjunctions,
                                         "All conjunctions of at most this many literals, each of another attribute");
  auto* of_attributes = command.add_option("--functions", functions, "All functions of at most this many attributes");
  auto* of_ranges = command.add_option(
      "--boxes", boxes, "All boxes: conjunctions of ranges, one for each of at most this many integer attributes");
  for (CLI::Option* option : {of_literals, of_attributes, of_ranges}) {
    console::require_whole(*option, 1, Schema::kMaxAttributes);
  }
  command.add_flag("--ranges", ranges, "All ranges of values of each integer attribute");
  command.add_flag("--prefixes", prefixes, "All queries \"at most t\" and \"at least t\" about each integer attribute");
  command.add_flag("--means", means,
                   "The mean of each integer attribute, with errors as fractions of the attribute's span; `estimate "
                   "--measure \"mean(NAME)\"` answers the mean");
  command
      .add_option(
          "--weight", weights,
          "NAME=W, e.g. ranges=4: if several of these options are given, make the errors of NAME √W times smaller. "
          "NAME: queries, conjunctions, functions, boxes, ranges, prefixes or means; once for each; default: 1")
      ->allow_extra_args(false);
}

Result<planner::Workload> WorkloadFlags::resolve(const Schema& schema) const {
  const auto integers = static_cast<std::size_t>(
      std::count_if(schema.attributes().begin(), schema.attributes().end(),
                    [](const Attribute& attribute) { return attribute.kind() == AttributeKind::kRange; }));
  HEARSAY_CHECK_OK(check_number("--conjunctions", conjunctions, schema.size(), "attributes"));
  HEARSAY_CHECK_OK(check_number("--functions", functions, schema.size(), "attributes"));
  if (integers == 0 && (boxes > 0 || ranges || prefixes || means)) {
    return at_fault(boxes > 0  ? "--boxes"
                    : ranges   ? "--ranges"
                    : prefixes ? "--prefixes"
                               : "--means",
                    "asks about integer attributes (\"type\": \"range\"), and the schema has none");
  }
  HEARSAY_CHECK_OK(check_number("--boxes", boxes, integers, "integer attributes"));

  std::vector<NamedPart> parts;
  if (!queries.empty() || !query_file.empty()) {
    HEARSAY_TRY(const auto texts, console::collect_queries(queries, query_file));
    HEARSAY_TRY(std::vector<Query> parsed, console::parse_queries(schema, texts));
    parts.push_back({"queries", {std::move(parsed)}});
  }
  if (conjunctions > 0) parts.push_back({"conjunctions", {planner::Conjunctions{conjunctions}}});
  if (functions > 0) parts.push_back({"functions", {planner::Functions{functions}}});
  if (boxes > 0) parts.push_back({"boxes", {planner::Boxes{boxes}}});
  if (ranges) parts.push_back({"ranges", {planner::Ranges{}}});
  if (prefixes) parts.push_back({"prefixes", {planner::Prefixes{}}});
  if (means) parts.push_back({"means", {planner::Means{}}});
  if (parts.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "no query given: name queries, a file of them by --queries, or a class by --conjunctions, "
                 "--functions, --boxes, --ranges, --prefixes or --means"};
  }
  for (const std::string& text : weights) HEARSAY_CHECK_OK(weigh(text, parts));
  if (parts.size() == 1) return std::move(parts.front().part.workload);
  planner::Mixture mixture;
  for (NamedPart& part : parts) mixture.parts.push_back(std::move(part.part));
  return planner::Workload(std::move(mixture));
}

std::vector<std::string> WorkloadFlags::words() const {
  std::vector<std::string> words;
  for (const auto& [flag, number] :
       {std::pair{"--conjunctions", conjunctions}, {"--functions", functions}, {"--boxes", boxes}}) {
    if (number > 0) words.insert(words.end(), {flag, std::to_string(number)});
  }
  for (const auto& [flag, given] : {std::pair{"--ranges", ranges}, {"--prefixes", prefixes}, {"--means", means}}) {
    if (given) words.emplace_back(flag);
  }
  for (const std::string& weight : weights) words.insert(words.end(), {"--weight", weight});
  if (!query_file.empty()) words.insert(words.end(), {"--queries", query_file});
  words.insert(words.end(), queries.begin(), queries.end());
  return words;
}

}  // namespace hearsay::cli
