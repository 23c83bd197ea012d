#include "aggregator/central/cli/distributional_command.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

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
  console::OutputFormat format = console::OutputFormat::kText;
};

std::string loss_text(double low, double high) {
  if (std::isinf(low)) return "unbounded";
  const std::string least = console::short_number(low, 6);
  const std::string most = std::isinf(high) ? "unbounded" : console::short_number(high, 6);
  return least == most ? least : least + " to " + most;
}

// JSON has no infinity.
Json loss_json(double value) { return std::isinf(value) ? Json("unbounded") : Json(value); }

Result<int> run_distributional(const DistributionalFlags& flags) {
  AuditRequest request{flags.mechanism};
  if (!flags.epsilon.empty()) {
    HEARSAY_TRY(request.epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  }
  request.domain = flags.domain;
  request.rows = flags.rows;
  HEARSAY_TRY(const AuditedMechanism mechanism, audited_mechanism(request));
  const auto& universe = mechanism.universe;
  if (universe.domain <= universe.rows && !(flags.domain && flags.rows)) {
    const std::string missing = flags.domain ? "--rows is" : flags.rows ? "--domain is" : "--domain and --rows are";
    return Error{ErrorCode::kInvalidArgument, missing +
                                                  " missing: rows are drawn without replacement, so a row needs "
                                                  "more values than there are rows, and '" +
                                                  mechanism.name + "' has " + std::to_string(universe.domain) +
                                                  " values and " + std::to_string(universe.rows) + " rows by default"};
  }
  const double largest = DistributionalLoss::largest_beta(mechanism.universe.rows);
  const double beta = flags.beta.value_or(largest * 0.999);
  HEARSAY_TRY(const DistributionalLoss found, distributional_loss(mechanism, beta));
  const bool applies = beta < largest;
  const std::string verdict = !applies                       ? "beta is too large for it"
                              : found.implies_differential() ? "holds"
                                                             : "refuted";
  std::string values;
  for (const std::uint32_t value : found.population) values += (values.empty() ? "" : ", ") + std::to_string(value);
  console::Table table{
      {"item", "value"},
      {{"mechanism", mechanism.name},
       {"differential epsilon claimed", mechanism.claimed.to_string()},
       {"differential epsilon, distinct rows, at least", loss_text(found.differential_low, found.differential_low)},
       {"beta", console::short_number(beta)},
       {"distributional alpha", loss_text(found.alpha_low, found.alpha_high)},
       {"worst population", "uniform on [" + values + "]"},
       {"populations", std::to_string(found.populations)},
       {"Theorem 7.1", verdict}}};
  Json json{{"mechanism", mechanism.name},
            {"claimed", mechanism.claimed.to_string()},
            {"differential_low", loss_json(found.differential_low)},
            {"beta", beta},
            {"alpha_low", loss_json(found.alpha_low)},
            {"alpha_high", loss_json(found.alpha_high)},
            {"population", found.population},
            {"populations", found.populations},
            {"theorem_7_1", verdict}};
  console::print(table, json, flags.format);
  return applies && !found.implies_differential() ? 1 : 0;
}

}  // namespace

void add_distributional_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<DistributionalFlags>();
  CLI::App* command = app.add_subcommand(
      "distributional", "Compute what a central mechanism reveals about which sample of a population it was given");
  command->add_option("mechanism", flags->mechanism, "A mechanism of `audit --list`, private under replaced rows")
      ->required();
  command->add_option("--epsilon", flags->epsilon, "The epsilon that is claimed");
  command->add_option("--domain", flags->domain, "Values a row can have: more than rows, 16 at most");
  command->add_option("--rows", flags->rows, "Rows, drawn without replacement");
  command->add_option("--beta", flags->beta,
                      "Share of pairs of samples that may be told apart; default just below 1/(rows+1)^2");
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay-central distributional mirrored-mod --domain 8 --rows 4"}});
  command->callback([&chosen, flags] { chosen = [flags] { return run_distributional(*flags); }; });
}

}  // namespace hearsay::central
