#include "aggregator/central/cli/distributional_command.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/central/audit/catalogue.h"
#include "aggregator/central/audit/distributional.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

struct DistributionalFlags {
  std::string mechanism;
  std::string epsilon;
  std::optional<std::uint32_t> domain;
  std::optional<std::uint32_t> rows;
  std::optional<double> beta;
  std::string population_file;
  console::OutputFormat format = console::OutputFormat::kText;
};

std::string loss_text(double low, double high) {
  if (std::isinf(low)) return "unbounded";
  const std::string least = console::short_number(low, 6);
  const std::string most = std::isinf(high) ? "unbounded" : console::short_number(high, 6);
  return least == most ? least : least + " to " + most;
}

// JSON has no number for infinity.
Json loss_json(double value) { return std::isinf(value) ? Json("unbounded") : Json(value); }

Result<std::vector<std::uint32_t>> read_population(const std::string& path) {
  constexpr std::size_t kMostMembers = 1'000'000;
  HEARSAY_TRY(const std::string text, console::read_text(path));
  std::vector<std::uint32_t> members;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    std::uint32_t value = 0;
    const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (failed != std::errc() || end != line.data() + line.size()) {
      return Error{ErrorCode::kInvalidArgument,
                   path + ": line " + std::to_string(number) +
                       " is not a value; each line must hold one whole number, at least 0"};
    }
    if (members.size() == kMostMembers) {
      return Error{ErrorCode::kLimitExceeded, path + " has more than a million members"};
    }
    members.push_back(value);
  }
  return members;
}

// Returns each value with the number of its members, for example "0 x3, 4".
std::string population_text(const std::vector<std::uint32_t>& members) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t value : members) ++counts[value];
  std::string text;
  for (const auto& [value, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(value) + (count > 1 ? " x" + std::to_string(count) : "");
  }
  return text;
}

Result<DistributionalLoss> loss_of(const AuditedMechanism& mechanism, const DistributionalFlags& flags) {
  if (flags.population_file.empty()) return distributional_loss(mechanism, flags.beta);
  HEARSAY_TRY(std::vector<std::uint32_t> members, read_population(flags.population_file));
  return console::named(flags.population_file, distributional_loss(mechanism, std::move(members), flags.beta));
}

Result<int> run_distributional(const DistributionalFlags& flags) {
  AuditRequest request{flags.mechanism};
  if (!flags.epsilon.empty()) {
    HEARSAY_TRY(request.epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  }
  request.domain = flags.domain;
  request.rows = flags.rows;
  HEARSAY_TRY(const AuditedMechanism mechanism, audited_mechanism(request));
  const auto& universe = mechanism.universe;
  if (flags.population_file.empty() && universe.domain <= universe.rows && !(flags.domain && flags.rows)) {
    const std::string missing = flags.domain ? "--rows is" : flags.rows ? "--domain is" : "--domain and --rows are";
    return Error{ErrorCode::kInvalidArgument, missing +
                                                  " missing: rows are drawn without replacement, so the domain needs "
                                                  "more values than there are rows, and '" +
                                                  mechanism.name + "' has " + std::to_string(universe.domain) +
                                                  " values and " + std::to_string(universe.rows) + " rows by default"};
  }
  HEARSAY_TRY(const DistributionalLoss found, loss_of(mechanism, flags));
  const std::string verdict = !found.theorem_applies()       ? "not checked: beta is too large"
                              : found.implies_differential() ? "holds"
                                                             : "refuted";
  console::Table table{
      {"item", "value"},
      {{"mechanism", mechanism.name},
       {"differential epsilon claimed", mechanism.claimed.to_string()},
       {"differential epsilon found, at least", loss_text(found.differential_low, found.differential_low)},
       {"beta", console::short_number(found.beta)},
       {"distributional alpha", loss_text(found.alpha_low, found.alpha_high)},
       {"worst population", population_text(found.population)},
       {"populations", std::to_string(found.populations)},
       {"Theorem 7.1", verdict}}};
  Json json{{"mechanism", mechanism.name},
            {"claimed", mechanism.claimed.to_string()},
            {"differential_low", loss_json(found.differential_low)},
            {"beta", found.beta},
            {"alpha_low", loss_json(found.alpha_low)},
            {"alpha_high", loss_json(found.alpha_high)},
            {"population", found.population},
            {"populations", found.populations},
            {"theorem_7_1", verdict}};
  console::print(table, json, flags.format);
  return found.theorem_applies() && !found.implies_differential() ? 1 : 0;
}

}  // namespace

void add_distributional_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<DistributionalFlags>();
  CLI::App* command = app.add_subcommand(
      "distributional", "Compute how well a mechanism's output tells which sample of a population was used");
  command->add_option("mechanism", flags->mechanism, "A mechanism of `audit --list` that is private for replaced rows")
      ->required();
  command->add_option("--epsilon", flags->epsilon, "The claimed epsilon");
  command->add_option("--domain", flags->domain,
                      "Number of values that a row can have; without --population: more than --rows, at most 16");
  command->add_option("--rows", flags->rows, "Number of rows, drawn without replacement");
  command->add_option("--beta", flags->beta,
                      "Share of pairs of samples that may be told apart. Default: just below the limit of Theorem 7.1, "
                      "which is 1/(rows+1)^2 without --population");
  command->add_option("--population", flags->population_file,
                      "File with the value of each member of the population, one on each line. Default: try every "
                      "population whose members have different values");
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay-central distributional mirrored-mod --domain 8 --rows 4"}});
  command->callback([&chosen, flags] { chosen = [flags] { return run_distributional(*flags); }; });
}

}  // namespace hearsay::central
