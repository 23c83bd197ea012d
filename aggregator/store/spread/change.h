// Shows and changes the map, for `hearsay store map`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// What the databases together say about the map.
struct MapState {
  std::vector<MapEntry> entries;     // decided
  std::optional<MapEntry> proposed;  // by an unfinished change
  // The earliest start that every database would accept now for a new entry.
  UnixSeconds earliest = 0;
};
// Reads the map from all databases. Errors: kStoreFailed (names the database), kStoreCorrupt (two databases contradict
// each other).
Result<MapState> read_map(const std::vector<Member>& members, const Options& options);

// Makes a new entry of the map: from the window start `from` on (nothing: the earliest possible), over `servers` in
// this order. The first entry of all begins at 0. `members` are all databases of the map and of the new entry.
//
// If an earlier call left an entry proposed, that change is completed first. If it is the same change, nothing more is
// done. Returns the map as it is then.
//
// Errors: kInvalidArgument (a database is missing or given twice; the start is too early; a database that must be empty
// is not), kTaskConflict (a database has meanwhile opened windows behind `from`; nothing was changed), kStoreFailed
// (names the database; the same call completes the change).
Result<MapState> add_entry(const std::vector<Member>& members, const std::vector<std::string>& servers,
                           std::optional<UnixSeconds> from, const Options& options);

}  // namespace hearsay::store::spread
