#include "aggregator/daemon/instruments.h"

#include <string_view>

#include "aggregator/daemon/process.h"

namespace hearsay::aggregator {
namespace {

Histogram& stage(MetricsRegistry& registry, const char* name) {
  return registry.histogram("hearsay_stage_seconds", "Time spent in each stage of an upload.",
                            Histogram::Unit::kSeconds, {{"stage", name}});
}

// A function that reads one field of what `read` returns.
template <class Value, class Source, class Field>
std::function<Value()> field_of(Source read, Field field) {
  return [read = std::move(read), field] { return static_cast<Value>(read().*field); };
}

void register_server(MetricsRegistry& registry, const SampleSources& sources) {
  using Counters = HttpServerCounters;
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t Counters::*field,
                           const MetricLabels& labels = {}) {
    registry.sampled_counter(name, help, labels, field_of<std::uint64_t>(sources.server, field));
  };
  counter("hearsay_connections_accepted_total", "Connections taken.", &Counters::connections_accepted);
  counter("hearsay_connections_refused_total", "Connections closed at once, by reason.", &Counters::connections_refused,
          {{"reason", "total"}});
  counter("hearsay_handshakes_total", "TLS handshakes completed.", &Counters::handshakes);
  counter("hearsay_handshakes_failed_total", "TLS handshakes not completed.", &Counters::handshakes_failed);
  counter("hearsay_requests_total", "Requests handed to the API.", &Counters::requests);
  counter("hearsay_requests_refused_total", "Requests refused by the server itself: malformed, too large, too slow.",
          &Counters::requests_refused);
  registry.sampled_gauge("hearsay_connections_open", "Connections open now.", {},
                         field_of<double>(sources.server, &Counters::connections_open));
}

void register_store(MetricsRegistry& registry, const SampleSources& sources) {
  const auto gauge = [&](std::string_view name, std::string_view help, auto field) {
    registry.sampled_gauge(name, help, {}, field_of<double>(sources.store, field));
  };
  registry.sampled_counter("hearsay_commits_total", "Durable group commits of reports.", {},
                           field_of<std::uint64_t>(sources.ingest, &IngestCounters::commits));
  registry.sampled_gauge("hearsay_queued_bytes", "Bodies waiting for a commit.", {},
                         field_of<double>(sources.ingest, &IngestCounters::queued_bytes));
  registry.sampled_gauge("hearsay_tasks", "Tasks.", {},
                         [tasks = sources.tasks] { return static_cast<double>(tasks()); });
  gauge("hearsay_reports_stored", "Reports stored one by one; those of sealed windows are forgotten.", &StoreStatistics::reports);
  gauge("hearsay_index_ids", "Ids of reports in memory.", &StoreStatistics::indexed_reports);
  gauge("hearsay_index_bytes", "Memory of the index of ids.", &StoreStatistics::index_bytes);
  gauge("hearsay_index_spilled", "1 if the index is past its bound and ids are looked up on disk.",
        &StoreStatistics::spilled);
  gauge("hearsay_store_bytes", "Bytes of the store on disk.", &StoreStatistics::disk_bytes);
  registry.sampled_counter("hearsay_fsync_failures_total", "Writes to the store or its synchronisation that failed.",
                           {}, [healthy = sources.store_healthy] { return healthy() ? std::uint64_t{0} : 1; });
  registry.sampled_gauge("hearsay_store_healthy",
                         "1 while the store takes reports; 0 until a restart once a write failed.", {},
                         [healthy = sources.store_healthy] { return healthy() ? 1.0 : 0.0; });
}

void register_process(MetricsRegistry& registry, const SampleSources& sources) {
  registry.sampled_gauge("hearsay_ready", "1 while /readyz is green.", {},
                         [ready = sources.ready] { return ready() ? 1.0 : 0.0; });
  registry.sampled_gauge("hearsay_uptime_seconds", "Time since the start.", {}, [started = sources.started] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  });
  registry.gauge("hearsay_build_info", "1, with the version as a label.", {{"version", HEARSAY_VERSION}}).set(1);
  registry.sampled_gauge("hearsay_resident_memory_bytes", "Memory of the process.", {},
                         [] { return static_cast<double>(resident_bytes()); });
  registry.sampled_gauge("hearsay_open_descriptors", "Descriptors open now.", {},
                         [] { return static_cast<double>(open_descriptors()); });
  registry.sampled_gauge("hearsay_descriptor_limit", "Descriptors that the process may open.", {},
                         [] { return static_cast<double>(descriptor_limit()); });
}

}  // namespace

Instruments::Instruments(MetricsRegistry& registry)
    : handshake(stage(registry, "handshake")),
      read(stage(registry, "read")),
      check(stage(registry, "check")),
      queue(stage(registry, "queue")),
      commit(stage(registry, "commit")),
      answer(stage(registry, "answer")),
      commit_reports(registry.histogram("hearsay_commit_reports", "Reports in one commit.", Histogram::Unit::kCount)) {}

void register_samples(MetricsRegistry& registry, const SampleSources& sources) {
  register_server(registry, sources);
  register_store(registry, sources);
  register_process(registry, sources);
}

}  // namespace hearsay::aggregator
