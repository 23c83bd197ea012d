// Answers questions about the database for metrics, lists and readiness. Reads the database, or takes what the
// observer's thread read last.
#include <algorithm>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/transactions.h"
#include "aggregator/store/sealing.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

// Ends a slow count early. Otherwise a slow count would look like a database that does not answer.
constexpr Statement kHurry{"hurry", "SELECT set_config('statement_timeout', $1::text, true)"};
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

Result<std::shared_ptr<const Observation>> PostgresStore::observe(const Observation& last,
                                                                  const std::function<void()>& heard) const {
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  auto seen = std::make_shared<Observation>();
  connection->send(kBegin);
  if (options_.observes) {
    const std::chrono::milliseconds hurry = std::chrono::milliseconds(options_.max_silence) / 2;
    connection->send(kHurry, Parameters().bytes(std::to_string(hurry.count())));
  }
  HEARSAY_CHECK_OK(connection->finish());
  heard();
  HEARSAY_TRY(seen->tasks, sealed_tasks(*connection));
  heard();
  auto counted = count(*connection, *seen, heard);
  if (!counted && (!options_.observes || connection->broken())) return counted.error();
  if (!counted) {
    heard();
    seen->counts = last.counts;
    seen->statistics = last.statistics;
    seen->counted = last.counted;
  }
  seen->statistics.tasks = seen->tasks.size();
  return std::shared_ptr<const Observation>(std::move(seen));
}

Result<void> PostgresStore::count(Connection& connection, Observation& seen, const std::function<void()>& heard) const {
  HEARSAY_TRY(const Rows sums, connection.run(kSums));
  heard();
  connection.send(kTotals);
  connection.send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> results, connection.finish());
  heard();
  for (std::size_t row = 0; row < sums.size(); ++row) {
    seen.counts[sums.int4(row, 0)] = {static_cast<std::uint64_t>(sums.int8(row, 1)),
                                      static_cast<std::uint64_t>(sums.int8(row, 2))};
    seen.statistics.reports += static_cast<std::uint64_t>(sums.int8(row, 3));
    seen.statistics.blocks += static_cast<std::uint64_t>(sums.int8(row, 4));
  }
  const Rows& totals = results[0];
  seen.statistics.commits = static_cast<std::uint64_t>(totals.int8(0, 0));
  seen.statistics.disk_bytes = static_cast<std::uint64_t>(totals.int8(0, 1));
  return {};
}

Result<void> PostgresStore::start_observer() {
  HEARSAY_TRY(const std::shared_ptr<const Observation> first, observe(Observation()));
  const auto answers = [this, kept = std::shared_ptr<Connection>()]() mutable {
    return ask(*database_, kept, options_.connect_timeout);
  };
  const auto look = [this, last = first](const std::function<void()>& heard) mutable {
    const auto seen = observe(*last, heard);
    if (seen) last = *seen;
    return seen ? *seen : nullptr;
  };
  observer_.emplace(Observer::Questions{answers, look}, first);
  return {};
}

std::shared_ptr<const Observation> PostgresStore::observed() const {
  if (observer_) return observer_->last();
  const auto seen = observe(Observation());
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
  const auto age = observer_ ? Observer::Steady::now() - seen->counted : Observer::Steady::duration::zero();
  statistics.databases.push_back({name_, failed, in_seconds(silence), in_seconds(age)});
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
