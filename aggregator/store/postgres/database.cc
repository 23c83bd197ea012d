#include "aggregator/store/postgres/database.h"

#include <algorithm>

#include "aggregator/store/postgres/schema.h"
#include "aggregator/store/postgres/uri.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr std::size_t kMostIdle = 4;        // idle connections that are kept
constexpr std::chrono::seconds kMargin{5};  // time for the server's timeout error to arrive

constexpr Statement kServer{"server",
                            "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on', "
                            "CASE WHEN pg_is_in_recovery() THEN 0 "
                            "ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8 END"};
constexpr Statement kSettings{
    "settings",
    "SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names') <> ''"};
constexpr Statement kIdentity{"identity", "SELECT identity FROM hearsay.meta"};
constexpr Statement kTime{"time", "SELECT floor(extract(epoch FROM clock_timestamp()))::int8"};

Error refused(const std::string& message) { return {ErrorCode::kStoreFailed, message}; }

ConnectOptions connect_options(const Options& options) {
  return {.uri = options.uri,
          .connect_timeout = options.connect_timeout,
          .statement_timeout = options.statement_timeout,
          .patience = options.statement_timeout + kMargin,
          .stopping = options.stopping};
}

Result<void> check_writable(Connection& connection, std::int64_t& timeline) {
  HEARSAY_TRY(const Rows server, connection.run(kServer));
  if (server.boolean(0, 0) || server.boolean(0, 1)) {
    return refused(
        "the database server is a standby or read-only, and is not written to: name all hosts in the URI and "
        "add target_session_attrs=read-write");
  }
  timeline = server.int8(0, 2);
  return {};
}

Result<void> check_settings(Connection& connection) {
  HEARSAY_TRY(const Rows settings, connection.run(kSettings));
  const auto refuse = [](const std::string& setting) {
    return refused("the database server has " + setting +
                   " and may lose reports that it acknowledged: change the setting, or allow a lossy server");
  };
  if (settings.bytes(0, 0) != "on") return refuse("fsync = off");
  if (settings.bytes(0, 1) != "on") return refuse("full_page_writes = off");
  const std::string synchronous(settings.bytes(0, 2));
  if (synchronous == "off") return refuse("synchronous_commit = off");
  if (settings.boolean(0, 3) && (synchronous == "local" || synchronous == "remote_write")) {
    return refuse("synchronous_commit = " + synchronous + " with a synchronous standby");
  }
  return {};
}

}  // namespace

Error clocks_differ(UnixSeconds difference) {
  return {ErrorCode::kClockUncertain, "this machine's clock and the database's differ by " +
                                          std::to_string(difference) + " seconds: set both by NTP"};
}

Result<std::unique_ptr<Connection>> Database::connect_to_migrate(const Options& options) {
  HEARSAY_CHECK_OK(check_uri(options.uri, options.allow_unverified_server));
  HEARSAY_TRY(std::unique_ptr<Connection> connection, Connection::open(connect_options(options)));
  std::int64_t timeline = 0;
  HEARSAY_CHECK_OK(check_writable(*connection, timeline));
  return connection;
}

Result<std::unique_ptr<Database>> Database::open(const Options& options, Clock& clock) {
  HEARSAY_CHECK_OK(check_uri(options.uri, options.allow_unverified_server));
  std::unique_ptr<Database> database(new Database(options, clock));
  HEARSAY_TRY(const UnixSeconds difference, database->clock_difference());
  if (difference > static_cast<UnixSeconds>(options.max_clock_skew.count()) && !options.read_only) {
    return clocks_differ(difference);
  }
  return database;
}

Result<void> Database::check(Connection& connection) {
  std::int64_t timeline = 0;
  if (!options_.read_only) HEARSAY_CHECK_OK(check_writable(connection, timeline));
  HEARSAY_TRY(const std::uint32_t version, schema_version(connection));
  HEARSAY_CHECK_OK(check_schema(version));
  if (!options_.read_only && !options_.allow_lossy_server) HEARSAY_CHECK_OK(check_settings(connection));
  HEARSAY_TRY(const Rows identity, connection.run(kIdentity));
  const std::lock_guard lock(mutex_);
  if (!identity_) identity_ = identity.uuid(0, 0);
  if (*identity_ != identity.uuid(0, 0)) return refused("the database holds another store than at the start");
  if (timeline < timeline_) {
    return refused("the database server is on timeline " + std::to_string(timeline) + ", and another one was on " +
                   std::to_string(timeline_) + " before: it is a former primary, and is not written to");
  }
  timeline_ = timeline;
  connection.set_timeline(timeline);
  return {};
}

bool Database::is_former(const Connection& connection) const {
  const std::lock_guard lock(mutex_);
  return connection.timeline() < timeline_;
}

Result<std::unique_ptr<Connection>> Database::connect() {
  HEARSAY_TRY(std::unique_ptr<Connection> connection, Connection::open(connect_options(options_)));
  HEARSAY_CHECK_OK(check(*connection));
  return connection;
}

Result<Database::Lease> Database::lease() {
  while (std::unique_ptr<Connection> connection = take_idle()) {
    if (connection->run_within(options_.connect_timeout, kTime) && !is_former(*connection)) {
      return Lease(*this, std::move(connection));
    }
    // The server is gone or silent. The other idle connections would also fail, each after a wait.
    if (connection->broken()) drop_idle();
  }
  HEARSAY_TRY(std::unique_ptr<Connection> connection, connect());
  return Lease(*this, std::move(connection));
}

std::unique_ptr<Connection> Database::take_idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Connection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void Database::drop_idle() {
  const std::lock_guard lock(mutex_);
  idle_.clear();
}

void Database::give_back(std::unique_ptr<Connection> connection) {
  connection->roll_back();
  if (connection->broken() || connection->in_transaction()) return;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
}

Result<UnixSeconds> Database::time(Connection& connection) {
  HEARSAY_TRY(const Rows time, connection.run(kTime));
  return static_cast<UnixSeconds>(std::max<std::int64_t>(0, time.int8(0, 0)));
}

Result<UnixSeconds> Database::clock_difference() {
  HEARSAY_TRY(const Lease connection, lease());
  HEARSAY_TRY(const UnixSeconds theirs, time(*connection));
  const UnixSeconds ours = clock_.now();
  return std::max(ours, theirs) - std::min(ours, theirs);
}

}  // namespace hearsay::store::postgres
