// Counts the commits that are lost in the damaged end of a log, and drops that end.
#include <algorithm>

#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {

Result<RepairResult> repair(const std::string& path, bool drop_damaged_tail) {
  return RocksStore::repair(path, rocksdb::Env::Default(), drop_damaged_tail);
}

Result<RepairResult> RocksStore::repair(const std::string& path, rocksdb::Env* env, bool drop_damaged_tail) {
  constexpr auto kMode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  if (!env->FileExists(path + "/CURRENT").ok()) {
    return failed("there is no " + path + "/CURRENT; restore a backup");
  }
  RepairResult result;
  const auto newest = NewestMark::read(*env, path);
  if (!newest && newest.error().code != ErrorCode::kStoreCorrupt) return newest.error();
  {
    // Before anything is changed, the store must open without the log's damaged end.
    RocksStore rest({.path = path, .read_only = true}, env, tally::Tally::kMaxReports);
    const bool being_made = newest && *newest == NewestMark::kBeingMade;
    HEARSAY_TRY(const bool made, rest.find_store(kMode, being_made));
    if (!made) return failed(path + " was not completely made; the next start makes it");
    HEARSAY_CHECK_OK(rest.load());
    result.commits = rest.totals_.commits;
    result.reports = rest.totals_.live_reports;
  }
  if (newest && *newest) result.lost_commits = **newest - std::min(**newest, result.commits);
  if (!drop_damaged_tail) return result;
  RocksStore store({.path = path}, env, tally::Tally::kMaxReports);
  HEARSAY_CHECK_OK(store.open_database(false, kMode));
  HEARSAY_TRY(store.mark_, NewestMark::create(*env, path, result.commits));
  HEARSAY_CHECK_OK(store.stop_cleanly());
  result.dropped = true;
  return result;
}

}  // namespace hearsay::store::rocks
