// The calls of aggregator/docs/api.md: from HTTP requests to the store, the ingest and the estimator, and back.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "aggregator/api/analysis_queue.h"
#include "aggregator/api/auth.h"
#include "aggregator/api/cross_origin.h"
#include "aggregator/api/operations.h"
#include "aggregator/api/task_registry.h"
#include "aggregator/http/message.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"
#include "aggregator/store/store.h"
#include "hearsay/clock.h"

namespace hearsay::api {

// What the API joins. Everything must outlive it.
struct ApiDependencies {
  store::Store& store;
  ingest::Ingest& ingest;
  TaskRegistry& tasks;
  Clock& clock;
  metrics::MetricsRegistry& metrics;
  Operations& operations;
};

struct ApiOptions {
  // Of estimates and exports of tallies together: a quarter each for the two estimates and the one export that may be
  // at work, and for the bodies of those that wait.
  std::uint64_t max_analysis_bytes = 1U << 31U;
  std::chrono::milliseconds analysis_timeout{60'000};  // for one of them, from when it begins
  AllowedOrigins allowed_origins{};                    // whose pages may report
  // Other daemons may change the store's tasks. A report or a question of anybody about an unknown task then has them
  // read again, once a second at most; others in between get 503. For callers with a token they are read each time.
  bool shared_store = false;
};

// Answers every request, those that fit no call included; refuses before the body is read what can be refused so early.
// Never blocks the caller: uploads are answered by the ingest's thread; estimates, exports, backups and the other calls
// by threads of the API's own, so that none of these four kinds waits for another. Thread-safe.
class Api : public http::HttpHandler {
 public:
  static std::unique_ptr<Api> create(const ApiDependencies& dependencies, Authenticator authenticator,
                                     const ApiOptions& options = {});

  // Who may do what from now on. Requests that are let in already are carried out.
  virtual void replace_authenticator(Authenticator authenticator) = 0;
  // Uploads refused for overload since the start.
  virtual std::uint64_t overloads() const = 0;
  // Of estimates and exports.
  virtual AnalysisCounters analyses() const = 0;
  // Ends the estimates and exports that are at work or waiting, with 503, and refuses further ones. Returns at once.
  // Idempotent.
  virtual void stop_analyses() = 0;
};

}  // namespace hearsay::api
