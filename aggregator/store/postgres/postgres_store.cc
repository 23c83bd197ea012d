#include "aggregator/store/postgres/postgres_store.h"

#include "aggregator/store/postgres/schema.h"
#include "aggregator/store/postgres/transactions.h"
#include "aggregator/store/sealing.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr Statement kFindTask{"find_task", "SELECT number, document FROM hearsay.tasks WHERE id = $1::bytea"};
constexpr Statement kTaskNumber{"task_number", "SELECT number FROM hearsay.tasks WHERE id = $1::bytea"};
// A repeated add_task() writes the row again, because perhaps no standby has confirmed the first commit.
constexpr Statement kAddTask{"add_task",
                             "INSERT INTO hearsay.tasks (id, document) VALUES ($1::bytea, $2::text) "
                             "ON CONFLICT (id) DO UPDATE SET id = excluded.id"};
constexpr Statement kCloseTask{"close_task",
                               "UPDATE hearsay.tasks SET closed_at = coalesce(closed_at, $2::int8) "
                               "WHERE number = $1::int4"};
constexpr Statement kRemoveTask{"remove_task",
                                "WITH gone AS (DELETE FROM hearsay.tasks WHERE number = $1::int4 RETURNING number) "
                                "INSERT INTO hearsay.removed SELECT number FROM gone"};
constexpr Statement kTouch{"touch", "UPDATE hearsay.writers SET seen = now() WHERE number = 0"};
constexpr Statement kAllTasks{"all_tasks", "SELECT document, closed_at, sealed_before FROM hearsay.tasks ORDER BY id"};
constexpr Statement kNoteClock{"note_clock",
                               "INSERT INTO hearsay.clock (noted) VALUES ($1::int8) "
                               "ON CONFLICT (one) DO UPDATE SET noted = greatest(clock.noted, excluded.noted)"};
constexpr Statement kHasMap{"has_map", "SELECT EXISTS (SELECT FROM hearsay.map)"};
constexpr Statement kNotedClock{"noted_clock", "SELECT noted FROM hearsay.clock"};

constexpr int kMostDoublings = 7;  // the wait is 2^7/4 = 32 seconds at most

Error unrecognized(const TaskId& id) { return {ErrorCode::kUnrecognizedTask, "there is no task " + id.to_string()}; }

Result<Task> parse_task(std::string_view document) {
  auto task = Task::parse(document);
  if (task && task->canonical_json() == document) return task;
  return Error{ErrorCode::kStoreCorrupt, "a row of hearsay.tasks holds a document that is no task's"};
}

Result<void> check_alone(Database& database) {
  HEARSAY_TRY(const Database::Lease connection, database.lease());
  HEARSAY_TRY(const Rows map, connection->run(kHasMap));
  if (!map.boolean(0, 0)) return {};
  return Error{ErrorCode::kStoreFailed, "the database belongs to a store over several databases: name all of them"};
}

// A warning of the server means that no standby confirmed the commit.
Result<std::vector<Rows>> commit(Connection& connection) {
  connection.take_warning();
  connection.send(kCommit);
  HEARSAY_TRY(std::vector<Rows> results, connection.finish());
  if (!connection.take_warning()) return results;
  return Error{ErrorCode::kStoreFailed, "no synchronous standby confirmed the change: repeat it"};
}

// Returns kUnrecognizedTask. Perhaps another commit has deleted the task, and no standby has confirmed that commit yet.
// So this function first makes a commit of its own. A standby that has confirmed this later commit has confirmed the
// deletion, too.
Error confirmed_absence(Connection& connection, const TaskId& id) {
  connection.send(kBegin);
  connection.send(kTouch);
  const auto confirmed = commit(connection);
  return confirmed ? unrecognized(id) : confirmed.error();
}

}  // namespace

Result<std::unique_ptr<Store>> open(const Options& options, Clock& clock) {
  HEARSAY_TRY(std::unique_ptr<PostgresStore> store, PostgresStore::open(options, clock));
  return std::unique_ptr<Store>(std::move(store));
}

