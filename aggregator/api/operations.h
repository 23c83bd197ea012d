// What an administrator asks of the running daemon itself, apart from tasks; the daemon implements it.
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
  // Makes a backup beside everything else that goes on, and then forgets all but the newest `keep` backups, if given.
  // Blocks until it is durable, which may take minutes; one at a time. Returns what became of it, for the answer.
  // Errors: kNotFound (no backup directory is configured), kStoreFailed, kOverloaded (the daemon stops).
  virtual Result<Json> backup(std::optional<std::uint32_t> keep) = 0;
  // The state of the store, queue and connections, for the answer.
  virtual Json status() const = 0;
  // Writes an event about administrators into the daemon's log, whatever the log's level is. Blocks until the event is
  // on the disk. Errors: kIo.
  virtual Result<void> record(std::string_view event, const Json& fields) = 0;
};

// The body of POST /v1/backups: empty, or {"keep": 1..10000}. Errors: those of strict JSON, kInvalidArgument.
Result<std::optional<std::uint32_t>> parse_backup_request(std::string_view body);

}  // namespace hearsay::api
