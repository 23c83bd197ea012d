// Measures append() in the shared store on PostgreSQL. The baseline, "plain libpq", writes the same two tables with the
// same key, in one pipelined transaction a batch. The baseline computes no sums, and does not tell a replay from a
// conflict.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "aggregator/store/postgres/connection.h"
#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/report_digest.h"
#include "hearsay/clock.h"
#include "tests/bench/report_stream.h"
#include "tests/support/postgres_server.h"

namespace hearsay::tests {
namespace {

using store::postgres::Bytes16;
using store::postgres::Connection;
using store::postgres::Parameters;
using store::postgres::Statement;

PostgresServer& server() {
  static PostgresServer made({"fsync=on", "shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=30min"});
  return made;
}

// Returns the processor seconds that the server's running child processes have taken.
double server_seconds() {
  double ticks = 0;
  std::ifstream children("/proc/" + std::to_string(server().pid()) + "/task/" + std::to_string(server().pid()) +
                         "/children");
  for (int child = 0; children >> child;) {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string field;
    while (stat >> field && field.back() != ')') continue;
    for (int i = 0; i < 11; ++i) stat >> field;
    double user = 0;
    double system = 0;
    stat >> user >> system;
    ticks += user + system;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void count_server(benchmark::State& state, double before) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["server_us_per_report"] =
      (server_seconds() - before) * 1e6 /
      (static_cast<double>(state.iterations()) * static_cast<double>(state.range(0)));
}

void shared_append(benchmark::State& state, Task (*make)()) {
  const Task task = make();
  const auto clock = make_system_clock();
  const store::postgres::Options options{.uri = server().uri(server().create_database())};
  if (!store::postgres::migrate(options)) return state.SkipWithError("no schema");
  const auto store = store::postgres::open(options, *clock).value();
  if (!store->add_task(task)) return state.SkipWithError("cannot add the task");
  Reports reports(task);
  std::vector<store::Submission> batch(static_cast<std::size_t>(state.range(0)));
  std::vector<store::AppendOutcome> outcomes(batch.size());
  const double before = server_seconds();
  for (auto _ : state) {
    reports.next(batch);
    if (!store->append(batch, outcomes) || outcomes.back() != store::AppendOutcome::kAccepted) {
      return state.SkipWithError("refused");
    }
  }
  count_server(state, before);
}

constexpr Statement kBegin{"begin", "BEGIN"};
constexpr Statement kCommit{"commit", "COMMIT"};
constexpr Statement kIds{"ids",
                         "INSERT INTO hearsay.ids (task, seal_day, window_start, id, digest) SELECT 1, -1, $1::int8, * "
                         "FROM unnest($2::uuid[], $3::uuid[]) ON CONFLICT DO NOTHING"};
constexpr Statement kBlock{"block",
                           "INSERT INTO hearsay.blocks (writer, commit, task, seal_day, window_start, part, reports, "
                           "bytes) SELECT 1, $1::int8, 1, -1, $2::int8, 0, $3::int4, $4::bytea"};

void plain_libpq(benchmark::State& state, Task (*make)()) {
  const Task task = make();
  const auto clock = make_system_clock();
  const store::postgres::Options options{.uri = server().uri(server().create_database())};
  if (!store::postgres::migrate(options)) return state.SkipWithError("no schema");
  {
    const auto store = store::postgres::open(options, *clock).value();
    Reports one(task);
    std::vector<store::Submission> batch(1);
    std::vector<store::AppendOutcome> outcomes(1);
    one.next(batch);
    if (!store->add_task(task) || !store->append(batch, outcomes)) return state.SkipWithError("no partitions");
  }
  const auto connection = Connection::open({.uri = options.uri}).value();
  Reports reports(task);
  std::vector<store::Submission> batch(static_cast<std::size_t>(state.range(0)));
  std::vector<Bytes16> ids(batch.size());
  std::vector<Bytes16> digests(batch.size());
  const auto window = static_cast<std::int64_t>(task.spec().task_start) + 3600;
  std::int64_t commit = 0;
  const double before = server_seconds();
  for (auto _ : state) {
    reports.next(batch);
    std::string bytes;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ids[i] = batch[i].report.id.bytes;
      digests[i] = batch[i].report.id.bytes;
      bytes.append(reinterpret_cast<const char*>(batch[i].encoded.data()), batch[i].encoded.size());
    }
    connection->send(kBegin);
    connection->send(kIds, Parameters().int8(window).uuids(ids).uuids(digests));
    connection->send(
        kBlock, Parameters().int8(++commit).int8(window).int4(static_cast<std::int32_t>(batch.size())).bytes(bytes));
    connection->send(kCommit);
    if (!connection->finish()) return state.SkipWithError("not written");
  }
  count_server(state, before);
}

void commits_of_every_size(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(64)->Arg(1000)->Arg(16384)->MeasureProcessCPUTime()->UseRealTime();
}
BENCHMARK_CAPTURE(shared_append, sampled16, sampled16)->Apply(commits_of_every_size);
BENCHMARK_CAPTURE(plain_libpq, sampled16, sampled16)->Apply(commits_of_every_size);

}  // namespace
}  // namespace hearsay::tests
