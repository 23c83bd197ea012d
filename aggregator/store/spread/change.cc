#include "aggregator/store/spread/change.h"

#include <algorithm>
#include <optional>

#include "aggregator/store/spread/known_map.h"
#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

// A new entry may begin at most kFarthest seconds after the earliest possible start.
constexpr std::uint64_t kFarthest = 400 * std::uint64_t{86'400};

const Member* find(const std::vector<Member>& members, const std::string& server) {
  const auto member =
      std::find_if(members.begin(), members.end(), [&](const Member& each) { return each.keeper->server() == server; });
  return member == members.end() ? nullptr : &*member;
}

// An error names the database.
Result<MapRow> update(const Member& member, const MapKeeper::Change& change) {
  auto row = member.keeper->update(change);
  return row ? std::move(row) : member.named(row.error());
}

Result<MapRow> read(const Member& member) {
  return update(member, [](MapRow&, UnixSeconds) { return Result<void>(); });
}

// Returns the databases that must accept the entry: all databases of the map and of the entry. The head is first.
Result<std::vector<const Member*>> concerned(const std::vector<Member>& members, const std::vector<MapEntry>& decided,
                                             const MapEntry& entry) {
  std::vector<MapEntry> all = decided;
  all.push_back(entry);
  std::vector<const Member*> found;
  for (const std::string& server : servers_of(all)) {
    const Member* const member = find(members, server);
    if (member == nullptr) {
      return Error{ErrorCode::kInvalidArgument, "the database " + server + " belongs to the map and is not given"};
    }
    found.push_back(member);
  }
  return found;
}

// Returns an error if a database that joins has tasks, because such a database may hold reports that the map assigns to
// other databases. Exception: if the first entry of the map has a single database, this database may have tasks.
Result<void> check_empty(const Member& member, const MapEntry& entry) {
  const bool alone = entry.version == 1 && entry.servers.size() == 1;
  if (alone) return {};
  HEARSAY_TRY(const MapRow row, read(member));
  if (!row.entries.empty() || row.proposed) return {};
  const auto tasks = member.store->tasks();
  if (!tasks) return member.named(tasks.error());
  if (tasks->empty()) return {};
  return Error{ErrorCode::kInvalidArgument,
               member.name +
                   " holds tasks already. A database that joins others must be empty. Make a map of this database "
                   "alone first, and then add the others"};
}

Result<void> copy_tasks(const Member& head, const Member& to) {
  const auto tasks = head.store->tasks();
  if (!tasks) return head.named(tasks.error());
  for (const StoredTask& stored : *tasks) {
    auto copied = to.store->add_task(stored.task);
    if (copied && stored.closed_at) copied = to.store->close_task(stored.task.id(), *stored.closed_at);
    if (!copied) return to.named(copied.error());
  }
  return {};
}

// Withdraws the proposal everywhere, if one of the databases will never accept it. Returns `why`, the error of a
// database that did not accept the proposal.
Result<void> give_up(const std::vector<const Member*>& concerned, const MapEntry& entry, const Error& why) {
  bool hopeless = false;
  for (const Member* member : concerned) {
    HEARSAY_TRY(const MapRow row, read(*member));
    hopeless = hopeless || refuses_for_good(row, entry);
  }
  if (!hopeless) return why;
  for (const Member* member : concerned) {
    HEARSAY_TRY(const MapRow row, update(*member, [&](MapRow& each, UnixSeconds) {
                  withdraw(each, entry);
                  return Result<void>();
                }));
  }
  return why;
}

// Gives the head's tasks and the decided entries to all databases that lack them.
Result<void> settle(const std::vector<const Member*>& concerned, const std::vector<MapEntry>& decided) {
  for (const Member* member : concerned) {
    if (member != concerned.front()) HEARSAY_CHECK_OK(copy_tasks(*concerned.front(), *member));
  }
  for (const Member* member : concerned) {
    // A row that has the entries is written, too, because perhaps no standby has confirmed the entries.
    const auto row = member->keeper->rewrite([&](MapRow& each, UnixSeconds) { return catch_up(each, decided); });
    if (!row) return member->named(row.error());
  }
  return {};
}

// Lets all databases accept the entry, and only then decides the entry.
Result<void> complete(const std::vector<Member>& members, const std::vector<MapEntry>& decided, const MapEntry& entry) {
  HEARSAY_TRY(const std::vector<const Member*> all, concerned(members, decided, entry));
  for (const Member* member : all) {
    const auto row = update(*member, [&](MapRow& each, UnixSeconds) { return propose(each, decided, entry); });
    if (!row && row.error().code == ErrorCode::kTaskConflict) return give_up(all, entry, row.error());
    if (!row) return row.error();
  }
  std::vector<MapEntry> with_entry = decided;
  with_entry.push_back(entry);
  return settle(all, with_entry);
}

// A change of the map holds the lock of the head.
Result<const Member*> head_of(const std::vector<Member>& members, const MapState& state,
                              const std::vector<std::string>& servers) {
  std::string server = servers.front();
  if (state.proposed) server = state.proposed->servers.front();
  if (!state.entries.empty()) server = state.entries.front().servers.front();
  const Member* const head = find(members, server);
  if (head != nullptr) return head;
  return Error{ErrorCode::kInvalidArgument, "the database " + server + " belongs to the map and is not given"};
}

Result<MapEntry> next_entry(const MapState& state, const std::vector<std::string>& servers,
                            std::optional<UnixSeconds> from) {
  MapEntry entry{state.entries.size() + 1, 0, servers};
  if (state.entries.empty()) {
    if (from.value_or(0) == 0) return entry;
    return Error{ErrorCode::kInvalidArgument, "the first version of the map holds for all windows; give no start"};
  }
  entry.from = from.value_or(state.earliest);
  if (entry.from > state.earliest + kFarthest) {
    return Error{ErrorCode::kInvalidArgument,
                 "a new version of the map may begin at most 400 days from now; the start is in seconds since 1970"};
  }
  if (entry.from >= state.earliest) return entry;
  return Error{ErrorCode::kInvalidArgument, "the daemons may have opened windows up to " +
                                                std::to_string(state.earliest) +
                                                "; a new version may begin from then on"};
}

}  // namespace