Result<Migration> migrate(const Options& options) {
  HEARSAY_TRY(const std::unique_ptr<Connection> connection, Database::connect_to_migrate(options));
  return migrate_schema(*connection);
}

Result<std::unique_ptr<PostgresStore>> PostgresStore::open(const Options& options, Clock& clock,
                                                           std::uint64_t max_window_reports) {
  if (options.instance.empty() || options.instance.size() > 63) {
    return Error{ErrorCode::kInvalidArgument, "the instance's name must have 1 to 63 bytes"};
  }
  std::unique_ptr<PostgresStore> store(new PostgresStore(options, max_window_reports));
  HEARSAY_TRY(store->database_, Database::open(options, clock));
  if (!options.read_only && !options.is_member) HEARSAY_CHECK_OK(check_alone(*store->database_));
  if (!options.read_only) {
    store->listener_.emplace(*store->database_);
    store->writer_.emplace(*store->database_, options.max_unseen);
    HEARSAY_CHECK_OK(store->writer_->start(options.instance));
    // Another process may have written a map since the first check. If that process wrote the map after this writer's
    // row was there, that process removed the row. If that process wrote the map earlier, this check finds the map.
    if (!options.is_member) HEARSAY_CHECK_OK(check_alone(*store->database_));
  }
  if (options.observes) HEARSAY_CHECK_OK(store->start_observer());
  return store;
}

PostgresStore::~PostgresStore() {
  observer_.reset();
  if (writer_) writer_->stop();
}

Result<void> PostgresStore::writable() const {
  if (!writer_) return Error{ErrorCode::kStoreFailed, "the store is open for reading only"};
  return {};
}

void PostgresStore::note(Work work, const std::optional<Error>& failure) {
  if (healthy_ && !failure && (work == Work::kUpkeep || appends_failed_ == 0)) return;
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(failure_mutex_);
  if (work == Work::kUpkeep) {
    upkeep_failure_ = failure;
    if (!failure && now >= append_failure_until_) append_failure_.reset();
  } else {
    append_failure_ = failure;
    appends_failed_ = failure ? appends_failed_ + 1 : 0;
    append_failure_until_ = now + std::chrono::seconds((1 << std::min<int>(appends_failed_, kMostDoublings)) / 4);
  }
  healthy_ = !append_failure_ && !upkeep_failure_;
}

Result<void> PostgresStore::check_directory() {
  if (!writer_) return {};
  auto upkeep = keep_up();
  note(Work::kUpkeep, upkeep ? std::nullopt : std::optional(upkeep.error()));
  return upkeep;
}

Result<void> PostgresStore::keep_up() {
  {
    const std::lock_guard lock(append_mutex_);
    HEARSAY_TRY(Connection* const connection, writer_->ready());
    static_cast<void>(connection);
  }
  HEARSAY_TRY(const UnixSeconds difference, database_->clock_difference());
  if (difference > static_cast<UnixSeconds>(options_.max_clock_skew.count())) return clocks_differ(difference);
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  const auto folded = fold(*connection);
  static_cast<void>(clear_up(*connection));
  // expire() returns the other errors of fold() and clear_up(). The store takes reports in spite of them.
  if (!folded && folded.error().code == ErrorCode::kStoreCorrupt) return folded.error();
  return {};
}

Result<std::shared_ptr<const KnownTask>> PostgresStore::find_task(Connection& connection, const TaskId& id) const {
  {
    const std::lock_guard lock(tasks_mutex_);
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
  }
  HEARSAY_TRY(const Rows row, connection.run(kFindTask, Parameters().bytes(bytes_of(id))));
  if (row.empty()) return std::shared_ptr<const KnownTask>();
  HEARSAY_TRY(const Task task, parse_task(row.bytes(0, 1)));
  auto found = std::make_shared<const KnownTask>(static_cast<std::int32_t>(row.int4(0, 0)), task);
  const std::lock_guard lock(tasks_mutex_);
  known_[id] = found;
  return std::shared_ptr<const KnownTask>(std::move(found));
}

