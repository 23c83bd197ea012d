#include "aggregator/daemon/open_store.h"

#include "aggregator/daemon/readiness.h"
#include "aggregator/store/location/location.h"
#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/rocks/rocks.h"
#include "aggregator/store/spread/postgres_member.h"

namespace hearsay::daemon {

Result<std::unique_ptr<store::Store>> open_store(const DaemonConfig& config, Clock& clock,
                                                 const std::stop_token& stopping) {
  if (!store::is_database(config.store)) {
    return store::rocks::open({.path = config.store,
                               .max_index_bytes = config.max_index_bytes,
                               .max_window_pairs = config.max_window_pairs,
                               .max_task_windows = config.max_task_windows,
                               .max_tally_pairs = config.max_tally_pairs});
  }
  std::vector<store::postgres::Options> databases;
  for (const std::string& uri : store::databases_of(config.store)) {
    store::postgres::Options& options = databases.emplace_back();
    options.uri = uri;
    options.instance = config.instance;
    options.observes = true;
    options.stopping = stopping;
    options.allow_lossy_server = config.allow_lossy_database;
    options.allow_unverified_server = config.allow_unverified_database;
    options.max_window_pairs = config.max_window_pairs;
    options.max_task_windows = config.max_task_windows;
    options.max_tally_pairs = config.max_tally_pairs;
  }
  store::spread::Options spread;
  spread.max_ahead =
      static_cast<std::uint64_t>((config.clock_skew + databases.front().max_clock_skew).count()) + spread.lead;
  spread.max_tally_pairs = config.max_tally_pairs;
  return store::spread::open_databases(databases, spread, clock);
}

std::optional<std::uint64_t> free_store_bytes(const DaemonConfig& config) {
  if (store::is_database(config.store)) return std::nullopt;
  return free_disk_bytes(config.store);
}

}  // namespace hearsay::daemon
