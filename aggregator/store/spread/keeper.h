// What a database must do for the map, beside storing reports.
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
  // Changes `row`; the row is empty if the database has none yet. `now` is the database's clock. A function of this
  // type is called once; after an error the row is not written.
  using Change = std::function<Result<void>(MapRow& row, UnixSeconds now)>;
  // Holds the lock that lock() took, until it is destroyed.
  class Lock {
   public:
    virtual ~Lock() = default;
  };

  virtual ~MapKeeper() = default;

  // Returns the identity of the database. It does not change, and no other database has the same.
  virtual const std::string& server() const = 0;
  // Reads the row, changes it, and writes it durably if it differs. No other process changes the row meanwhile. Returns
  // the new row. A proposed entry in it is durable, even if another process wrote it, unless the store is for reading.
  // Errors: kStoreFailed (the row may have been changed), kStoreCorrupt, those of `change`.
  Result<MapRow> update(const Change& change) { return apply(change, false); }
  // Does the same, but also writes the row if it does not differ, so that all of it is durable.
  Result<MapRow> rewrite(const Change& change) { return apply(change, true); }
  // Waits until no other process holds the lock, and takes it. The lock ends with the returned object, or when the
  // connection to the database is lost. Errors: kStoreFailed.
  virtual Result<std::unique_ptr<Lock>> lock() = 0;

 private:
  virtual Result<MapRow> apply(const Change& change, bool always_writes) = 0;
};

}  // namespace hearsay::store::spread
