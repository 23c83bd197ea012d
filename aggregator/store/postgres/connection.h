// One connection to the database, by libpq in pipeline mode.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/store/postgres/parameters.h"
#include "hearsay/result.h"

namespace hearsay::store::postgres {

// A statement, prepared at its first use on a connection, under its name. A constant of the program.
//
// PostgreSQL knows little of tables that were made just now. So a statement that looks up what an array names says so
// as `CROSS JOIN LATERAL (… OFFSET 0)`, which leaves PostgreSQL no other plan than one look-up for each element.
struct Statement {
  const char* name;
  const char* sql;
};

struct ConnectOptions {
  std::string uri;
  std::chrono::seconds connect_timeout{5};
  std::chrono::seconds statement_timeout{30};            // the server's own
  std::chrono::seconds patience{35};                     // with a server that says nothing; should be above its timeout
  std::chrono::seconds idle_in_transaction_timeout{10};  // after which the server ends a transaction that says nothing
};

// Errors are kStoreFailed, with the server's message and SQLSTATE. They name host, port, user and database, and never
// the password or a parameter's value. One thread at a time.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const ConnectOptions& options);
  ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Queues a statement. What fails shows in finish().
  void send(const Statement& statement, const Parameters& parameters = {});
  // Hands what is queued to the system, so that the server works while the caller does something else. Waits for a
  // server that takes nothing no longer than finish() does.
  void flush();
  // Waits for the results of all that was queued, one for each send(). After an error the server has passed over the
  // statements behind the failed one.
  Result<std::vector<Rows>> finish();

  // send() and finish() of one statement.
  Result<Rows> run(const Statement& statement, const Parameters& parameters = {});
  // The same, and waits for a server that says nothing only for `patience`.
  Result<Rows> run_within(std::chrono::seconds patience, const Statement& statement, const Parameters& parameters = {});
  // Runs SQL that has no parameters and returns nothing of interest; several statements make one transaction.
  Result<void> execute(const std::string& sql);
  // Ends a transaction, if one is open, without its changes. A connection on which that fails is broken.
  void roll_back();

  // True once the server or the way to it is gone. The connection is of no more use then.
  bool broken() const;
  bool in_transaction() const;
  // The SQLSTATE of the last error; empty if the server sent none.
  const std::string& sqlstate() const { return sqlstate_; }
  // Whether the server warned (class 01) since the last call of this function.
  bool take_warning();
  // The server's timeline as it was when the connection was checked; 0 before, and in a store for reading.
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

  Connection(PGconn* connection, std::chrono::seconds patience) : connection_(connection), patience_(patience) {}
  static void notice(void* self, const PGresult* result);
  Error error_of(const PGresult* result);
  Error error_of_connection(const char* what);
  // The connection is of no more use.
  Error lost();
  using Deadline = std::chrono::steady_clock::time_point;
  // Sends what it can, and waits until the server says something or takes more. Returns false if the way to the server
  // is gone; after the deadline the connection is of no more use.
  bool exchange(Deadline deadline);
  // The next result. Null also where the server says nothing for longer than patience_: a server that is stopped, which
  // keeps its connections. The connection is of no more use then.
  PGresult* next_result();
  // Reads the result of one queued statement, up to and with the null that ends it.
  Result<Rows> take_result();

  std::unique_ptr<PGconn, Finish> connection_;
  std::chrono::seconds patience_;
  std::set<std::string_view> prepared_;
  std::vector<Queued> queued_;
  bool sending_failed_ = false;
  bool ended_ = false;  // whatever libpq says
  bool warned_ = false;
  std::string sqlstate_;
  std::int64_t timeline_ = 0;
};

}  // namespace hearsay::store::postgres
