#include "aggregator/store/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

// After a stop was requested: the longest wait for an answer, and for a connection to a host. libpq waits for at least
// 2 s for a connection.
constexpr std::chrono::seconds kLastPatience{3};
constexpr std::chrono::seconds kLastConnectTimeout{2};
// A waiting connection checks at this interval whether a stop was requested.
constexpr std::chrono::milliseconds kLook{250};

std::string first_line(const char* text) {
  const std::string_view all = text == nullptr ? "" : text;
  return std::string(all.substr(0, all.find('\n')));
}

Error of_postgres(const std::string& message) { return {ErrorCode::kStoreFailed, "PostgreSQL: " + message}; }

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const ConnectOptions& options) {
  const std::string timeout = std::to_string(options.connect_timeout.count());
  const std::string last_timeout = std::to_string(std::min(options.connect_timeout, kLastConnectTimeout).count());
  const bool hurries = options.stopping.stop_requested();
  // Settings in the URI, which is the value of `dbname`, override the settings before it in this list. Settings after
  // it override the URI; libpq ignores a setting without a value. With these settings, a peer that is gone is noticed
  // within half a minute.
  const std::array<const char*, 10> names{
      "connect_timeout",           "tcp_user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
      "fallback_application_name", "dbname",           "client_encoding", "connect_timeout",     nullptr};
  const std::array<const char*, 10> values{timeout.c_str(),
                                           "20000",
                                           "10",
                                           "5",
                                           "3",
                                           "hearsayd",
                                           options.uri.c_str(),
                                           "UTF8",
                                           hurries ? last_timeout.c_str() : nullptr,
                                           nullptr};
  std::unique_ptr<Connection> opened(new Connection(PQconnectdbParams(names.data(), values.data(), 1), options));
  if (!opened->connection_) return of_postgres("out of memory");
  if (PQstatus(opened->get()) != CONNECTION_OK) return opened->error_of_connection("cannot connect");
  // If sending does not block in libpq, the wait is in exchange(), which has a deadline.
  if (PQsetnonblocking(opened->get(), 1) != 0)
    return opened->error_of_connection("cannot switch to sending without waiting");
  PQsetNoticeReceiver(opened->get(), &Connection::notice, opened.get());
  const auto milliseconds = [](std::chrono::seconds time) {
    return std::to_string(std::chrono::milliseconds(time).count());
  };
  // The statements look rows up by their keys. PostgreSQL makes some plans while tables are small, and these plans must
  // not scan the tables later. Each statement has one generic plan; otherwise PostgreSQL would plan some statements
  // anew at each commit, because the lengths of the arrays change.
  HEARSAY_CHECK_OK(opened->execute(
      "SET jit = off; SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; SET statement_timeout = " +
      milliseconds(options.statement_timeout) + "; SET idle_in_transaction_session_timeout = " +
      milliseconds(options.idle_in_transaction_timeout) + "; SET default_transaction_isolation = 'read committed'"));
  if (PQenterPipelineMode(opened->get()) != 1) return opened->error_of_connection("cannot enter pipeline mode");
  return opened;
}

void Connection::notice(void* self, const PGresult* result) {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (state != nullptr && std::string_view(state).starts_with("01")) static_cast<Connection*>(self)->warned_ = true;
}

bool Connection::take_warning() { return std::exchange(warned_, false); }

bool Connection::broken() const { return ended_ || PQstatus(connection_.get()) != CONNECTION_OK; }

bool Connection::in_transaction() const {
  const PGTransactionStatusType status = PQtransactionStatus(connection_.get());
  return status != PQTRANS_IDLE && status != PQTRANS_UNKNOWN;
}

Error Connection::error_of(const PGresult* result) {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const char* const severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  sqlstate_ = state == nullptr ? "" : state;
  // After an error with severity FATAL or PANIC the server ends the connection, even if libpq has not noticed this yet.
  if (severity != nullptr && (std::string_view(severity) == "FATAL" || std::string_view(severity) == "PANIC")) {
    ended_ = true;
  }
  if (message == nullptr) return lost();
  return of_postgres(first_line(message) + (sqlstate_.empty() ? "" : " (SQLSTATE " + sqlstate_ + ")"));
}

Error Connection::error_of_connection(const char* what) {
  const std::string said = first_line(PQerrorMessage(get()));
  return of_postgres(said.empty() ? what : std::string(what) + ": " + said);
}

Error Connection::lost() {
  ended_ = true;
  return error_of_connection("the connection is lost");
}

