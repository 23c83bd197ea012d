// Carries out the calls of aggregator/docs/api.md: turns HTTP requests into work for the store, the ingest and the
// estimator, and the results into answers.
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

// The parts that the API joins. All parts must outlive the API.
struct ApiDependencies {
  store::Store& store;
  ingest::Ingest& ingest;
  TaskRegistry& tasks;
  Clock& clock;
  metrics::MetricsRegistry& metrics;
  Operations& operations;
};

struct ApiOptions {
  // In bytes. Each running estimate (at most two) may take a quarter of this memory. The bodies of waiting estimates
  // may together take a quarter, and so may the bodies of waiting exports.
  std::uint64_t max_analysis_bytes = 1U << 31U;
  std::chrono::milliseconds analysis_timeout{60'000};  // after this time, an analysis must end
  // How long a caller that creates, closes or deletes a task waits. After this time the answer is 503. The change may
  // still be made.
  std::chrono::milliseconds change_timeout{10'000};
  AllowedOrigins allowed_origins{};  // the origins whose web pages may report
  // Set this if other daemons can change the store's tasks. The API then reads the store's tasks again if a request
  // names an unknown task: each time for estimates and exports, and at most once a second for uploads and task
  // documents. In between, uploads to unknown tasks and requests for unknown documents get 503.
  bool shared_store = false;
};

// Answers every request, including requests that fit no call. If the head of a request shows a reason to refuse,
// refuses the request before the body is read. Thread-safe.
//
// Does not block the caller. The ingest answers uploads. Each of these kinds of calls has threads of its own:
// estimates, exports, backups, changes of tasks, and short calls.
class Api : public http::HttpHandler {
 public:
  static std::unique_ptr<Api> create(const ApiDependencies& dependencies, Authenticator authenticator,
                                     const ApiOptions& options = {});

  // Replaces the known tokens. Requests that the API has admitted before are still carried out.
  virtual void replace_authenticator(Authenticator authenticator) = 0;
  // Returns how many uploads were refused for overload since the start.
  virtual std::uint64_t overloads() const = 0;
  // Returns the counters of estimates and exports.
  virtual AnalysisCounters analyses() const = 0;
  // Ends the running and waiting estimates and exports with 503, and refuses further estimates and exports. Does not
  // wait until the running estimates and exports have ended. May be called again.
  virtual void stop_analyses() = 0;
};

}  // namespace hearsay::api
