// One store over several databases. A report's id and the map decide which database keeps the report. format.md
// describes the map, and why no report is counted twice.
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

  // Returns an error of a call to this database, with the database's name in front.
  Error named(const Error& error) const { return {error.code, name + ": " + error.message}; }
};

struct Options {
  // How many seconds after the database's clock a window that takes reports may begin: clock_skew_seconds, plus the
  // allowed difference between the clocks of a daemon and a database, plus `lead`.
  std::uint64_t max_ahead = 420;
  // Windows are opened this many seconds before they begin. So a database is asked at most once in that time.
  std::uint64_t lead = 60;
  // How long append() waits for a database before its reports become kUnavailable. After a failure append() waits only
  // a tenth of a second, until a batch succeeds again.
  // The upkeep waits for as long.
  std::chrono::milliseconds patience{5000};
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;  // most pairs that tally() adds up
};

// Reads the rows of the map, in the order of the members. Does not look at the stores. Errors: kInvalidArgument (the
// members are not the databases that the map names; the message says which), kStoreFailed (a database cannot be asked,
// or there is no map), kStoreCorrupt (two databases' maps contradict each other, or one has lost its row).
Result<std::vector<MapRow>> check_map(const std::vector<Member>& members);

// Opens the store over these databases, in any order; the map says which reports each one takes. Errors: those of
// check_map().
Result<std::unique_ptr<Store>> open(const std::vector<Member>& members, const Options& options);

}  // namespace hearsay::store::spread
