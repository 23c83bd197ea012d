// Showing and changing the map: what `hearsay store map` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// What the databases say together.
struct MapState {
  std::vector<MapEntry> entries;     // decided
  std::optional<MapEntry> proposed;  // by a change that was not completed
  // The earliest start of a new entry that every database would accept at this moment.
  UnixSeconds earliest = 0;
};
// Errors: kStoreFailed (names the database), kStoreCorrupt (two databases contradict each other).
Result<MapState> read_map(const std::vector<Member>& members, const Options& options);

// Makes a new entry, from the window start `from` on (nothing: the earliest), over these servers in this order. The
// first entry of all begins at 0. `members` are all databases of the map and of the new entry. An entry that an earlier
// call left proposed is completed first; if it is the same change, nothing more is done. Returns the map as it is then.
// Errors: kInvalidArgument (a database is missing, or given twice; too early a start; a database is not empty that must
// be), kTaskConflict (a database has opened windows behind `from` meanwhile: nothing was changed), kStoreFailed (names
// the database; the same call completes the change).
Result<MapState> add_entry(const std::vector<Member>& members, const std::vector<std::string>& servers,
                           std::optional<UnixSeconds> from, const Options& options);

}  // namespace hearsay::store::spread
