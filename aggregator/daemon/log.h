// Writes the daemon's log, which has one JSON object on each line.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string_view>

#include "common/base/strict_json.h"
#include "hearsay/result.h"

namespace hearsay::daemon {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

std::optional<LogLevel> parse_log_level(std::string_view name);  // "debug", "info", "warn", "error"
std::string_view log_level_name(LogLevel level);

// A line is {"time":"2026-01-31T12:00:00.000Z","level":"info","event":"ready",…}: the time in UTC, the level, the
// event's name and its fields. Callers must give no address, body, token or id of a report. Thread-safe: lines of
// several threads do not mix.
class Log {
 public:
  // Writes to `out`, which must outlive the log. Without `out`, writes to standard error.
  explicit Log(LogLevel level, std::ostream* out = nullptr);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Writes an event. `fields` must be null, or an object without the keys "time", "level" and "event". Bytes that are
  // not UTF-8 are replaced.
  void write(LogLevel level, std::string_view event, const Json& fields = {});

  // Writes an event with level info, even if the log's level is higher. If the log is a file, returns once the line is
  // on the disk, and may block that long. If the log is a pipe, a socket or a terminal, returns once the system has
  // taken the line. Errors: kIo (the line may be missing, cut off, or lost by a power cut).
  Result<void> record(std::string_view event, const Json& fields);

  // Sets the level below which write() drops events. May be called at any time.
  void set_level(LogLevel level);
  LogLevel level() const;

 private:
  class Destination;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::daemon
