#include "aggregator/store/spread/map.h"

#include <algorithm>
#include <limits>

#include "common/base/int128.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

constexpr std::int64_t kMaxTime = std::numeric_limits<std::int64_t>::max();

bool has_decided(const MapRow& row, const MapEntry& entry) {
  return std::find(row.entries.begin(), row.entries.end(), entry) != row.entries.end();
}

std::string named(const MapEntry& entry) { return "version " + std::to_string(entry.version) + " of the map"; }

Json entry_json(const MapEntry& entry) {
  return {{"version", entry.version}, {"from", entry.from}, {"servers", entry.servers}};
}

Result<MapEntry> read_entry(const Json& json) {
  HEARSAY_TRY(const ObjectReader object, ObjectReader::create(json, "entry"));
  HEARSAY_CHECK_OK(object.allow_only({"version", "from", "servers"}));
  MapEntry entry;
  HEARSAY_TRY(entry.version, object.get_int("version", 1, kMaxTime));
  HEARSAY_TRY(entry.from, object.get_int("from", 0, kMaxTime));
  HEARSAY_TRY(const Json* const servers, object.get_array("servers"));
  for (const Json& server : *servers) {
    if (!server.is_string()) return Error{ErrorCode::kWrongType, "entry.servers must hold strings"};
    entry.servers.push_back(server.get<std::string>());
  }
  if (entry.servers.empty()) return Error{ErrorCode::kInvalidArgument, "entry.servers must not be empty"};
  return entry;
}

Result<MapRow> read_row(std::string_view document, const std::string& server) {
  HEARSAY_TRY(const Json json, parse_json(document));
  HEARSAY_TRY(const ObjectReader object, ObjectReader::create(json, "map"));
  HEARSAY_CHECK_OK(object.allow_only({"entries", "max_ahead", "proposed", "opened_before", "server"}));
  HEARSAY_TRY(const std::string owner, object.get_string("server"));
  if (owner != server) return Error{ErrorCode::kInvalidArgument, "the row belongs to another database, " + owner};
  MapRow row;
  HEARSAY_TRY(row.opened_before, object.get_int("opened_before", 0, kMaxTime));
  if (object.has("max_ahead")) {
    HEARSAY_TRY(row.max_ahead, object.get_int("max_ahead", 1, kMaxTime));
  }
  HEARSAY_TRY(const Json* const entries, object.get_array("entries"));
  for (const Json& entry : *entries) {
    HEARSAY_TRY(MapEntry read, read_entry(entry));
    const bool first = row.entries.empty();
    const bool follows = first ? read.version == 1 && read.from == 0
                               : read.version == row.entries.back().version + 1 && read.from > row.entries.back().from;
    if (!follows) return Error{ErrorCode::kInvalidArgument, "entries must ascend in their versions and times"};
    row.entries.push_back(std::move(read));
  }
  if (!object.has("proposed")) return row;
  HEARSAY_TRY(const Json* const proposed, object.get("proposed"));
  HEARSAY_TRY(row.proposed, read_entry(*proposed));
  return row;
}

// Returns an error if the entry can never follow `decided`.
Result<void> check_follows(const std::vector<MapEntry>& decided, const MapEntry& entry) {
  std::vector<std::string> sorted = entry.servers;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return Error{ErrorCode::kInvalidArgument, named(entry) + " must name at least one database, and each once"};
  }
  if (entry.version != decided.size() + 1 || (decided.empty() && entry.from != 0)) {
    return Error{ErrorCode::kInvalidArgument,
                 named(entry) + " must have the next number, and version 1 must begin at 0"};
  }
  if (!decided.empty() && entry.from <= decided.back().from) {
    return Error{ErrorCode::kInvalidArgument, named(entry) + " must begin after the version before, which begins at " +
                                                  std::to_string(decided.back().from)};
  }
  return {};
}

}  // namespace

