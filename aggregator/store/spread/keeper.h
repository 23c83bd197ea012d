// What a database must offer, in addition to its store, so that it can keep its row of the map (format.md).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "aggregator/store/spread/map.h"
#include "hearsay/result.h"

namespace hearsay::store::spread {

// Reads and changes the row of the map that a database keeps. Thread-safe.
class MapKeeper {
 public:
  // Changes `row`. If the database has no row yet, `row` is empty. `now` is the database's clock. A function of this
  // type is called once; after an error the row is not written.
  using Change = std::function<Result<void>(MapRow& row, UnixSeconds now)>;
  // Holds the lock that lock() took. The destructor releases the lock.
  class Lock {
   public:
    virtual ~Lock() = default;
  };

  virtual ~MapKeeper() = default;

  // Returns the identity of the database. The identity does not change, and no other database has the same identity.
  virtual const std::string& server() const = 0;
  // Reads the row, calls `change`, and writes the row durably if the row differs. No other process changes the row
  // meanwhile. Returns the new row. A proposed entry in the new row is durable, even if another process wrote the
  // entry. In a store that is open for reading only, a proposed entry may not be durable. Errors: kStoreFailed (the row
  // may have been changed), kStoreCorrupt, those of `change`.
  Result<MapRow> update(const Change& change) { return apply(change, false); }
  // Does the same as update(), but also writes an unchanged row, so that the whole row is durable.
  Result<MapRow> rewrite(const Change& change) { return apply(change, true); }
  // Waits until no other process holds the lock, and takes the lock. The lock ends with the returned object, or when
  // the connection to the database is lost. Errors: kStoreFailed.
  virtual Result<std::unique_ptr<Lock>> lock() = 0;

 private:
  virtual Result<MapRow> apply(const Change& change, bool always_writes) = 0;
};

}  // namespace hearsay::store::spread