Result<std::shared_ptr<const KnownTask>> PostgresStore::present_task(Connection& connection, const TaskId& id) const {
  HEARSAY_TRY(const Rows row, connection.run(kTaskNumber, Parameters().bytes(bytes_of(id))));
  if (row.empty()) return std::shared_ptr<const KnownTask>();
  HEARSAY_TRY(auto known, find_task(connection, id));
  if (known && known->number == row.int4(0, 0)) return known;
  forget_task(id);
  return find_task(connection, id);
}

void PostgresStore::forget_task(const TaskId& id) const {
  const std::lock_guard lock(tasks_mutex_);
  known_.erase(id);
}

Result<void> PostgresStore::prepare_days(Connection& connection, const std::set<std::int32_t>& days) {
  for (const std::int32_t day : days) {
    if (days_.contains(day)) continue;
    HEARSAY_CHECK_OK(make_partitions(connection, day));
    days_.insert(day);
  }
  return {};
}

Result<void> PostgresStore::add_task(const Task& task) {
  HEARSAY_CHECK_OK(writable());
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  connection->send(kBegin);
  connection->send(kAddTask, Parameters().bytes(bytes_of(task.id())).bytes(task.canonical_json()));
  connection->send(kTellListeners);
  HEARSAY_TRY(const std::vector<Rows> results, commit(*connection));
  return {};
}

Result<void> PostgresStore::change_task(const TaskId& id, const Statement& change, std::optional<UnixSeconds> at) {
  HEARSAY_CHECK_OK(writable());
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  HEARSAY_TRY(const auto task, present_task(*connection, id));
  if (!task) return confirmed_absence(*connection, id);
  Parameters parameters;
  parameters.int4(task->number);
  if (at) parameters.int8(static_cast<std::int64_t>(*at));
  connection->send(kBegin);
  connection->send(kLockTask, Parameters().int4(task->number));
  connection->send(change, parameters);
  connection->send(kTellListeners);
  HEARSAY_TRY(const std::vector<Rows> results, commit(*connection));
  if (results[2].affected() != 0) return {};
  forget_task(id);
  return unrecognized(id);  // another daemon has deleted the task meanwhile
}

Result<void> PostgresStore::close_task(const TaskId& id, UnixSeconds at) { return change_task(id, kCloseTask, at); }

Result<void> PostgresStore::delete_task(const TaskId& id) {
  HEARSAY_CHECK_OK(change_task(id, kRemoveTask, std::nullopt));
  forget_task(id);
  return {};  // the upkeep deletes the task's rows
}

Result<void> PostgresStore::note_clock(UnixSeconds now) {
  HEARSAY_CHECK_OK(writable());
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  const auto noted = connection->run(kNoteClock, Parameters().int8(static_cast<std::int64_t>(now)));
  if (!noted) return noted.error();
  return {};
}

std::optional<UnixSeconds> PostgresStore::noted_clock() const {
  const auto connection = database_->lease();
  if (!connection) return std::nullopt;
  const auto noted = (*connection)->run(kNotedClock);
  if (!noted || noted->empty()) return std::nullopt;
  return static_cast<UnixSeconds>(noted->int8(0, 0));
}

Result<std::vector<StoredTask>> PostgresStore::tasks() const {
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  HEARSAY_TRY(const Rows rows, connection->run(kAllTasks));
  std::vector<StoredTask> tasks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    HEARSAY_TRY(const Task task, parse_task(rows.bytes(row, 0)));
    tasks.push_back({task, std::nullopt});
    if (!rows.is_null(row, 1)) tasks.back().closed_at = static_cast<UnixSeconds>(rows.int8(row, 1));
  }
  return tasks;
}

}  // namespace hearsay::store::postgres
