// Measures append() in the embedded store, with its look-ups, sums and sync. The baseline, "RocksDB per-row sync",
// writes one row per report, in one synced batch a commit. The baseline neither looks ids up nor computes sums. Another
// benchmark compares the index of ids with std::unordered_set. The argument is the number of reports per commit, or for
// `open` the number of reports in the store. The directories lie under TMPDIR, which should be on the disk to be
// measured.

#include <benchmark/benchmark.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "aggregator/store/rocks/id_index.h"
#include "aggregator/store/rocks/id_secret.h"
#include "aggregator/store/rocks/rocks.h"
#include "common/channel/channel.h"
#include "tests/bench/report_stream.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::tests {
namespace {

void append(benchmark::State& state, Task (*make)()) {
  const Task task = make();
  const tests::TemporaryDirectory dir;
  auto store = store::rocks::open({.path = dir / "s", .max_index_bytes = std::size_t{4} << 30U}).value();
  if (!store->add_task(task)) return state.SkipWithError("cannot add the task");
  Reports reports(task);
  std::vector<store::Submission> batch(static_cast<std::size_t>(state.range(0)));
  std::vector<store::AppendOutcome> outcomes(batch.size());
  for (auto _ : state) {
    reports.next(batch);
    if (!store->append(batch, outcomes) || outcomes.back() != store::AppendOutcome::kAccepted) {
      return state.SkipWithError("refused");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
void commits_of_every_size(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(64)->Arg(1000)->Arg(16384)->MeasureProcessCPUTime()->UseRealTime();
}
BENCHMARK_CAPTURE(append, sampled16, sampled16)->Apply(commits_of_every_size);
BENCHMARK_CAPTURE(append, laplace64, laplace64)->Apply(commits_of_every_size);

void rocksdb_per_row_sync(benchmark::State& state, Task (*make)()) {
  const Task task = make();
  const tests::TemporaryDirectory dir;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* opened = nullptr;
  if (!rocksdb::DB::Open(options, dir / "s", &opened).ok()) return state.SkipWithError("cannot open");
  const std::unique_ptr<rocksdb::DB> db(opened);
  rocksdb::WriteOptions synced;
  synced.sync = true;
  Reports reports(task);
  std::vector<store::Submission> batch(static_cast<std::size_t>(state.range(0)));
  rocksdb::WriteBatch rows;
  for (auto _ : state) {
    reports.next(batch);
    rows.Clear();
    for (const store::Submission& submission : batch) {
      std::array<char, sizeof(TaskId) + sizeof(ReportId)> key;
      std::memcpy(key.data(), &submission.task->id(), sizeof(TaskId));
      std::memcpy(key.data() + sizeof(TaskId), &submission.report.id, sizeof(ReportId));
      const rocksdb::Slice value(reinterpret_cast<const char*>(submission.report.payload.data()),
                                 submission.report.payload.size());
      if (!rows.Put(rocksdb::Slice(key.data(), key.size()), value).ok()) return state.SkipWithError("no batch");
    }
    if (!db->Write(synced, &rows).ok()) return state.SkipWithError("not written");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(rocksdb_per_row_sync, sampled16, sampled16)->Apply(commits_of_every_size);
BENCHMARK_CAPTURE(rocksdb_per_row_sync, laplace64, laplace64)->Apply(commits_of_every_size);

constexpr std::size_t kDedupBatch = 1000;
constexpr std::size_t kDedupIds = 4'000'000;

void dedup(benchmark::State& state) {
  Reports reports(sampled16());
  store::rocks::IdSecret secret(system_bit_source());
  store::rocks::IndexUsage usage;
  store::rocks::IdIndex index(usage);
  std::vector<ReportId> ids(kDedupBatch);
  std::vector<store::rocks::HiddenId> hidden(kDedupBatch);
  for (auto _ : state) {
    if (usage.ids >= kDedupIds) index.clear();
    for (ReportId& id : ids) id = reports.next_id();
    secret.hide(0, ids, hidden);
    for (std::size_t i = 0; i < kDedupBatch; ++i) {
      if (index.find(hidden[i]) == 0) index.insert(hidden[i], 1);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDedupBatch));
  state.counters["bytes_per_id"] = static_cast<double>(usage.bytes) / static_cast<double>(usage.ids);
}
BENCHMARK(dedup);

struct FirstBytes {
  std::size_t operator()(const ReportId& id) const {
    std::size_t hash = 0;
    std::memcpy(&hash, id.bytes.data(), sizeof(hash));
    return hash;
  }
};

void dedup_unordered_set(benchmark::State& state) {
  Reports reports(sampled16());
  std::unordered_set<ReportId, FirstBytes> index;
  for (auto _ : state) {
    if (index.size() >= kDedupIds) index.clear();
    for (std::size_t i = 0; i < kDedupBatch; ++i) index.insert(reports.next_id());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDedupBatch));
}
BENCHMARK(dedup_unordered_set);

void open(benchmark::State& state) {
  const Task task = sampled16();
  const tests::TemporaryDirectory dir;
  const store::rocks::Options options{.path = dir / "s", .max_index_bytes = std::size_t{4} << 30U};
  {
    auto store = store::rocks::open(options).value();
    if (!store->add_task(task)) return state.SkipWithError("cannot add the task");
    Reports reports(task);
    std::vector<store::Submission> batch(1000);
    std::vector<store::AppendOutcome> outcomes(batch.size());
    for (std::int64_t i = 0; i < state.range(0); i += 1000) {
      reports.next(batch);
      if (!store->append(batch, outcomes)) return state.SkipWithError("refused");
    }
  }
  for (auto _ : state) {
    if (store::rocks::open(options).value()->statistics().reports != static_cast<std::uint64_t>(state.range(0))) {
      return state.SkipWithError("reports are missing");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(open)->Arg(10'000'000)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay::tests
