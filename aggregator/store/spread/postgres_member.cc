#include "aggregator/store/spread/postgres_member.h"

#include "aggregator/store/postgres/database.h"
#include "aggregator/store/postgres/transactions.h"
#include "aggregator/store/postgres/uri.h"
#include "common/base/encoding.h"
#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

using postgres::Connection;
using postgres::Database;
using postgres::Parameters;
using postgres::Rows;
using postgres::Statement;

constexpr Statement kReadMap{"read_map",
                             "SELECT floor(extract(epoch FROM clock_timestamp()))::int8, "
                             "(SELECT document FROM hearsay.map)"};
constexpr Statement kWriteMap{"write_map",
                              "INSERT INTO hearsay.map (document) VALUES ($1::text) "
                              "ON CONFLICT (one) DO UPDATE SET document = excluded.document"};
// Taken before the first row of the map is written, because daemons that use the database on its own know no map. The
// lock waits for a daemon that is inserting its row of `writers`, and for transactions that hold such a row.
constexpr Statement kLockWriters{"lock_writers", "LOCK TABLE hearsay.writers IN EXCLUSIVE MODE"};
constexpr Statement kShutOut{"shut_out_all",
                             "WITH gone AS (DELETE FROM hearsay.writers WHERE number <> 0 RETURNING commit) "
                             "UPDATE hearsay.writers SET commit = writers.commit + (SELECT sum(commit) FROM gone) "
                             "WHERE number = 0 AND EXISTS (SELECT FROM gone)"};
// This lock lasts until the connection ends, not until a transaction ends: PostgreSQL cannot clear dead rows away while
// a transaction is open.
constexpr Statement kLockSession{"lock_session", "SELECT pg_advisory_lock(1214603635, $1::int4)"};

class PostgresKeeper final : public MapKeeper {
 public:
  PostgresKeeper(std::unique_ptr<Database> database, std::string server, bool read_only)
      : database_(std::move(database)), server_(std::move(server)), read_only_(read_only) {}

  const std::string& server() const override { return server_; }

  Result<std::unique_ptr<Lock>> lock() override {
    HEARSAY_TRY(std::unique_ptr<Connection> connection, database_->connect());
    HEARSAY_CHECK_OK(connection->run(kLockSession, Parameters().int4(postgres::kAdministratorsLock)));
    return std::unique_ptr<Lock>(std::make_unique<Held>(std::move(connection)));
  }

 private:
  struct Held : Lock {
    explicit Held(std::unique_ptr<Connection> held) : connection(std::move(held)) {}
    std::unique_ptr<Connection> connection;
  };

  Result<MapRow> apply(const Change& change, bool always_writes) override {
    HEARSAY_TRY(const Database::Lease connection, database_->lease());
    connection->send(postgres::kBegin);
    connection->send(postgres::kLockMaintenance, Parameters().int4(postgres::kMapLock));
    connection->send(kReadMap);
    HEARSAY_TRY(const std::vector<Rows> read, connection->finish());
    const Rows& found = read.back();
    const bool is_new = found.is_null(0, 1);
    MapRow before;
    if (!is_new) {
      HEARSAY_TRY(before, decode(found.bytes(0, 1), server_));
    }
    MapRow row = before;
    HEARSAY_CHECK_OK(change(row, static_cast<UnixSeconds>(found.int8(0, 0))));  // after an error the lease rolls back
    // Perhaps no standby has confirmed the proposed entry that was read. Callers rely on it, so the row is written
    // again.
    if (row == before && (read_only_ || !(row.proposed || always_writes))) return row;
    return write(*connection, std::move(row), is_new);
  }

  Result<MapRow> write(Connection& connection, MapRow row, bool is_new) const {
    if (is_new) {
      connection.send(kLockWriters);
      connection.send(kShutOut);
    }
    connection.send(kWriteMap, Parameters().bytes(encode(row, server_)));
    connection.send(postgres::kCommit);
    connection.take_warning();
    HEARSAY_CHECK_OK(connection.finish());
    if (!connection.take_warning()) return row;
    return Error{ErrorCode::kStoreFailed, "no synchronous standby confirmed the row of the map"};
  }

  const std::unique_ptr<Database> database_;
  const std::string server_;
  const bool read_only_;
};

// Returns a member without its store.
Result<Member> open_keeper(const postgres::Options& options, Clock& clock) {
  HEARSAY_TRY(std::unique_ptr<Database> database, Database::open(options, clock));
  Member member;
  member.name = postgres::database_name(options.uri);
  const std::string identity = hex_encode(database->identity());
  member.keeper = std::make_shared<PostgresKeeper>(std::move(database), identity, options.read_only);
  return member;
}

Result<void> open_store(Member& member, postgres::Options options, Clock& clock) {
  options.is_member = true;
  auto store = postgres::open(options, clock);
  if (!store) return member.named(store.error());
  member.store = *std::move(store);
  return {};
}

}  // namespace

Result<Member> open_member(const postgres::Options& options, Clock& clock) {
  HEARSAY_TRY(Member member, open_keeper(options, clock));
  HEARSAY_CHECK_OK(open_store(member, options, clock));
  return member;
}

Result<std::unique_ptr<Store>> open_databases(const std::vector<postgres::Options>& databases, const Options& options,
                                              Clock& clock) {
  std::vector<Member> members;
  for (const postgres::Options& database : databases) {
    HEARSAY_TRY(Member member, open_keeper(database, clock));
    members.push_back(std::move(member));
  }
  if (members.size() == 1) {
    HEARSAY_TRY(const MapRow row, members[0].keeper->update([](MapRow&, UnixSeconds) { return Result<void>(); }));
    if (row == MapRow()) return postgres::open(databases[0], clock);
  }
  // Done before the stores are opened, because opening shuts out a daemon of the same name, which may have the right
  // configuration.
  HEARSAY_TRY(const std::vector<MapRow> rows, check_map(members));
  for (std::size_t i = 0; i < members.size(); ++i) HEARSAY_CHECK_OK(open_store(members[i], databases[i], clock));
  return open(members, options);
}

}  // namespace hearsay::store::spread