void Connection::send(const Statement& statement, const Parameters& parameters) {
  const bool prepares = !prepared_.contains(statement.name);
  if (prepares && PQsendPrepare(get(), statement.name, statement.sql, 0, nullptr) != 1) sending_failed_ = true;
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const std::string& value : parameters.values()) {
    values.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
  }
  const std::vector<int> binary(values.size(), 1);
  if (PQsendQueryPrepared(get(), statement.name, static_cast<int>(values.size()), values.data(), lengths.data(),
                          binary.data(), 1) != 1) {
    sending_failed_ = true;
  }
  queued_.push_back({&statement, prepares});
  // The name is added before finish(), so that a second use does not prepare the statement again. If preparing fails,
  // finish() removes the name.
  prepared_.insert(statement.name);
}

void Connection::flush() {
  Deadline deadline = std::chrono::steady_clock::now() + patience_;
  int unsent = PQsendFlushRequest(get()) == 1 ? PQflush(get()) : -1;
  while (unsent > 0) unsent = exchange(deadline) && !ended_ ? PQflush(get()) : -1;
  if (unsent < 0) sending_failed_ = true;
}

bool Connection::exchange(Deadline& deadline) {
  using std::chrono::milliseconds;
  const int unsent = PQflush(get());
  if (unsent < 0) return false;
  pollfd socket{PQsocket(get()), static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
  int ready = 0;
  while (ready == 0) {
    const Deadline now = std::chrono::steady_clock::now();
    if (stopping_.stop_requested()) deadline = std::min(deadline, now + kLastPatience);
    const milliseconds left = std::min(std::chrono::ceil<milliseconds>(deadline - now), kLook);
    if (left.count() <= 0) break;
    ready = poll(&socket, 1, static_cast<int>(left.count()));
  }
  ended_ = ready == 0;
  const bool says_something = ready > 0 && socket.revents != POLLOUT;
  return !says_something || PQconsumeInput(get()) == 1;
}

PGresult* Connection::next_result() {
  Deadline deadline = std::chrono::steady_clock::now() + patience_;
  while (!ended_ && PQisBusy(get()) == 1) {
    if (!exchange(deadline)) break;  // PQgetResult() returns the error
  }
  return ended_ ? nullptr : PQgetResult(get());
}

Result<Rows> Connection::take_result() {
  Rows rows(next_result());
  const PGresult* const result = rows.get();
  if (result == nullptr) return lost();
  std::optional<Error> error;
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_PIPELINE_ABORTED) {
    error = of_postgres("an earlier statement failed");
  } else if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    error = error_of(result);
  }
  if (PGresult* const end = broken() ? nullptr : next_result(); end != nullptr) PQclear(end);
  if (error) return *error;
  return rows;
}

Result<std::vector<Rows>> Connection::finish() {
  const std::vector<Queued> queued = std::exchange(queued_, {});
  sqlstate_.clear();
  if (sending_failed_ || PQpipelineSync(get()) != 1) return lost();
  std::vector<Rows> results;
  std::optional<Error> first;
  for (const Queued& each : queued) {
    for (int part = each.prepares ? 0 : 1; part < 2; ++part) {
      auto rows = take_result();
      if (!rows && broken()) return first ? *first : rows.error();
      if (!rows) {
        if (part == 0) prepared_.erase(each.statement->name);
        if (!first) first = rows.error();
      } else if (part == 1) {
        results.push_back(*std::move(rows));
      }
    }
  }
  const Rows sync(next_result());
  if (sync.get() == nullptr || PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) {
    return first ? *first : lost();
  }
  if (first) return *first;
  return results;
}

Result<Rows> Connection::run(const Statement& statement, const Parameters& parameters) {
  send(statement, parameters);
  HEARSAY_TRY(std::vector<Rows> results, finish());
  return std::move(results.front());
}

Result<Rows> Connection::run_within(std::chrono::seconds patience, const Statement& statement,
                                    const Parameters& parameters) {
  const std::chrono::seconds usual = std::exchange(patience_, patience);
  auto rows = run(statement, parameters);
  patience_ = usual;
  return rows;
}

Result<void> Connection::execute(const std::string& sql) {
  const bool pipelined = PQpipelineStatus(get()) != PQ_PIPELINE_OFF;
  if (pipelined && PQexitPipelineMode(get()) != 1) return error_of_connection("the connection is busy");
  sqlstate_.clear();
  if (PQsendQuery(get(), sql.c_str()) != 1) return lost();
  std::optional<Error> error;
  bool any = false;
  while (PGresult* const next = next_result()) {
    const Rows result(next);
    any = true;
    const ExecStatusType status = PQresultStatus(next);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && !error) error = error_of(next);
  }
  if ((!any || ended_) && !error) error = lost();
  if (pipelined && !broken() && PQenterPipelineMode(get()) != 1 && !error) {
    error = error_of_connection("cannot enter pipeline mode");
  }
  if (error) return *error;
  return {};
}

void Connection::roll_back() {
  if (ended_ || !in_transaction()) return;
  const std::string state = sqlstate_;
  if (!execute("ROLLBACK")) sending_failed_ = true;
  sqlstate_ = state;
}

}  // namespace hearsay::store::postgres
