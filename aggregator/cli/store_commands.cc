#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/help.h"
#include "aggregator/store/copy/copy.h"
#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/rocks/rocks.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct MigrateFlags {
  std::string database;
  store::DatabaseAllowances allowances;
};

struct CopyFlags {
  std::string from;
  std::string to;
  store::DatabaseAllowances allowances;
};

// Opens the store to copy into, with limits on windows that no copied store exceeds.
Result<std::unique_ptr<store::Store>> open_to_fill(const CopyFlags& flags, Clock& clock) {
  constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 32U;
  HEARSAY_CHECK_OK(store::check_location(flags.to));
  if (!store::is_database(flags.to)) {
    store::rocks::Options options;
    options.path = flags.to;
    options.max_window_pairs = options.max_task_windows = kUnbounded;
    return store::rocks::open(options);
  }
  store::postgres::Options options;
  options.uri = flags.to;
  options.instance = "hearsay store copy";
  options.allow_lossy_server = flags.allowances.lossy;
  options.allow_unverified_server = flags.allowances.unverified;
  options.max_window_pairs = options.max_task_windows = kUnbounded;
  return store::postgres::open(options, clock);
}

// Copies the store, and then compares the two stores. Also compares the copy's tallies with the copy's reports.
Result<int> copy(const CopyFlags& flags) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  HEARSAY_TRY(const auto from, store::open_to_read(flags.from, flags.allowances, *clock));
  HEARSAY_TRY(const auto to, open_to_fill(flags, *clock));
  HEARSAY_TRY(const store::CopyResult copied, store::copy(*from, *to));
  HEARSAY_TRY(std::vector<std::string> differences, store::differences(*from, *to));
  HEARSAY_TRY(const store::VerifyResult verified, store::verify(*to));
  differences.insert(differences.end(), verified.differences.begin(), verified.differences.end());
  std::cout << json_text(Json{{"tasks", copied.tasks},
                              {"copied_reports", copied.copied_reports},
                              {"present_reports", copied.present_reports},
                              {"sealed_reports", copied.sealed_reports},
                              {"differences", differences}},
                         2)
            << '\n';
  return differences.empty() ? 0 : 1;
}

Result<int> migrate(const MigrateFlags& flags) {
  HEARSAY_CHECK_OK(store::check_location(flags.database));
  if (!store::is_database(flags.database)) {
    return Error{ErrorCode::kInvalidArgument,
                 "this command needs a PostgreSQL database: name it as postgresql://USER@HOST/DATABASE"};
  }
  store::postgres::Options options;
  options.uri = flags.database;
  options.allow_lossy_server = flags.allowances.lossy;
  options.allow_unverified_server = flags.allowances.unverified;
  HEARSAY_TRY(const store::postgres::Migration migration, store::postgres::migrate(options));
  std::cout << json_text(Json{{"from", migration.from}, {"to", migration.to}}, 2) << '\n';
  return 0;
}

void add_migrate_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<MigrateFlags>();
  CLI::App* command = app.add_subcommand(
      "migrate", "Create the tables in a PostgreSQL database, or bring tables of an earlier version up to date");
  command->add_option("database", flags->database, "URI of the database, without a password")->required();
  add_allowance_flags(*command, flags->allowances);
  console::set_examples(*command, {{"", "hearsay store migrate postgresql://hearsay@db.example.org/hearsay"}});
  command->callback([&chosen, flags] { chosen = [flags] { return migrate(*flags); }; });
}

void add_copy_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<CopyFlags>();
  CLI::App* command = app.add_subcommand("copy",
                                         "Copy all tasks and reports into another store, and compare both. Stop the "
                                         "daemons first. To resume, run the command again");
  command->add_option("from", flags->from, "Directory of a store, or URI of a database")->required();
  command
      ->add_option("to", flags->to,
                   "Directory of a store, which is made if it is missing, or URI of a database that has its tables")
      ->required();
  add_allowance_flags(*command, flags->allowances);
  console::set_examples(*command, {{"From one machine to a database",
                                    "hearsay store copy /var/lib/hearsay/store postgresql://hearsay@db/hearsay"}});
  command->callback([&chosen, flags] { chosen = [flags] { return copy(*flags); }; });
}

}  // namespace

void add_store_commands(CLI::App& app, console::Action& chosen) {
  CLI::App* store =
      app.add_subcommand("store", "Prepare a database, copy a store, or spread reports over several databases");
  store->require_subcommand(1);
  add_migrate_command(*store, chosen);
  add_copy_command(*store, chosen);
  add_map_commands(*store, chosen);
}

}  // namespace hearsay::cli
