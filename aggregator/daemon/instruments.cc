#include "aggregator/daemon/instruments.h"

#include <string_view>

#include "aggregator/daemon/process.h"

namespace hearsay::daemon {
namespace {

metrics::Histogram& stage(metrics::MetricsRegistry& registry, const char* name) {
  return registry.histogram("hearsay_stage_seconds", "Time spent in each stage of an upload.",
                            metrics::Histogram::Unit::kSeconds, {{"stage", name}});
}

template <class Value, class Source, class Field>
std::function<Value()> field_of(Source read, Field field) {
  return [read = std::move(read), field] { return static_cast<Value>(read().*field); };
}

void register_server(metrics::MetricsRegistry& registry, const SampleSources& sources) {
  using Counters = http::HttpServerCounters;
  const auto read = [&server = sources.server] { return server.counters(); };
  const auto counter = [&](std::string_view name, std::string_view help, http::RelaxedCounter Counters::*field,
                           const metrics::MetricLabels& labels = {}) {
    registry.sampled_counter(name, help, labels, field_of<std::uint64_t>(read, field));
  };
  counter("hearsay_connections_accepted_total", "Connections taken.", &Counters::connections_accepted);
  const char* const refused = "Connections closed at once, by reason.";
  counter("hearsay_connections_refused_total", refused, &Counters::connections_refused, {{"reason", "total"}});
  counter("hearsay_connections_refused_total", refused, &Counters::connections_refused_per_address,
          {{"reason", "address"}});
  counter("hearsay_proxy_headers_refused_total", "Connections of balancers without a valid PROXY protocol header.",
          &Counters::proxy_headers_refused);
  counter("hearsay_accept_failures_total", "Connections that failed for lack of a file descriptor or of memory.",
          &Counters::accept_failures);
  counter("hearsay_connections_timed_out_total", "Connections closed because they were too slow or idle.",
          &Counters::timeouts);
  counter("hearsay_handshakes_total", "TLS handshakes completed, including resumed handshakes.", &Counters::handshakes);
  counter("hearsay_handshakes_resumed_total", "TLS handshakes that resumed a session.", &Counters::handshakes_resumed);
  counter("hearsay_handshakes_failed_total", "TLS handshakes not completed.", &Counters::handshakes_failed);
  counter("hearsay_requests_total", "Requests handed to the API.", &Counters::requests);
  counter("hearsay_requests_refused_total", "Requests refused by the server itself: malformed, too large, too slow.",
          &Counters::requests_refused);
  const char* const overload = "Requests refused by the server for lack of memory, by the bound that was reached.";
  registry.sampled_counter("hearsay_requests_overload_total", overload, {{"reason", "total"}},
                           field_of<std::uint64_t>(read, &Counters::requests_overload));
  registry.sampled_counter("hearsay_requests_overload_total", overload, {{"reason", "address"}},
                           field_of<std::uint64_t>(read, &Counters::requests_overload_per_address));
  counter("hearsay_requests_rejected_total", "Requests refused by the API before their body was read.",
          &Counters::requests_rejected);
  const char* const buffered =
      "Bytes of bodies that are not answered yet, and of answers that clients have not read yet.";
  registry.sampled_gauge("hearsay_buffered_bytes", buffered, {{"direction", "in"}},
                         field_of<double>(read, &Counters::buffered_body_bytes));
  registry.sampled_gauge("hearsay_buffered_bytes", buffered, {{"direction", "out"}},
                         field_of<double>(read, &Counters::buffered_answer_bytes));
  registry.sampled_gauge(
      "hearsay_memory_pressure",
      "Used part of max_buffered_bytes, or of the share of callers without a token if this part is larger.", {},
      field_of<double>(read, &Counters::memory_pressure));
  registry.sampled_gauge("hearsay_connections_open", "Connections open now.", {},
                         field_of<double>(read, &Counters::connections_open));
}

void register_store(metrics::MetricsRegistry& registry, const SampleSources& sources) {
  const auto read_ingest = [&ingest = sources.ingest] { return ingest.counters(); };
  const auto gauge = [&](std::string_view name, std::string_view help, auto field) {
    registry.sampled_gauge(name, help, {},
                           field_of<double>([&store = sources.store] { return store.statistics(); }, field));
  };
  registry.sampled_counter("hearsay_commits_total", "Durable group commits of reports.", {},
                           field_of<std::uint64_t>(read_ingest, &ingest::IngestCounters::commits));
  registry.sampled_gauge("hearsay_queued_bytes", "Bytes of bodies that wait for a commit.", {},
                         field_of<double>(read_ingest, &ingest::IngestCounters::queued_bytes));
  registry.sampled_gauge("hearsay_queued_uploads", "Number of bodies that wait for a commit.", {},
                         field_of<double>(read_ingest, &ingest::IngestCounters::queued_uploads));
  registry.sampled_gauge("hearsay_tasks", "Tasks.", {},
                         [&tasks = sources.tasks] { return static_cast<double>(tasks.all().size()); });
  gauge("hearsay_reports_stored", "Reports stored one by one; the reports of sealed windows are deleted.",
        &store::StoreStatistics::reports);
  gauge("hearsay_store_bytes", "Bytes of the store on disk.", &store::StoreStatistics::disk_bytes);
  registry.sampled_gauge("hearsay_store_healthy", "1 while the store takes reports.", {},
                         [&store = sources.store] { return store.healthy() ? 1.0 : 0.0; });
  if (!sources.free_bytes()) return;  // a store in a database has neither free bytes nor an index of ids here
  registry.sampled_gauge("hearsay_store_free_bytes", "Bytes free on the store's file system.", {},
                         [free = sources.free_bytes] { return static_cast<double>(free().value_or(0)); });
  gauge("hearsay_index_ids", "Ids of reports in memory.", &store::StoreStatistics::indexed_reports);
  gauge("hearsay_index_bytes", "Memory of the index of ids.", &store::StoreStatistics::index_bytes);
  gauge("hearsay_index_spilled", "1 if the index is past its bound and ids are looked up on disk.",
        &store::StoreStatistics::spilled);
}

// The databases of an open store do not change.
void register_databases(metrics::MetricsRegistry& registry, const store::Store& store) {
  const std::vector<store::DatabaseState> databases = store.statistics().databases;
  for (std::size_t i = 0; i < databases.size(); ++i) {
    const auto gauge = [&](std::string_view name, std::string_view help, double (*value)(const store::DatabaseState&)) {
      registry.sampled_gauge(name, help, {{"database", databases[i].name}},
                             [&store, i, value] { return value(store.statistics().databases[i]); });
    };
    gauge("hearsay_database_up", "1 while the database takes reports.",
          [](const store::DatabaseState& state) { return state.failure ? 0.0 : 1.0; });
    gauge("hearsay_database_silent_seconds", "Time since the database last answered.",
          [](const store::DatabaseState& state) { return state.silent_seconds; });
    gauge("hearsay_database_statistics_age_seconds",
          "Time since the database's reports and bytes were last counted; +Inf if never.",
          [](const store::DatabaseState& state) { return state.statistics_age_seconds; });
  }
}

void register_analyses(metrics::MetricsRegistry& registry, const SampleSources& sources) {
  using Counters = api::AnalysisCounters;
  const auto read = [&api = sources.api] { return api.analyses(); };
  registry.sampled_gauge("hearsay_analyses_at_work", "Estimates and exports running now.", {},
                         field_of<double>(read, &Counters::at_work));
  registry.sampled_gauge("hearsay_analyses_waiting", "Estimates and exports waiting for their turn.", {},
                         field_of<double>(read, &Counters::waiting));
  registry.sampled_gauge("hearsay_analyses_waiting_bytes",
                         "Bytes of the bodies of estimates and exports waiting for their turn.", {},
                         field_of<double>(read, &Counters::waiting_bytes));
  registry.sampled_counter("hearsay_analyses_refused_total",
                           "Estimates and exports refused because too many were waiting.", {},
                           field_of<std::uint64_t>(read, &Counters::refused));
}

void register_backups(metrics::MetricsRegistry& registry, const LastBackup& last) {
  registry.sampled_gauge("hearsay_backup_last_success_timestamp_seconds",
                         "Unix time of the newest backup; 0 if there is none.", {},
                         [&last] { return static_cast<double>(last.made_at); });
  registry.sampled_gauge("hearsay_backup_last_failed", "1 if the last backup since the start failed.", {},
                         [&last] { return last.failed ? 1.0 : 0.0; });
}

void register_daemon(metrics::MetricsRegistry& registry, const SampleSources& sources) {
  registry.sampled_gauge("hearsay_ready", "1 while /readyz answers 200.", {},
                         [ready = sources.ready] { return ready() ? 1.0 : 0.0; });
  registry.sampled_gauge("hearsay_clock_in_doubt", "1 while the clock is not trusted and no window is sealed.", {},
                         [in_doubt = sources.clock_in_doubt] { return in_doubt() ? 1.0 : 0.0; });
  registry.sampled_gauge("hearsay_sealed_ahead_seconds", "How far windows are sealed ahead of the clock.", {},
                         [ahead = sources.sealed_ahead] { return static_cast<double>(ahead()); });
  registry.sampled_gauge("hearsay_build_info", "1, with the version as a label.", {{"version", HEARSAY_VERSION}},
                         [] { return 1.0; });
}

// These metrics have the names that Prometheus' client libraries use.
void register_process(metrics::MetricsRegistry& registry, UnixSeconds started) {
  const auto gauge = [&registry](std::string_view name, std::string_view help, std::uint64_t (*read)()) {
    registry.sampled_gauge(name, help, {}, [read] { return static_cast<double>(read()); });
  };
  registry.sampled_seconds_counter("process_cpu_seconds_total", "Processor time of the process, user and system.", {},
                                   cpu_seconds);
  gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.", resident_bytes);
  gauge("process_virtual_memory_bytes", "Address space of the process.", virtual_bytes);
  gauge("process_open_fds", "File descriptors open now.", open_descriptors);
  gauge("process_max_fds", "File descriptors that the process may open.", descriptor_limit);
  gauge("process_threads", "Threads of the process.", thread_count);
  registry.sampled_gauge("process_start_time_seconds", "When the process started, in Unix time.", {},
                         [started] { return static_cast<double>(started); });
}

}  // namespace

Instruments::Instruments(metrics::MetricsRegistry& registry)
    : handshake_(stage(registry, "handshake")),
      read_(stage(registry, "read")),
      check_(stage(registry, "check")),
      queue_(stage(registry, "queue")),
      commit_(stage(registry, "commit")),
      handle_(stage(registry, "handle")),
      answer_(stage(registry, "answer")),
      commit_reports_(
          registry.histogram("hearsay_commit_reports", "Reports in one commit.", metrics::Histogram::Unit::kCount)),
      fsync_failures_(
          registry.counter("hearsay_fsync_failures_total",
                           "Failed commits: a write or its synchronisation failed, or had failed before.")) {}

void Instruments::committed(std::chrono::nanoseconds took, std::size_t reports, bool durable) {
  commit_.observe(took);
  if (durable) {
    commit_reports_.observe(reports);
  } else {
    fsync_failures_.increment();
  }
}

void register_samples(metrics::MetricsRegistry& registry, const SampleSources& sources) {
  register_server(registry, sources);
  register_store(registry, sources);
  register_databases(registry, sources.store);
  register_analyses(registry, sources);
  register_daemon(registry, sources);
  register_process(registry, sources.started);
  if (sources.last_backup != nullptr) register_backups(registry, *sources.last_backup);
}

}  // namespace hearsay::daemon
