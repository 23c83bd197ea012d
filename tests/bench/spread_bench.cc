// Measures what a report costs on one PostgreSQL server without the spread store, and on a spread store over one or two
// servers. The cost is the processor time of this process and of the servers. The first argument is the number of
// servers, or 0 for one server without the spread store. The second argument is the number of reports per commit of one
// server. The servers' files lie under TMPDIR.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <csignal>
#include <memory>
#include <vector>

#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/spread/change.h"
#include "aggregator/store/spread/postgres_member.h"
#include "tests/bench/report_stream.h"
#include "tests/support/postgres_server.h"

namespace hearsay::tests {
namespace {

constexpr std::uint64_t kReports = 400'000;

double seconds_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Servers {
 public:
  explicit Servers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      servers_.push_back(std::make_unique<PostgresServer>(
          std::vector<std::string>{"fsync=on", "shared_buffers=128MB", "max_connections=100"}));
      names_.push_back(servers_.back()->create_database());
      static_cast<void>(store::postgres::migrate(options(i)).value());
    }
  }
  std::unique_ptr<store::Store> open_alone() { return store::postgres::open(options(0), *clock_).value(); }
  std::unique_ptr<store::Store> open_spread() {
    {
      const auto administrator = members();
      std::vector<std::string> identities;
      for (const store::spread::Member& member : administrator) identities.push_back(member.keeper->server());
      static_cast<void>(store::spread::add_entry(administrator, identities, {}, {}).value());
    }
    return store::spread::open(members(), {}).value();
  }
  // Returns the processor seconds that the servers took since the last call.
  double restart() {
    const double before = seconds_of(RUSAGE_CHILDREN);
    for (const auto& server : servers_) server->stop(SIGINT);
    const double took = seconds_of(RUSAGE_CHILDREN) - before;
    for (const auto& server : servers_) server->start();
    return took;
  }

 private:
  store::postgres::Options options(std::size_t i) const { return {.uri = servers_[i]->uri(names_[i])}; }
  std::vector<store::spread::Member> members() const {
    std::vector<store::spread::Member> all;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      all.push_back(store::spread::open_member(options(i), *clock_).value());
    }
    return all;
  }

  std::vector<std::unique_ptr<PostgresServer>> servers_;
  std::vector<std::string> names_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
};

void reports(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::size_t per_commit = static_cast<std::size_t>(state.range(1)) * std::max<std::size_t>(1, count);
  Servers servers(std::max<std::size_t>(1, count));
  auto store = count == 0 ? servers.open_alone() : servers.open_spread();
  const Task task = sampled16();
  if (!store->add_task(task)) return state.SkipWithError("cannot add the task");
  store.reset();
  servers.restart();
  const double idle = servers.restart();
  store = count == 0 ? servers.open_alone() : servers.open_spread();
  Reports made(task);
  std::vector<store::Submission> batch(per_commit);
  std::vector<store::AppendOutcome> outcomes(batch.size());
  double own = 0;
  for (auto _ : state) {
    for (std::uint64_t sent = 0; sent < kReports; sent += per_commit) {
      made.next(batch);
      const double before = seconds_of(RUSAGE_SELF);
      const auto appended = store->append(batch, outcomes);
      own += seconds_of(RUSAGE_SELF) - before;
      const auto accepted = std::count(outcomes.begin(), outcomes.end(), store::AppendOutcome::kAccepted);
      if (!appended || accepted != static_cast<std::ptrdiff_t>(per_commit)) return state.SkipWithError("refused");
    }
  }
  store.reset();
  const double theirs = servers.restart() - idle;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kReports));
  state.counters["own_us"] = own * 1e6 / kReports;
  state.counters["servers_us"] = theirs * 1e6 / kReports;
  state.counters["all_us"] = (own + theirs) * 1e6 / kReports;
}
BENCHMARK(reports)->ArgsProduct({{0, 1, 2}, {1000}})->Args({2, 500})->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace hearsay::tests