Result<MapState> read_map(const std::vector<Member>& members, const Options& options) {
  MapState state;
  KnownMap map({});
  std::optional<MapEntry> proposed;
  UnixSeconds latest_clock = 0;
  // The largest max_ahead of all databases counts, because a database may have been restored from an older copy.
  std::uint64_t max_ahead = options.max_ahead;
  for (const Member& member : members) {
    HEARSAY_TRY(const MapRow row, update(member, [&](MapRow&, UnixSeconds now) {
                  latest_clock = std::max(latest_clock, now);
                  return Result<void>();
                }));
    state.earliest = std::max(state.earliest, row.opened_before);
    max_ahead = std::max(max_ahead, row.max_ahead);
    if (const auto learnt = map.learn(row.entries); !learnt) return member.named(learnt.error());
    if (row.proposed) proposed = row.proposed;
  }
  state.earliest = std::max(state.earliest, latest_clock + max_ahead);
  state.entries = *map.entries();
  // An entry that some database has decided is in state.entries, so such an entry is not put into state.proposed.
  if (proposed && proposed->version > state.entries.size()) state.proposed = proposed;
  if (!state.entries.empty()) state.earliest = std::max(state.earliest, state.entries.back().from + 1);
  return state;
}

Result<MapState> add_entry(const std::vector<Member>& members, const std::vector<std::string>& servers,
                           std::optional<UnixSeconds> from, const Options& options) {
  if (servers.empty()) return Error{ErrorCode::kInvalidArgument, "an entry of the map must name at least one database"};
  HEARSAY_TRY(MapState state, read_map(members, options));
  HEARSAY_TRY(const Member* const head, head_of(members, state, servers));
  const auto lock = head->keeper->lock();
  if (!lock) return head->named(lock.error());
  HEARSAY_TRY(state, read_map(members, options));
  if (state.proposed) {
    HEARSAY_CHECK_OK(complete(members, state.entries, *state.proposed));
    HEARSAY_TRY(state, read_map(members, options));
  } else if (!state.entries.empty()) {
    HEARSAY_TRY(const std::vector<const Member*> all, concerned(members, state.entries, state.entries.back()));
    HEARSAY_CHECK_OK(settle(all, state.entries));
  }
  if (!state.entries.empty() && state.entries.back().servers == servers) return state;
  HEARSAY_TRY(const MapEntry entry, next_entry(state, servers, from));
  for (const std::string& server : servers) {
    const Member* const member = find(members, server);
    if (member != nullptr) HEARSAY_CHECK_OK(check_empty(*member, entry));
  }
  HEARSAY_CHECK_OK(complete(members, state.entries, entry));
  return read_map(members, options);
}

}  // namespace hearsay::store::spread
