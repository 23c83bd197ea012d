#include <CLI/CLI.hpp>
#include <iostream>
#include <limits>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/status_report.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/output.h"
#include "aggregator/store/rocks/rocks.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct BackupFlags {
  ServerFlags server;
  std::uint32_t keep = 0;  // 0: all
};

struct RestoreFlags {
  std::string backups;
  std::string store;
  std::uint32_t number = 0;  // 0: the newest
};

struct RepairFlags {
  std::string store;
  bool drop_damaged_tail = false;
};

struct StatusFlags {
  ServerFlags server;
  std::string store;
  store::DatabaseAllowances allowances;
  console::OutputFormat format = console::OutputFormat::kText;
};

// Returns the status of a store without a daemon. The members have the names of GET /v1/status.
Result<Json> store_status(const StatusFlags& flags) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  HEARSAY_TRY(const auto store, store::open_to_read(flags.store, flags.allowances, *clock));
  HEARSAY_TRY(const auto tasks, store->tasks());
  std::uint64_t counted = 0;
  for (const store::StoredTask& stored : tasks) counted += store->counts(stored.task).reports;
  const store::StoreStatistics held = store->statistics();
  return Json{
      {"now", clock->now()},
      {"tasks", tasks.size()},
      {"counted_reports", counted},
      {"store",
       {{"reports", held.reports}, {"commits", held.commits}, {"blocks", held.blocks}, {"bytes", held.disk_bytes}}}};
}

Result<Json> status_of(const StatusFlags& flags) {
  if (!flags.store.empty()) return store_status(flags);
  HEARSAY_TRY(const Server server, flags.server.resolve());
  HEARSAY_TRY(const std::string status, call(server, "GET", "/v1/status", ""));
  return parse_json(status);
}

}  // namespace

void add_backup_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<BackupFlags>();
  CLI::App* command =
      app.add_subcommand("backup", "Back up the store of the running aggregator into its backup_directory");
  flags->server.add_to(*command);
  CLI::Option* keep = command->add_option("--keep", flags->keep, "Keep only this many of the newest backups");
  console::require_whole(*keep, 1, 10'000);
  console::set_examples(*command, {{"", "hearsay backup --keep 7"}});
  command->callback([&chosen, flags] {
    chosen = [flags]() -> Result<int> {
      HEARSAY_TRY(const Server server, flags->server.resolve());
      const std::string body = flags->keep == 0 ? "{}" : Json{{"keep", flags->keep}}.dump();
      HEARSAY_TRY(const std::string made, call_for_json(server, "POST", "/v1/backups", body));
      std::cout << made << '\n';
      return 0;
    };
  });
}

void add_restore_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<RestoreFlags>();
  CLI::App* command = app.add_subcommand("restore", "Restore a backup into a new directory, and verify its checksums");
  command->add_option("backups", flags->backups, "Directory of the backups")->required();
  command->add_option("store", flags->store, "Directory of the new store; it must be missing or empty")->required();
  CLI::Option* number = command->add_option("--number", flags->number, "Number of the backup; default: the newest");
  console::require_whole(*number, 1, std::numeric_limits<std::uint32_t>::max());
  console::set_examples(*command, {{"", "hearsay restore /var/backups/hearsay /var/lib/hearsay/store"}});
  command->callback([&chosen, flags] {
    chosen = [flags]() -> Result<int> {
      HEARSAY_TRY(const store::BackupInfo restored,
                  store::rocks::restore_backup(flags->backups, flags->store, flags->number));
      const Json shown{{"number", restored.number}, {"time", restored.time}, {"bytes", restored.bytes}};
      std::cout << json_text(shown, 2) << '\n';
      return 0;
    };
  });
}

void add_repair_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<RepairFlags>();
  CLI::App* command = app.add_subcommand(
      "repair",
      "Count the acknowledged commits that a damaged log has lost. The exit status is 1 if some may be lost, "
      "unless --drop-damaged-tail gave them up");
  command->add_option("store", flags->store, "Directory of the store; its daemon must be stopped")->required();
  command->add_flag("--drop-damaged-tail", flags->drop_damaged_tail,
                    "Give the lost commits up, so that the store can be opened");
  console::set_examples(*command, {{"", "hearsay repair /var/lib/hearsay/store"}});
  command->callback([&chosen, flags] {
    chosen = [flags]() -> Result<int> {
      HEARSAY_TRY(const store::rocks::RepairResult result,
                  store::rocks::repair(flags->store, flags->drop_damaged_tail));
      Json shown{{"commits", result.commits}, {"reports", result.reports}, {"dropped", result.dropped}};
      shown["lost_commits"] = result.lost_commits ? Json(*result.lost_commits) : Json();
      std::cout << json_text(shown, 2) << '\n';
      return result.dropped || result.lost_commits == 0U ? 0 : 1;
    };
  });
}

void add_status_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<StatusFlags>();
  CLI::App* command = app.add_subcommand("status", "Print the state of the running aggregator, or of a store");
  command->add_option(
      "store", flags->store,
      "Print the state of this store instead: URI of a database, or directory of a stopped daemon's store");
  add_allowance_flags(*command, flags->allowances);
  flags->server.add_to(*command);
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay status"}});
  command->callback([&chosen, flags] {
    chosen = [flags]() -> Result<int> {
      HEARSAY_TRY(const Json status, status_of(*flags));
      if (flags->format == console::OutputFormat::kText)
        std::cout << status_text(status);
      else
        console::print(status_table(status), status, flags->format);
      return 0;
    };
  });
}

}  // namespace hearsay::cli
