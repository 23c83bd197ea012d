// The store that several daemons share: one PostgreSQL database. Tables and transactions: format.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "aggregator/store/store.h"
#include "hearsay/clock.h"

namespace hearsay::store::postgres {

struct Options {
  // As libpq takes it, e.g. postgresql://hearsay@db1,db2/hearsay?target_session_attrs=read-write&sslmode=verify-full.
  // No error names the password.
  std::string uri;
  // The daemon's name, which no other daemon of this database has: a daemon that opens the store under this name shuts
  // out an earlier one of the same name. 1 to 63 bytes.
  std::string instance = "hearsayd";
  // Whether the database is one of several that share a store, see ../spread. Daemons that use such a database on its
  // own would count reports twice: open() refuses them.
  bool is_member = false;
  bool read_only = false;  // for verify and export: makes no writer's row, also on a standby

  // A server with `fsync` or `full_page_writes` off, or with `synchronous_commit` off, or below `on` where a standby is
  // to be synchronous, may lose what it acknowledged. Such a server is refused unless this is set.
  bool allow_lossy_server = false;
  // `sslmode` below verify-full is refused for hosts off this machine unless this is set.
  bool allow_unverified_server = false;

  // A daemon whose clock differs from the database's by more than this takes nothing.
  std::chrono::seconds max_clock_skew{60};
  std::chrono::seconds connect_timeout{5};     // for each host of the URI
  std::chrono::seconds statement_timeout{30};  // of what append() asks; a longer wait fails the batch

  // Whether a thread reads statistics(), counts() and sealed_ahead() once a second, and the calls tell what it read
  // last: for daemons, which answer others while the database does not. Without, the calls ask the database.
  bool observes = false;
  // A database that has not answered that thread for so long has failed.
  std::chrono::seconds max_silence{10};
  // How long a writer's row may stay without an update: well below the day after which others take the row away.
  std::chrono::seconds max_unseen{3600};

  // See rocks::Options. A window may pass its bound by what other daemons have in flight.
  std::uint64_t max_window_pairs = std::uint64_t{1} << 22U;
  std::uint64_t max_task_windows = 100'000;
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;
};

// Opens the store. `clock` must outlive the store.
// Errors: kInvalidArgument (the URI or the name of the instance), kStoreFailed (not reachable, refused, a standby, no
// schema or another version of the schema, settings that may lose commits), kClockUncertain (the clocks differ).
Result<std::unique_ptr<Store>> open(const Options& options, Clock& clock);

// Versions of the schema; 0: there is none.
struct Migration {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
// Makes the schema in the database, or brings an older one to this version; does nothing to one of this version. Of
// `options`, the name of the instance and the bounds do not matter. Errors: as open(); kStoreFailed also for a newer
// schema.
Result<Migration> migrate(const Options& options);

}  // namespace hearsay::store::postgres
