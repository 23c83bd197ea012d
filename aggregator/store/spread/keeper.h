// What a database does for the map beside storing reports.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "aggregator/store/spread/map.h"
#include "hearsay/result.h"

namespace hearsay::store::spread {

// Keeps a database's row of the map. Thread-safe.
class MapKeeper {
 public:
  // Changes the row, which is empty if there is none yet; `now` is the database's clock. Called once, and the row is
  // written only if the call succeeded.
  using Change = std::function<Result<void>(MapRow& row, UnixSeconds now)>;
  // Ends what lock() began.
  class Lock {
   public:
    virtual ~Lock() = default;
  };

  virtual ~MapKeeper() = default;

  // The identity of the database: never changes, and no other database has it.
  virtual const std::string& server() const = 0;
  // Reads the row, changes it and writes it if it differs, durably, and as one step over all processes. Returns the row
  // as it is then; a proposed entry in it is durable, whoever wrote it, unless the store is for reading. Errors:
  // kStoreFailed (whether the row was changed is unknown), kStoreCorrupt, those of `change`.
  Result<MapRow> update(const Change& change) { return apply(change, false); }
  // The same, and writes the row also if it does not differ: the whole of it is durable then, whoever wrote it.
  Result<MapRow> rewrite(const Change& change) { return apply(change, true); }
  // Waits until no other process holds the lock. It ends with the returned object, or when the database loses sight of
  // this process. Errors: kStoreFailed.
  virtual Result<std::unique_ptr<Lock>> lock() = 0;

 private:
  virtual Result<MapRow> apply(const Change& change, bool always_writes) = 0;
};

}  // namespace hearsay::store::spread
