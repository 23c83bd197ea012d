// The daemon's metrics by name; aggregator/docs/metrics.md is their table.
#pragma once

#include <chrono>
#include <functional>

#include "aggregator/http/server.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"
#include "aggregator/store/store.h"

namespace hearsay::aggregator {

// What is observed as it happens.
struct Instruments {
  explicit Instruments(MetricsRegistry& registry);

  // Of an upload, in the order of its life.
  Histogram& handshake;  // TLS, of new connections
  Histogram& read;       // head and body of a request
  Histogram& check;      // decoding and checking of a body
  Histogram& queue;      // until its commit begins
  Histogram& commit;     // of one commit
  Histogram& answer;     // writing a response
  Histogram& commit_reports;
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
