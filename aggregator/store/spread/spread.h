// One store over several databases. The map says by a report's window and id which database keeps the report. format.md
// describes the map, and shows why no report is counted twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/store/spread/keeper.h"
#include "aggregator/store/store.h"

namespace hearsay::store::spread {

// One database: its store, and its row of the map.
struct Member {
  std::string name;  // for people and logs: host and database, without a password
  std::shared_ptr<Store> store;
  std::shared_ptr<MapKeeper> keeper;

  // Returns the error with this database's name in front of the message.
  Error named(const Error& error) const { return {error.code, name + ": " + error.message}; }
};

struct Options {
  // How far ahead of the database's clock an open window may begin, in seconds: clock_skew_seconds, plus the allowed
  // difference between the clocks of a daemon and a database, plus `lead`.
  std::uint64_t max_ahead = 420;
  // A daemon opens windows `lead` seconds further ahead than needed. So the daemon asks a database only about once in
  // this time.
  std::uint64_t lead = 60;
  // How long append() waits for a database before the database's reports become kUnavailable. After a failure append()
  // waits only a tenth of a second, until the database works again. The upkeep also waits for `patience`.
  std::chrono::milliseconds patience{5000};
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;  // limit on the different pairs in a sum of tally()
};

// Reads the row of each member, in the order of the members. Does not use the members' stores. Errors: kInvalidArgument
// (the members are not the databases that the map names; the message names a database that is missing, superfluous or
// given twice), kStoreFailed (a database cannot be asked, or there is no map), kStoreCorrupt (two databases' maps
// contradict each other, or one has lost its row).
Result<std::vector<MapRow>> check_map(const std::vector<Member>& members);

// Opens the store over these databases. The order of the databases does not matter. Errors: those of check_map().
Result<std::unique_ptr<Store>> open(const std::vector<Member>& members, const Options& options);

}  // namespace hearsay::store::spread
