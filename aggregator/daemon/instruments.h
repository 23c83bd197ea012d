// The daemon's metrics by name; aggregator/docs/metrics.md is their table.
#pragma once

#include <chrono>
#include <functional>

#include "aggregator/http/server.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"
#include "aggregator/store/store.h"

namespace hearsay::aggregator {

// What is observed as it happens: how long each stage of an upload took, in the order of its life. Thread-safe.
class Instruments final : public HttpObserver, public IngestObserver {
 public:
  // `registry` must outlive the object.
  explicit Instruments(MetricsRegistry& registry);

  void handshaken(std::chrono::nanoseconds took) override { handshake_.observe(took); }
  void received(std::chrono::nanoseconds took) override { read_.observe(took); }
  void decoded(std::chrono::nanoseconds took) override { check_.observe(took); }
  void waited(std::chrono::nanoseconds took) override { queue_.observe(took); }
  void committed(std::chrono::nanoseconds took, std::size_t reports, bool durable) override;
  void handled(std::chrono::nanoseconds took) override { handle_.observe(took); }
  void answered(std::chrono::nanoseconds took) override { answer_.observe(took); }

 private:
  Histogram& handshake_;
  Histogram& read_;
  Histogram& check_;
  Histogram& queue_;
  Histogram& commit_;
  Histogram& handle_;
  Histogram& answer_;
  Histogram& commit_reports_;
  Counter& fsync_failures_;
};

// What the parts count themselves, read at each scrape. All must work as long as the registry renders.
struct SampleSources {
  std::function<HttpServerCounters()> server;
  std::function<IngestCounters()> ingest;
  std::function<StoreStatistics()> store;
  std::function<bool()> store_healthy;
  std::function<bool()> ready;
  std::function<std::size_t()> tasks;
  std::chrono::steady_clock::time_point started;
};
void register_samples(MetricsRegistry& registry, const SampleSources& sources);

}  // namespace hearsay::aggregator
