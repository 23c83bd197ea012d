// One store over several databases: reports spread by id, as the map says. The map, and why no report is counted twice:
// format.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/store/spread/keeper.h"
#include "aggregator/store/store.h"

namespace hearsay::store::spread {

// One database.
struct Member {
  std::string name;  // for people and logs: host and database, without a password
  std::shared_ptr<Store> store;
  std::shared_ptr<MapKeeper> keeper;

  // The error of a call to this database, which is then named.
  Error named(const Error& error) const { return {error.code, name + ": " + error.message}; }
};

struct Options {
  // How far ahead of the database's clock a window may begin that takes reports: clock_skew_seconds, the allowed skew
  // between a daemon and a database, and `lead`.
  std::uint64_t max_ahead = 420;
  // Opens windows so many seconds before they begin, so that a database is asked once in that time.
  std::uint64_t lead = 60;
  // How long append() waits for a database before its reports are kUnavailable. A database that failed the last time is
  // waited for a tenth of a second, until a batch succeeds again.
  std::chrono::milliseconds patience{5000};
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;  // that tally() adds up at a time
};

// Reads the rows of the map, in the members' order; looks at no store. Errors: kInvalidArgument (the members are not
// the databases that the map names; the message says which), kStoreFailed (a database cannot be asked, or there is no
// map), kStoreCorrupt (two databases' maps contradict each other, or one has lost its row).
Result<std::vector<MapRow>> check_map(const std::vector<Member>& members);

// Opens the store over these databases, in any order: the map says what each takes. Errors: those of check_map().
Result<std::unique_ptr<Store>> open(const std::vector<Member>& members, const Options& options);

}  // namespace hearsay::store::spread
