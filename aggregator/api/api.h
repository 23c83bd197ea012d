// The calls of aggregator/docs/api.md: from HTTP requests to the store, the ingest and the estimator, and back.
#pragma once

#include <memory>

#include "aggregator/api/auth.h"
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

// Answers every request, those that fit no call included; refuses before the body is read what can be refused so early.
// Never blocks the caller: uploads are answered by the ingest's thread, estimates and tallies by a thread of the API's
// own. Thread-safe.
class Api : public http::HttpHandler {
 public:
  static std::unique_ptr<Api> create(const ApiDependencies& dependencies, Authenticator authenticator);

  // Uploads refused for overload since the start.
  virtual std::uint64_t overloads() const = 0;
};

}  // namespace hearsay::api
