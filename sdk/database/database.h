// One SQLite database that only one process uses. A committed transaction is on the disk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hearsay::sdk {

class Database;

// A prepared statement. step() returns the first error of preparing, binding or stepping.
class Statement {
 public:
  // Binds the next parameter. Text and bytes must not change before the statement is destroyed.
  Statement& bind(std::int64_t value);
  Statement& bind(std::optional<std::int64_t> value);
  Statement& bind(std::string_view text);
  Statement& bind(std::span<const std::uint8_t> bytes);

  // Goes to the next row. Returns false if there is no further row. Errors: see Database.
  Result<bool> step();
  // Runs a statement that returns no rows.
  Result<void> run();

  // Return a column of the current row. Columns are counted from 0. SQLite converts a value of another type to the
  // function's type.
  std::int64_t integer(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  std::string text(int column) const;
  std::vector<std::uint8_t> bytes(int column) const;

 private:
  friend class Database;
  Statement(Database& database, std::string_view sql);
  Statement& bound(int code);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_ = 1;  // number of the parameter that the next bind() binds
  int code_;      // the first error, or SQLITE_OK
};

// A connection that holds the database's exclusive lock.
//
// Errors of all operations: kIo, kInUse (another process or object holds the lock), kLedgerDamaged, kLimitExceeded (a
// value or row is too big for SQLite), kInternal (such as no memory). Once an operation has found damage, begin()
// returns kLedgerDamaged. Thread-safety: one thread at a time.
class Database {
 public:
  // Opens a file that exists, and takes the lock. The file itself must not be a symbolic link. An empty file becomes a
  // database only if `may_be_new`.
  static Result<Database> open(const std::string& file, bool may_be_new);
  // Makes an empty database in memory.
  static Result<Database> in_memory();

  Statement prepare(std::string_view sql) { return Statement(*this, sql); }
  // Runs statements that need no parameters and return no rows.
  Result<void> execute(const char* sql);
  // Returns the number in the only row of the query's result.
  Result<std::int64_t> number(std::string_view sql);

  // Begins a transaction, which commit() or rollback() ends.
  //
  // If commit() fails, SQLite usually rolls the transaction back. But if only the last sync failed, the transaction is
  // in the file, and may or may not survive a loss of power. So after an error, read the rows again.
  Result<void> begin();
  Result<void> commit();
  void rollback();

  // Returns true if the disk has failed. SQLite's copy in memory may then differ from the file: close the connection.
  bool has_failed() const { return has_failed_; }

  // Marks the database as damaged, and returns the error that says so.
  Error damaged(const std::string& what);

  // Leaks the connection, for a child process. Closing the connection would end a transaction that the parent has under
  // way in the file.
  void abandon();

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* connection) const;
  };

  static Result<Database> connect(const char* file, bool may_be_new);
  Result<void> configure(bool may_be_new);
  Error error(int code);

  std::unique_ptr<sqlite3, Close> connection_;
  std::optional<Error> damage_;
  bool has_failed_ = false;
};

}  // namespace hearsay::sdk
