#include "aggregator/store/spread/spread_store.h"

#include <algorithm>
#include <set>

#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

Result<void> check_members(const std::vector<Member>& members, const std::vector<MapEntry>& entries) {
  const std::vector<std::string> wanted = servers_of(entries);
  std::set<std::string> missing(wanted.begin(), wanted.end());
  std::set<std::string> seen;
  for (const Member& member : members) {
    const std::string& server = member.keeper->server();
    if (!seen.insert(server).second) {
      return Error{ErrorCode::kInvalidArgument, member.name + " is a database that is configured twice: " + server};
    }
    if (std::find(wanted.begin(), wanted.end(), server) == wanted.end()) {
      return Error{ErrorCode::kInvalidArgument, member.name + " is the database " + server +
                                                    ", which the map does not name; `hearsay store map` adds it"};
    }
    missing.erase(server);
  }
  if (missing.empty()) return {};
  return Error{ErrorCode::kInvalidArgument, "the map also names the database " + *missing.begin() +
                                                ": name all databases of the map; `hearsay store map show` lists them"};
}

Expiry failure_of(const Result<void>& done) { return {0, done ? std::nullopt : std::optional(done.error())}; }
Result<void> only_failure(const Upkeep::Done& done) {
  if (done.ended.failure) return *done.ended.failure;
  return done.late ? *done.late : Result<void>();
}

}  // namespace

Result<std::vector<MapRow>> check_map(const std::vector<Member>& members) {
  std::vector<MapRow> rows;
  KnownMap map({});
  std::vector<MapEntry> named_entries;  // the decided entries, and entries that are only proposed
  for (const Member& member : members) {
    const auto row = member.keeper->update([](MapRow&, UnixSeconds) { return Result<void>(); });
    if (!row) return member.named(row.error());
    if (const auto learnt = map.learn(row->entries); !learnt) return member.named(learnt.error());
    named_entries.insert(named_entries.end(), row->entries.begin(), row->entries.end());
    if (row->proposed) named_entries.push_back(*row->proposed);
    rows.push_back(*row);
  }
  if (map.entries()->empty()) {
    return Error{
        ErrorCode::kStoreFailed,
        "the databases have no map yet that says which of them take reports; make one with `hearsay store map add`"};
  }
  HEARSAY_CHECK_OK(check_members(members, named_entries));
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!rows[i].entries.empty() || rows[i].proposed) continue;
    return members[i].named({ErrorCode::kStoreCorrupt, "it has lost its row of the map; was an older copy restored?"});
  }
  return rows;
}

Result<std::unique_ptr<Store>> open(const std::vector<Member>& members, const Options& options) {
  HEARSAY_TRY(std::vector<MapRow> rows, check_map(members));
  return std::unique_ptr<Store>(std::make_unique<SpreadStore>(members, std::move(rows), options));
}

SpreadStore::SpreadStore(const std::vector<Member>& members, std::vector<MapRow> rows, const Options& options)
    : options_(options),
      map_({}),
      expiries_(members, options.patience),
      clock_notes_(members, options.patience),
      checks_(members, options.patience) {
  for (const MapRow& row : rows) static_cast<void>(map_.learn(row.entries));  // check_map() found that the rows agree
  for (std::size_t i = 0; i < members.size(); ++i) {
    lanes_.push_back(std::make_unique<Lane>(members[i], std::move(rows[i]), map_, options_));
  }
}

Lane* SpreadStore::find_lane(const std::string& server) const {
  const auto lane =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& each) { return each->server() == server; });
  return lane == lanes_.end() ? nullptr : lane->get();
}

// check_map() has found the head among the members, and the first entry does not change.
Lane& SpreadStore::head() const { return *find_lane(map_.entries()->front().servers.front()); }

Expiry SpreadStore::expire(UnixSeconds now) {
  // A late database is no error here, because sealing may take long. statistics() names a database that does not
  // answer.
  return expiries_.run([now](Store& store) { return store.expire(now); }).ended;
}

std::uint64_t SpreadStore::sealed_ahead(UnixSeconds now) const {
  std::uint64_t ahead = 0;
  for (const auto& lane : lanes_) ahead = std::max(ahead, lane->member().store->sealed_ahead(now));
  return ahead;
}

// A change of a task reaches the head last, so only the head is asked.
bool SpreadStore::tasks_changed() { return head().member().store->tasks_changed(); }

Result<void> SpreadStore::note_clock(UnixSeconds now) {
  return only_failure(clock_notes_.run([now](Store& store) { return failure_of(store.note_clock(now)); }));
}

std::optional<UnixSeconds> SpreadStore::noted_clock() const {
  std::optional<UnixSeconds> last;
  for (const auto& lane : lanes_) last = std::max(last, lane->member().store->noted_clock());
  return last;
}

Result<void> SpreadStore::check_directory() {
  return only_failure(checks_.run([](Store& store) { return failure_of(store.check_directory()); }));
}

bool SpreadStore::healthy() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->member().store->healthy(); });
}

// Returns an error only if all databases fail, because after an error a load balancer sends all reports to other
// daemons. If a single database fails, statistics() names the database.
std::optional<Error> SpreadStore::failure() const {
  if (healthy()) return std::nullopt;
  for (const auto& lane : lanes_) {
    if (const auto failure = lane->member().store->failure()) return lane->member().named(*failure);
  }
  return std::nullopt;
}

Result<BackupInfo> SpreadStore::backup(const std::string&, std::uint32_t, const std::stop_token&) const {
  return Error{ErrorCode::kUnsupported,
               "a store over several databases makes no backups; back up each database by its own means"};
}

StoreStatistics SpreadStore::statistics() const {
  StoreStatistics sum;
  for (const auto& lane : lanes_) {
    const StoreStatistics one = lane->member().store->statistics();
    if (lane.get() == &head()) sum.tasks = one.tasks;
    sum.reports += one.reports;
    sum.indexed_reports += one.indexed_reports;
    sum.index_bytes += one.index_bytes;
    sum.spilled = sum.spilled || one.spilled;
    sum.blocks += one.blocks;
    sum.commits += one.commits;
    sum.disk_bytes += one.disk_bytes;
    const auto failure = lane->member().store->failure();
    const auto trouble = failure ? lane->member().named(*failure) : lane->trouble();
    if (trouble) sum.unavailable.push_back(trouble->message);
    DatabaseState& state = sum.databases.emplace_back(DatabaseState{lane->member().name, trouble});
    for (const DatabaseState& own : one.databases) {
      state.silent_seconds = own.silent_seconds;
      state.statistics_age_seconds = own.statistics_age_seconds;
    }
  }
  for (const std::string& server : servers_of(*map_.entries())) {
    if (find_lane(server) == nullptr)
      sum.unavailable.push_back("the map names the database " + server + ", which this configuration lacks");
  }
  sum.healthy = healthy();
  return sum;
}

}  // namespace hearsay::store::spread
