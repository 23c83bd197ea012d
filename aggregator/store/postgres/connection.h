// One connection to the database. Uses libpq's pipeline mode.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/store/postgres/parameters.h"
#include "hearsay/result.h"

namespace hearsay::store::postgres {

// An SQL statement, and the name under which a connection prepares the statement at its first use. Statements are
// constants of the program.
//
// PostgreSQL has no statistics on tables that were made just now, and may choose a bad plan. So a statement that looks
// up the elements of an array in a large table uses `CROSS JOIN LATERAL (… OFFSET 0)`. PostgreSQL can plan such a
// statement only as one look-up for each element.
struct Statement {
  const char* name;
  const char* sql;
};

struct ConnectOptions {
  std::string uri;
  std::chrono::seconds connect_timeout{5};
  std::chrono::seconds statement_timeout{30};  // the server ends a longer statement
  std::chrono::seconds patience{35};           // how long to wait for a result; must be above statement_timeout
  std::chrono::seconds idle_in_transaction_timeout{10};  // the server ends a transaction that is silent for longer
  std::stop_token stopping{};                            // once a stop is requested, all waits are short; see Options
};

// Errors are kStoreFailed, with the message and SQLSTATE of the server. Errors of libpq name host, port, user and
// database. No error holds the password. Thread-safety: one thread at a time.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const ConnectOptions& options);
  ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Queues a statement. finish() returns its errors.
  void send(const Statement& statement, const Parameters& parameters = {});
  // Sends the queued statements, so that the server works while the caller does something else. Waits at most
  // `patience` for a server that takes nothing.
  void flush();
  // Waits for the results of all queued statements, one for each send(). After an error the server has skipped the
  // statements behind the failed statement.
  Result<std::vector<Rows>> finish();

  // Does send() and finish() for one statement.
  Result<Rows> run(const Statement& statement, const Parameters& parameters = {});
  // Does the same as run(), but waits at most `patience` for each result.
  Result<Rows> run_within(std::chrono::seconds patience, const Statement& statement, const Parameters& parameters = {});
  // Runs SQL without parameters, and ignores its rows. Several statements separated by semicolons make one transaction.
  Result<void> execute(const std::string& sql);
  // Rolls the open transaction back, if there is one. If the rollback fails, the connection is unusable.
  void roll_back();

  // Returns true once the server or the way to it is gone. The connection is then unusable.
  bool broken() const;
  bool in_transaction() const;
  // Returns the SQLSTATE of the last error; empty if the server sent none.
  const std::string& sqlstate() const { return sqlstate_; }
  // Returns true if the server sent a warning (class 01) since the last call of this function.
  bool take_warning();
  // Returns the server's timeline, which a fail-over raises, as it was when the connection was checked. Returns 0
  // before the check, and in a store for reading.
  std::int64_t timeline() const { return timeline_; }
  void set_timeline(std::int64_t timeline) { timeline_ = timeline; }
  PGconn* get() { return connection_.get(); }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  struct Queued {
    const Statement* statement;
    bool prepares;
  };

  Connection(PGconn* connection, const ConnectOptions& options)
      : connection_(connection), patience_(options.patience), stopping_(options.stopping) {}
  static void notice(void* self, const PGresult* result);
  Error error_of(const PGresult* result);
  Error error_of_connection(const char* what);
  // Marks the connection as unusable, and returns an error that says so.
  Error lost();
  using Deadline = std::chrono::steady_clock::time_point;
  // Sends as many bytes as the server takes now. Waits until the server sends something or takes more bytes. Returns
  // false if the way to the server is gone. After the deadline, sets ended_. A stop brings the deadline forward.
  bool exchange(Deadline& deadline);
  // Returns the next result; null at the end of a statement's results. Also returns null if the result is not complete
  // after patience_; the connection is then unusable.
  PGresult* next_result();
  // Reads the result of one queued statement, and the null that ends it.
  Result<Rows> take_result();

  std::unique_ptr<PGconn, Finish> connection_;
  std::chrono::seconds patience_;
  std::stop_token stopping_;
  std::set<std::string_view> prepared_;
  std::vector<Queued> queued_;
  bool sending_failed_ = false;
  bool ended_ = false;  // the connection is unusable, even if libpq does not know
  bool warned_ = false;
  std::string sqlstate_;
  std::int64_t timeline_ = 0;
};

}  // namespace hearsay::store::postgres
