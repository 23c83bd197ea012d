// `hearsay store map` shows and changes the map. If a store has several databases, the map says which databases take
// the reports of which windows.
#include <CLI/CLI.hpp>
#include <iostream>
#include <limits>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/store/spread/change.h"
#include "aggregator/store/spread/postgres_member.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct MapFlags {
  std::vector<std::string> databases;
  std::vector<std::string> former;  // databases of earlier versions of the map
  std::optional<UnixSeconds> from;
  store::DatabaseAllowances allowances;
};

Result<std::vector<store::spread::Member>> open_members(const MapFlags& flags, bool read_only, Clock& clock) {
  std::vector<std::string> uris = flags.databases;
  uris.insert(uris.end(), flags.former.begin(), flags.former.end());
  std::vector<store::spread::Member> members;
  for (const std::string& uri : uris) {
    HEARSAY_CHECK_OK(store::check_location(uri));
    if (store::databases_of(uri).size() != 1 || !store::is_database(uri)) {
      return Error{ErrorCode::kInvalidArgument,
                   "name each database by its URI, postgresql://USER@HOST/DATABASE, in an argument of its own"};
    }
    store::postgres::Options options;
    options.uri = uri;
    options.instance = "hearsay store map";
    options.read_only = read_only;
    options.allow_lossy_server = flags.allowances.lossy;
    options.allow_unverified_server = flags.allowances.unverified;
    HEARSAY_TRY(store::spread::Member member, store::spread::open_member(options, clock));
    members.push_back(std::move(member));
  }
  return members;
}

Json entry_json(const store::spread::MapEntry& entry) {
  return {{"version", entry.version}, {"from", entry.from}, {"databases", entry.servers}};
}

void print_map(const store::spread::MapState& state, const std::vector<store::spread::Member>& members) {
  Json entries = Json::array();
  for (const auto& entry : state.entries) entries.push_back(entry_json(entry));
  Json names = Json::object();
  for (const auto& member : members) names[member.keeper->server()] = member.name;
  Json json{{"versions", std::move(entries)}, {"databases", std::move(names)}, {"earliest_change", state.earliest}};
  if (state.proposed) json["unfinished"] = entry_json(*state.proposed);
  std::cout << json_text(json, 2) << '\n';
}

Result<int> show(const MapFlags& flags) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  HEARSAY_TRY(const auto members, open_members(flags, true, *clock));
  HEARSAY_TRY(const store::spread::MapState state, read_map(members, {}));
  print_map(state, members);
  return 0;
}

Result<int> add(const MapFlags& flags) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  HEARSAY_TRY(const auto members, open_members(flags, false, *clock));
  std::vector<std::string> servers;
  for (std::size_t i = 0; i < flags.databases.size(); ++i) servers.push_back(members[i].keeper->server());
  HEARSAY_TRY(const store::spread::MapState state, add_entry(members, servers, flags.from, {}));
  print_map(state, members);
  return 0;
}

CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& help, MapFlags& flags) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("databases", flags.databases, "URIs of the databases, without passwords")->required();
  add_allowance_flags(*command, flags.allowances);
  return command;
}

}  // namespace

void add_map_commands(CLI::App& app, console::Action& chosen) {
  CLI::App* map = app.add_subcommand("map", "Show or change which of several databases take reports");
  map->require_subcommand(1);
  auto shown = std::make_shared<MapFlags>();
  CLI::App* command = add_subcommand(*map, "show", "Show the map that the databases hold", *shown);
  console::set_examples(
      *command, {{"", "hearsay store map show postgresql://hearsay@db1/hearsay postgresql://hearsay@db2/hearsay"}});
  command->callback([&chosen, shown] { chosen = [shown] { return show(*shown); }; });

  auto added = std::make_shared<MapFlags>();
  command = add_subcommand(*map, "add",
                           "Spread reports over these databases, in this order, from a time on. If a change was "
                           "interrupted, repeat the command to complete it",
                           *added);
  command->add_option("--former", added->former,
                      "URI of a database that keeps its reports, but takes no reports of new windows; may be repeated");
  CLI::Option* from = command->add_option("--from", added->from,
                                          "Time in seconds since 1970; the new version of the map holds for windows "
                                          "that start then or later; default: the earliest safe time");
  console::require_whole(*from, 1, std::numeric_limits<std::int64_t>::max());
  console::set_examples(*command,
                        {{"add a second database",
                          "hearsay store map add postgresql://hearsay@db1/hearsay postgresql://hearsay@db2/hearsay"}});
  command->callback([&chosen, added] { chosen = [added] { return add(*added); }; });
}

}  // namespace hearsay::cli
