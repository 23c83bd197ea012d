// The store that several daemons share: one PostgreSQL database. format.md describes the tables and transactions.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "aggregator/store/store.h"
#include "hearsay/clock.h"

namespace hearsay::store::postgres {

struct Options {
  // A URI as libpq takes it, for example
  // postgresql://hearsay@db1,db2/hearsay?target_session_attrs=read-write&sslmode=verify-full. No error shows the
  // password.
  std::string uri;
  // The daemon's name, 1 to 63 bytes. No other daemon of this database may have the same name: a daemon that opens the
  // store shuts out an earlier daemon with the same name.
  std::string instance = "hearsayd";
  // True if the database is one of several that share a store, see ../spread. If false, open() for writing refuses such
  // a database, because a daemon that uses the database alone would count reports twice.
  bool is_member = false;
  bool read_only = false;  // for verify and export; works on a standby, too

  // Accepts a server that may lose acknowledged commits: a server with `fsync`, `full_page_writes` or
  // `synchronous_commit` off, or with a synchronous standby and `synchronous_commit` at `local` or `remote_write`.
  bool allow_lossy_server = false;
  // Accepts an `sslmode` below verify-full for hosts that are not this machine.
  bool allow_unverified_server = false;

  // If the clocks of the daemon and of the database differ by more than max_clock_skew, the store takes no reports.
  std::chrono::seconds max_clock_skew{60};
  std::chrono::seconds connect_timeout{5};     // for each host of the URI
  std::chrono::seconds statement_timeout{30};  // the server ends a longer statement
  // After a stop was requested, no call waits for an answer for longer than 3 s. A connection to a host that is begun
  // then gets 2 s; one that was begun earlier keeps its connect_timeout. Once a batch has failed, append() fails at
  // once.
  std::stop_token stopping{};

  // For daemons: statistics(), counts() and sealed_ahead() return what a thread read last, even if the database does
  // not answer. The thread reads about once a second, but counts reports less often if counting takes long. If false,
  // each call asks the database.
  bool observes = false;
  // If the database has not answered the reading thread for max_silence, the store is not healthy.
  std::chrono::seconds max_silence{10};
  // How long the store's row in `writers` may stay without an update. Must be well below one day, after which other
  // daemons remove the row.
  std::chrono::seconds max_unseen{3600};

  // See rocks::Options. If several daemons append to a window at the same time, the window may exceed its bound by
  // their reports.
  std::uint64_t max_window_pairs = std::uint64_t{1} << 22U;
  std::uint64_t max_task_windows = 100'000;
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;
};

// Opens the store. `clock` must outlive the store. Errors: kInvalidArgument (the URI or the name of the instance),
// kStoreFailed (the database is not reachable, is a standby, is on another machine without sslmode=verify-full, is part
// of a store over several databases, has no schema or another version of the schema, or has settings that may lose
// commits), kStoreCorrupt (a row cannot be read), kClockUncertain (the clocks differ).
Result<std::unique_ptr<Store>> open(const Options& options, Clock& clock);

// The versions of the schema before and after migrate(); 0 if there was none.
struct Migration {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
// Makes the schema in the database, or upgrades an older schema. Does nothing if the schema is up to date. Ignores the
// name of the instance and the bounds in `options`. Errors: kInvalidArgument (the URI), kStoreFailed (also if the
// schema is newer).
Result<Migration> migrate(const Options& options);

}  // namespace hearsay::store::postgres
