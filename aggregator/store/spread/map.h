// The row of the map that each database keeps, and the changes that it may take. Why they count no report twice:
// format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/report/report.h"
#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::store::spread {

// Which databases take the reports of the windows that start at `from` or later, until the next entry begins.
struct MapEntry {
  std::uint64_t version = 0;         // 1 for the first
  UnixSeconds from = 0;              // 0 for the first
  std::vector<std::string> servers;  // identities; each once
  bool operator==(const MapEntry&) const = default;
};

// What one database says of the map.
struct MapRow {
  std::vector<MapEntry> entries;     // decided, ascending
  std::optional<MapEntry> proposed;  // accepted here, and perhaps not elsewhere
  UnixSeconds opened_before = 0;     // the database takes only windows that start before this
  bool operator==(const MapRow&) const = default;
};

// The entry that a window belongs to. There must be entries.
const MapEntry& entry_of(const std::vector<MapEntry>& entries, UnixSeconds window);
// Which of the entry's servers keeps the report.
const std::string& server_of(const MapEntry& entry, const ReportId& id);
// Every server of the entries, each once, in the order in which they came.
std::vector<std::string> servers_of(const std::vector<MapEntry>& entries);
// Whether one of the lists begins with the other.
bool agree(const std::vector<MapEntry>& a, const std::vector<MapEntry>& b);

// The changes of a row. Each may be repeated.
// Raises opened_before to `before`, or as far as `latest` and a proposed entry let it.
void open_until(MapRow& row, UnixSeconds before, UnixSeconds latest);
// Accepts `entry`, which follows `decided`. Does nothing if it is decided here. Errors: kTaskConflict (the row is
// against it; may change unless refuses_for_good()), kInvalidArgument (it cannot follow `decided`).
Result<void> propose(MapRow& row, const std::vector<MapEntry>& decided, const MapEntry& entry);
// Does nothing if the entry is decided here. Errors: kTaskConflict (it is not proposed here).
Result<void> decide(MapRow& row, const MapEntry& entry);
void withdraw(MapRow& row, const MapEntry& entry);
// Takes over entries that another row has decided, so that this one has accepted them: decided here too, unless the
// database was restored from an older copy. Errors: kStoreCorrupt (the row contradicts them).
Result<void> catch_up(MapRow& row, const std::vector<MapEntry>& decided);

// Whether the row accepted the entry, or more.
bool has_accepted(const MapRow& row, const MapEntry& entry);
// Whether the row has not accepted the entry and never will.
bool refuses_for_good(const MapRow& row, const MapEntry& entry);

// The JSON document of format.md. `server`: the identity of the database that keeps it.
std::string encode(const MapRow& row, const std::string& server);
// Errors: kStoreCorrupt, also if the row is another server's.
Result<MapRow> decode(std::string_view document, const std::string& server);

}  // namespace hearsay::store::spread
