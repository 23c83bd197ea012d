#include <CLI/CLI.hpp>
#include <iostream>
#include <limits>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/output.h"
#include "aggregator/store/rocks/rocks.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct VerifyFlags {
  std::string store;
  std::string backups;
  std::uint32_t number = 0;
  store::DatabaseAllowances allowances;
  console::OutputFormat format = console::OutputFormat::kText;
};

Result<store::VerifyResult> look_at(const VerifyFlags& flags) {
  if (!flags.backups.empty()) return store::rocks::verify_backup(flags.backups, flags.number);
  const std::unique_ptr<Clock> clock = make_system_clock();
  HEARSAY_TRY(const auto store, store::open_to_read(flags.store, flags.allowances, *clock));
  return store::verify(*store);
}

Result<int> verify_store(const VerifyFlags& flags) {
  HEARSAY_TRY(const store::VerifyResult result, look_at(flags));
  const bool right = result.differences.empty();
  console::Table table{{"tasks", "reports", "sealed reports", "differences"},
                       {{std::to_string(result.tasks), std::to_string(result.reports),
                         std::to_string(result.sealed_reports), std::to_string(result.differences.size())}}};
  const Json json = {{"tasks", result.tasks},
                     {"reports", result.reports},
                     {"sealed_reports", result.sealed_reports},
                     {"differences", result.differences}};
  print(table, json, flags.format);
  if (flags.format != console::OutputFormat::kJson) {
    for (const std::string& difference : result.differences) std::cerr << difference << '\n';
  }
  return right ? 0 : 1;
}

}  // namespace

void add_verify_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command = app.add_subcommand(
      "verify", "Recompute every tally from the stored reports, and compare it with the stored tally");
  auto* store = command->add_option(
      "store", flags->store, "Directory of the store, or URI of the database; several URIs in one pair of quotes");
  auto* backups = command->add_option("--backup", flags->backups, "Verify a backup instead: directory of the backups");
  CLI::Option* number = command->add_option("--number", flags->number, "Number of the backup; default: the newest");
  number->needs(backups);
  console::require_whole(*number, 1, std::numeric_limits<std::uint32_t>::max());
  store->excludes(backups);
  add_allowance_flags(*command, flags->allowances);
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"with the daemon stopped", "hearsay verify /var/lib/hearsay/store"},
                                   {"a backup", "hearsay verify --backup /var/backups/hearsay"}});
  command->callback([&chosen, flags] {
    if (flags->store.empty() == flags->backups.empty()) throw CLI::RequiredError("a store or --backup");
    chosen = [flags] { return verify_store(*flags); };
  });
}

}  // namespace hearsay::cli
