// Answers questions about the database for metrics, lists and readiness. Reads the database, or takes what the
// observer's thread read last.
#include <algorithm>
#include <limits>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/transactions.h"
#include "aggregator/store/sealing.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr Statement kAlive{"alive", "SELECT 1"};
constexpr Statement kSums{"sums",
                          "SELECT w.task, sum(w.reports)::int8, count(DISTINCT w.window_start), "
                          "coalesce(sum(w.reports) FILTER (WHERE w.window_start >= t.sealed_before), 0)::int8, "
                          "coalesce(sum(w.commits) FILTER (WHERE w.window_start >= t.sealed_before), 0)::int8 "
                          "FROM hearsay.windows w JOIN hearsay.tasks t ON t.number = w.task GROUP BY w.task"};
constexpr Statement kTotals{"totals",
                            "SELECT coalesce(sum(commit), 0)::int8, pg_database_size(current_database()) "
                            "FROM hearsay.writers"};

double in_seconds(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

// Returns how many seconds ago `time` was; infinity if there is no such time.
double age_of(const std::optional<std::chrono::steady_clock::time_point>& time) {
  if (!time) return std::numeric_limits<double>::infinity();
  return in_seconds(std::chrono::steady_clock::now() - *time);
}

// Asks whether the database answers, over a connection that is kept. A server that accepts no further connections still
// answers on open connections.
Result<void> ask(Database& database, std::shared_ptr<Connection>& kept, std::chrono::seconds patience) {
  if (!kept || kept->broken() || database.is_former(*kept)) {
    HEARSAY_TRY(kept, database.connect());
    return {};
  }
  const auto answer = kept->run_within(patience, kAlive);
  if (answer) return {};
  kept.reset();
  return answer.error();
}

}  // namespace

Result<Database::Lease> PostgresStore::begin_look(const std::function<void()>& heard) const {
  HEARSAY_TRY(Database::Lease connection, database_->lease());
  connection->send(kBegin);
  if (options_.observes) {
    const std::chrono::milliseconds hurry = std::chrono::milliseconds(options_.max_silence) / 2;
    connection->send(kTimeout, Parameters().bytes(std::to_string(hurry.count())));
  }
  HEARSAY_CHECK_OK(connection->finish());
  heard();
  return connection;
}

Result<std::shared_ptr<const Observation>> PostgresStore::observe_tasks(const Observation& last,
                                                                        const std::function<void()>& heard) const {
  HEARSAY_TRY(const Database::Lease connection, begin_look(heard));
  auto tasks = sealed_tasks(*connection);
  if (!connection->broken()) heard();  // an error is an answer, too
  if (!tasks) return tasks.error();
  HEARSAY_CHECK_OK(connection->run(kCommit));
  auto seen = std::make_shared<Observation>(last);
  seen->tasks = *std::move(tasks);
  seen->statistics.tasks = seen->tasks.size();
  return std::shared_ptr<const Observation>(std::move(seen));
}

Result<std::shared_ptr<const Observation>> PostgresStore::count(const Observation& last,
                                                                const std::function<void()>& heard) const {
  HEARSAY_TRY(const Database::Lease connection, begin_look(heard));
  const auto sums = connection->run(kSums);
  if (!connection->broken()) heard();
  if (!sums) return sums.error();
  connection->send(kTotals);
  connection->send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> results, connection->finish());
  heard();
  auto seen = std::make_shared<Observation>();
  seen->tasks = last.tasks;
  seen->statistics.tasks = last.tasks.size();
  for (std::size_t row = 0; row < sums->size(); ++row) {
    seen->counts[sums->int4(row, 0)] = {static_cast<std::uint64_t>(sums->int8(row, 1)),
                                        static_cast<std::uint64_t>(sums->int8(row, 2))};
    seen->statistics.reports += static_cast<std::uint64_t>(sums->int8(row, 3));
    seen->statistics.blocks += static_cast<std::uint64_t>(sums->int8(row, 4));
  }
  seen->statistics.commits = static_cast<std::uint64_t>(results[0].int8(0, 0));
  seen->statistics.disk_bytes = static_cast<std::uint64_t>(results[0].int8(0, 1));
  seen->counted = Observer::Steady::now();
  return std::shared_ptr<const Observation>(std::move(seen));
}

Result<void> PostgresStore::start_observer() {
  HEARSAY_TRY(std::shared_ptr<const Observation> first, observe_tasks(Observation()));
  // Counts once, so that the figures are there when the store is open. A count that takes too long is given up.
  if (const auto counted = count(*first)) first = *counted;
  const auto answers = [this, kept = std::shared_ptr<Connection>()]() mutable {
    return ask(*database_, kept, options_.connect_timeout);
  };
  const auto tasks = [this](const Observation& last, const std::function<void()>& heard) {
    const auto seen = observe_tasks(last, heard);
    return seen ? *seen : nullptr;
  };
  const auto counts = [this](const Observation& last, const std::function<void()>& heard) {
    const auto seen = count(last, heard);
    return seen ? *seen : nullptr;
  };
  observer_.emplace(Observer::Questions{answers, tasks, counts}, first);
  return {};
}

std::shared_ptr<const Observation> PostgresStore::observed() const {
  if (observer_) return observer_->last();
  const auto tasks = observe_tasks(Observation());
  const auto seen = tasks ? count(**tasks) : tasks;
  return seen ? *seen : std::make_shared<const Observation>();
}

TaskCounts PostgresStore::counts(const Task& task) const {
  const auto seen = observed();
  const auto found =
      std::ranges::find_if(seen->tasks, [&](const SealedTask& each) { return each.task->task.id() == task.id(); });
  if (found == seen->tasks.end()) return {};
  const auto counts = seen->counts.find(found->task->number);
  return counts == seen->counts.end() ? TaskCounts() : counts->second;
}

std::uint64_t PostgresStore::sealed_ahead(UnixSeconds now) const {
  const auto seen = observed();
  std::uint64_t ahead = 0;
  for (const SealedTask& each : seen->tasks) {
    const UnixSeconds due = first_live_window(each.task->task, now);
    if (each.before > due) ahead = std::max(ahead, each.before - due);
  }
  return ahead;
}

StoreStatistics PostgresStore::statistics() const {
  const auto seen = observed();
  StoreStatistics statistics = seen->statistics;
  const auto failed = failure();
  statistics.healthy = !failed;
  if (failed) statistics.unavailable.push_back(name_ + ": " + failed->message);
  const auto silence = observer_ ? observer_->silence() : Observer::Steady::duration::zero();
  statistics.databases.push_back({name_, failed, in_seconds(silence), age_of(seen->counted)});
  return statistics;
}

bool PostgresStore::silent() const { return observer_ && observer_->silence() > options_.max_silence; }

std::optional<Error> PostgresStore::failure() const {
  {
    const std::lock_guard lock(failure_mutex_);
    if (upkeep_failure_) return upkeep_failure_;
    if (append_failure_) return append_failure_;
  }
  if (!silent()) return std::nullopt;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(observer_->silence()).count();
  const auto trouble = observer_->trouble();
  return Error{ErrorCode::kStoreFailed, "the database has not answered for " + std::to_string(seconds) + " s" +
                                            (trouble ? ": " + trouble->message : "")};
}

}  // namespace hearsay::store::postgres
