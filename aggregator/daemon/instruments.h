// Measures the daemon's metrics, which aggregator/docs/metrics.md lists.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include "aggregator/api/api.h"
#include "aggregator/api/task_registry.h"
#include "aggregator/http/server.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"
#include "aggregator/store/store.h"

namespace hearsay::daemon {

// Measures how long each stage of an upload takes. Thread-safe.
class Instruments final : public http::HttpObserver, public ingest::IngestObserver {
 public:
  // `registry` must outlive the object.
  explicit Instruments(metrics::MetricsRegistry& registry);

  void handshaken(std::chrono::nanoseconds took) override { handshake_.observe(took); }
  void received(std::chrono::nanoseconds took) override { read_.observe(took); }
  void decoded(std::chrono::nanoseconds took) override { check_.observe(took); }
  void waited(std::chrono::nanoseconds took) override { queue_.observe(took); }
  void committed(std::chrono::nanoseconds took, std::size_t reports, bool durable) override;
  void handled(std::chrono::nanoseconds took) override { handle_.observe(took); }
  void answered(std::chrono::nanoseconds took) override { answer_.observe(took); }

 private:
  metrics::Histogram& handshake_;
  metrics::Histogram& read_;
  metrics::Histogram& check_;
  metrics::Histogram& queue_;
  metrics::Histogram& commit_;
  metrics::Histogram& handle_;
  metrics::Histogram& answer_;
  metrics::Histogram& commit_reports_;
  metrics::Counter& fsync_failures_;
};

struct LastBackup {
  std::atomic<UnixSeconds> made_at{0};  // time of the newest backup, also of an earlier daemon; 0 if there is none
  std::atomic<bool> failed{false};      // true if this daemon's last backup failed
};

// The functions and values from which register_samples() makes metrics; each scrape reads them. All members must stay
// usable until the last call of the registry's render().
struct SampleSources {
  const http::HttpServer& server;
  const api::Api& api;
  const ingest::Ingest& ingest;
  const store::Store& store;
  const api::TaskRegistry& tasks;
  std::function<bool()> ready;
  std::function<bool()> clock_in_doubt;
  std::function<std::uint64_t()> sealed_ahead;
  std::function<std::optional<std::uint64_t>()> free_bytes;  // on the store's disk; returns nothing for a database
  const LastBackup* last_backup;                             // null if no backups are configured
  UnixSeconds started;
};
void register_samples(metrics::MetricsRegistry& registry, const SampleSources& sources);

}  // namespace hearsay::daemon
