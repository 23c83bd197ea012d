// The calls of administrators that concern the daemon itself. The daemon implements this interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/json.h"
#include "hearsay/result.h"

namespace hearsay::api {

// Thread-safe.
class Operations {
 public:
  virtual ~Operations() = default;
  // Makes a backup. Then removes all but the newest `keep` backups, if `keep` is given. Other calls go on at the same
  // time. Blocks until the backup is durable, which may take minutes. Only one backup is made at a time. Returns the
  // body of the answer. Errors: kNotFound (no backup directory is configured), kStoreFailed, kOverloaded (the daemon
  // stops).
  virtual Result<Json> backup(std::optional<std::uint32_t> keep) = 0;
  // Returns the body of the answer: the state of the store, the queue and the connections.
  virtual Json status() const = 0;
  // Writes an event about administrators into the daemon's log, at any log level. If the log is a file, blocks until
  // the event is on the disk. Errors: kIo.
  virtual Result<void> record(std::string_view event, const Json& fields) = 0;
};

// Parses the body of POST /v1/backups: empty, or {"keep": 1..10000}. Errors: those of strict JSON, kInvalidArgument.
Result<std::optional<std::uint32_t>> parse_backup_request(std::string_view body);

}  // namespace hearsay::api
