#include "aggregator/cli/status_report.h"

#include <cstdint>

#include "aggregator/cli/layout.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"

namespace hearsay::cli {
namespace {

// Returns the member at the path, such as "/store/reports". Returns null if there is none.
Json at(const Json& status, const std::string& path) {
  const Json::json_pointer pointer(path);
  return status.contains(pointer) ? status.at(pointer) : Json();
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {" bytes", " kB", " MB", " GB", " TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return console::short_number(bytes, 3) + kUnits[unit];
}

std::string duration_text(std::uint64_t seconds) {
  constexpr std::uint64_t kMinute = 60;
  constexpr std::uint64_t kHour = 3600;
  constexpr std::uint64_t kDay = 86'400;
  if (seconds < 2 * kMinute) return counted(seconds, "second");
  if (seconds < 2 * kHour) return counted(seconds / kMinute, "minute");
  if (seconds < 2 * kDay) return counted(seconds / kHour, "hour");
  return counted(seconds / kDay, "day");
}

std::string joined(const Json& array) {
  std::string text;
  for (const Json& one : array) {
    text += (text.empty() ? "" : ", ") + (one.is_string() ? one.get<std::string>() : one.dump());
  }
  return text;
}

std::string daemon_text(const Json& status) {
  const Json reasons = at(status, "/reasons");
  const Json warnings = at(status, "/warnings");
  std::string text = status.at("ready").get<bool>() ? "ready" : "not ready: " + joined(reasons);
  text = paragraph(text + "; hearsayd " + status.at("version").get<std::string>() + ", up for " +
                   duration_text(status.at("uptime_seconds").get<std::uint64_t>()));
  if (!warnings.empty()) text += paragraph("warnings: " + joined(warnings));
  return text;
}

void add_rows(const std::string& name, const Json& value, console::Table& table) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) add_rows(name.empty() ? key : name + "." + key, member, table);
    return;
  }
  table.rows.push_back({name, value.is_array()    ? joined(value)
                              : value.is_string() ? value.get<std::string>()
                              : value.is_null()   ? ""
                                                  : value.dump()});
}

}  // namespace

std::string status_text(const Json& status) {
  const Json counted_reports = at(status, "/counted_reports");
  const Json free_bytes = at(status, "/store/free_bytes");
  std::string text = status.contains("ready") ? daemon_text(status) : "";
  text += counted(status.at("tasks").get<std::uint64_t>(), "task") + ", " +
          counted((counted_reports.is_null() ? at(status, "/store/reports") : counted_reports).get<std::uint64_t>(),
                  "report") +
          "; the store takes " + bytes_text(at(status, "/store/bytes").get<double>());
  if (!free_bytes.is_null()) text += ", and its disk has " + bytes_text(free_bytes.get<double>()) + " left";
  return text + "\n-o json shows everything\n";
}

console::Table status_table(const Json& status) {
  console::Table table{{"name", "value"}, {}};
  add_rows("", status, table);
  return table;
}

}  // namespace hearsay::cli
