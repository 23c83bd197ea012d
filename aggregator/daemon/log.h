// The daemon's log: one JSON object a line.
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

// {"time":"2026-01-31T12:00:00.000Z","level":"info","event":"ready",…}: time in UTC, then the level, the event's name
// and its fields. Callers give no address, body, token or id of a report. Thread-safe; a line is written whole.
class Log {
 public:
  // To `out`, which must outlive the log; without one, to standard error.
  explicit Log(LogLevel level, std::ostream* out = nullptr);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // `fields` is an object without the names above, or null; text in it that is no UTF-8 is replaced.
  void write(LogLevel level, std::string_view event, const Json& fields = {});

  // Writes an event of level info, whatever the log's level is, and returns once the line is on the disk. If the log is
  // no file (a pipe, a socket, a terminal), returns once its reader has the line. May block for a write of the disk.
  // Errors: kIo (the line may be missing, cut off, or lost by a power cut).
  Result<void> record(std::string_view event, const Json& fields);

  // Events of write() below the level are dropped. May be changed at any time.
  void set_level(LogLevel level);
  LogLevel level() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::daemon