const MapEntry& entry_of(const std::vector<MapEntry>& entries, UnixSeconds window) {
  const auto later = std::upper_bound(entries.begin() + 1, entries.end(), window,
                                      [](UnixSeconds start, const MapEntry& entry) { return start < entry.from; });
  return *(later - 1);
}

const std::string& server_of(const MapEntry& entry, const ReportId& id) {
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < 8; ++i) x = x << 8U | id.bytes[i];
  return entry.servers[static_cast<std::size_t>(Uint128{x} * entry.servers.size() >> 64U)];
}

std::vector<std::string> servers_of(const std::vector<MapEntry>& entries) {
  std::vector<std::string> servers;
  for (const MapEntry& entry : entries) {
    for (const std::string& server : entry.servers) {
      if (std::find(servers.begin(), servers.end(), server) == servers.end()) servers.push_back(server);
    }
  }
  return servers;
}

bool agree(const std::vector<MapEntry>& a, const std::vector<MapEntry>& b) {
  const auto common = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return std::equal(a.begin(), a.begin() + common, b.begin());
}

void open_until(MapRow& row, UnixSeconds before, UnixSeconds latest) {
  UnixSeconds to = std::min(before, latest);
  if (row.proposed) to = std::min(to, row.proposed->from);
  row.opened_before = std::max(row.opened_before, to);
}

Result<void> propose(MapRow& row, const std::vector<MapEntry>& decided, const MapEntry& entry) {
  if (has_accepted(row, entry)) return {};
  HEARSAY_CHECK_OK(check_follows(decided, entry));
  const bool is_new = row.entries.empty() && !row.proposed && row.opened_before == 0;
  if (!is_new && row.entries != decided) {
    return Error{ErrorCode::kTaskConflict, "its map does not end right before " + named(entry)};
  }
  if (row.proposed) return Error{ErrorCode::kTaskConflict, "another change of its map was not completed"};
  if (entry.from < row.opened_before) {
    return Error{ErrorCode::kTaskConflict, "it has opened the windows before " + std::to_string(row.opened_before) +
                                               ", and " + named(entry) + " would begin at " +
                                               std::to_string(entry.from)};
  }
  row.entries = decided;
  row.proposed = entry;
  return {};
}

Result<void> decide(MapRow& row, const MapEntry& entry) {
  if (has_decided(row, entry)) return {};
  if (row.proposed != entry) return Error{ErrorCode::kTaskConflict, "it has not accepted " + named(entry)};
  row.entries.push_back(entry);
  row.proposed.reset();
  return {};
}

void withdraw(MapRow& row, const MapEntry& entry) {
  if (row.proposed == entry) row.proposed.reset();
}

Result<void> catch_up(MapRow& row, const std::vector<MapEntry>& decided) {
  if (!agree(row.entries, decided)) {
    return Error{ErrorCode::kStoreCorrupt, "its map contradicts the map of another database"};
  }
  if (row.entries.size() < decided.size()) row.entries = decided;
  if (row.proposed && row.proposed->version <= row.entries.size()) row.proposed.reset();
  return {};
}

bool has_accepted(const MapRow& row, const MapEntry& entry) { return row.proposed == entry || has_decided(row, entry); }

bool refuses_for_good(const MapRow& row, const MapEntry& entry) {
  if (has_accepted(row, entry)) return false;
  return row.opened_before > entry.from || row.entries.size() >= entry.version;
}

std::string encode(const MapRow& row, const std::string& server) {
  Json entries = Json::array();
  for (const MapEntry& entry : row.entries) entries.push_back(entry_json(entry));
  Json json{{"entries", std::move(entries)}, {"opened_before", row.opened_before}, {"server", server}};
  if (row.max_ahead != 0) json["max_ahead"] = row.max_ahead;
  if (row.proposed) json["proposed"] = entry_json(*row.proposed);
  return json_text(json);
}

Result<MapRow> decode(std::string_view document, const std::string& server) {
  auto row = read_row(document, server);
  if (!row) return Error{ErrorCode::kStoreCorrupt, "the row of the map cannot be read: " + row.error().message};
  return row;
}

}  // namespace hearsay::store::spread
