#include "aggregator/central/cli/audit_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "aggregator/central/cli/audit_report.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

struct AuditFlags {
  std::string mechanism;
  std::string epsilon;
  std::optional<std::uint32_t> domain;
  std::optional<std::uint32_t> rows;
  std::string scale_factor;
  bool list = false;
  console::OutputFormat format = console::OutputFormat::kText;
};

Result<int> run_audit(const AuditFlags& flags) {
  if (flags.list == !flags.mechanism.empty()) {
    return Error{ErrorCode::kInvalidArgument, "name one mechanism to audit, or list all of them with --list"};
  }
  if (flags.list) return list_mechanisms(flags.format);
  AuditRequest request{flags.mechanism};
  if (!flags.epsilon.empty()) {
    HEARSAY_TRY(request.epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  }
  request.domain = flags.domain;
  request.rows = flags.rows;
  if (!flags.scale_factor.empty()) {
    HEARSAY_TRY(request.scale_factor, console::named("--scale-factor", Rational::parse_fraction(flags.scale_factor)));
  }
  return audit_mechanism(request, flags.format);
}

}  // namespace

void add_audit_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = app.add_subcommand(
      "audit",
      "Compute the most that a mechanism's releases reveal. The exit status is 1 if this is more than epsilon");
  CLI::Option* mechanism =
      command->add_option("mechanism", flags->mechanism, "Name of a mechanism; --list prints the names");
  command->add_flag("--list", flags->list, "List the mechanisms, and the broken ones that the audit must refute");
  command->add_option("--epsilon", flags->epsilon, "The claimed epsilon")->needs(mechanism);
  command->add_option("--domain", flags->domain, "Number of values that a row can have")->needs(mechanism);
  command->add_option("--rows", flags->rows, "Number of rows. If rows are added or removed: the largest number of rows")
      ->needs(mechanism);
  command
      ->add_option("--scale-factor", flags->scale_factor,
                   "Plant a mistake: multiply the scale of the noise by this fraction, e.g. 1/2")
      ->needs(mechanism);
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay-central audit cells --epsilon 0.5"}});
  command->callback([&chosen, flags] { chosen = [flags] { return run_audit(*flags); }; });
}

}  // namespace hearsay::central
