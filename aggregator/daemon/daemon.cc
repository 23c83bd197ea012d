#include "aggregator/daemon/daemon.h"

#include "aggregator/api/api.h"
#include "aggregator/api/task_registry.h"
#include "aggregator/daemon/operator_port.h"
#include "aggregator/http/server.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"
#include "aggregator/store/store.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

class RunningDaemon final : public Daemon {
 public:
  RunningDaemon(const DaemonConfig& config, Clock& clock) : config_(config), clock_(clock) {}
  ~RunningDaemon() override { stop(); }

  Result<void> open() {
    HEARSAY_TRY(store_, open_rocks_store({.path = config_.store}));
    HEARSAY_TRY(tasks_, TaskRegistry::load(*store_));
    IngestOptions ingest;
    ingest.max_queued_bytes = config_.max_queued_bytes;
    ingest.clock_skew_seconds = config_.clock_skew_seconds;
    ingest_ = Ingest::start(*store_, clock_, ingest);
    api_ = Api::create({*store_, *ingest_, *tasks_, clock_, metrics_}, Authenticator(config_.tokens));

    HttpServerOptions api;
    api.address = config_.listen.address;
    api.port = config_.listen.port;
    api.tls = TlsFiles{config_.certificate, config_.private_key};
    api.threads = config_.threads;
    api.max_body_bytes = config_.max_body_bytes;
    api.max_connections = config_.max_connections;
    HEARSAY_TRY(server_, HttpServer::start(api, *api_));
    register_samples();
    operator_handler_ = operator_handler(metrics_, [this] { return store_->healthy(); });
    HEARSAY_TRY(operator_server_, start_operator_port(config_.operator_listen, *operator_handler_));
    return {};
  }

  std::uint16_t port() const override { return server_->port(); }
  std::uint16_t operator_port() const override { return operator_server_->port(); }
  Result<void> reload_certificate() override { return server_->reload_certificate(); }

  void stop() override {
    // Against the flow of the data, so that nothing is handed to a part that is gone.
    if (server_) server_->stop(config_.drain);
    if (ingest_) ingest_->stop();
    if (operator_server_) operator_server_->stop(std::chrono::milliseconds(100));
  }

 private:
  // What the parts count themselves, read at each scrape.
  void register_samples() {
    const auto server = [this](std::string_view name, std::string_view help, std::uint64_t HttpServerCounters::*field) {
      metrics_.sampled_counter(name, help, {}, [this, field] { return server_->counters().*field; });
    };
    server("hearsay_connections_accepted_total", "Connections taken.", &HttpServerCounters::connections_accepted);
    server("hearsay_connections_refused_total", "Connections over the limit.",
           &HttpServerCounters::connections_refused);
    server("hearsay_handshakes_total", "TLS handshakes completed.", &HttpServerCounters::handshakes);
    server("hearsay_handshakes_failed_total", "TLS handshakes not completed.", &HttpServerCounters::handshakes_failed);
    server("hearsay_requests_total", "Requests handed to the API.", &HttpServerCounters::requests);
    server("hearsay_requests_refused_total", "Requests refused by the server itself: malformed, too large, too slow.",
           &HttpServerCounters::requests_refused);
    metrics_.sampled_gauge("hearsay_connections_open", "Connections open now.", {},
                           [this] { return static_cast<double>(server_->counters().connections_open); });
    metrics_.sampled_counter("hearsay_commits_total", "Durable group commits of reports.", {},
                             [this] { return ingest_->counters().commits; });
    metrics_.sampled_gauge("hearsay_queued_bytes", "Bodies waiting for a commit.", {},
                           [this] { return static_cast<double>(ingest_->counters().queued_bytes); });
  }

  DaemonConfig config_;
  Clock& clock_;
  MetricsRegistry metrics_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<TaskRegistry> tasks_;
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<HttpHandler> operator_handler_;
  std::unique_ptr<HttpServer> operator_server_;
};

}  // namespace

Result<std::unique_ptr<Daemon>> Daemon::start(const DaemonConfig& config, Clock& clock) {
  HEARSAY_CHECK_OK(check_config(config));
  auto daemon = std::make_unique<RunningDaemon>(config, clock);
  HEARSAY_CHECK_OK(daemon->open());
  return std::unique_ptr<Daemon>(std::move(daemon));
}

}  // namespace hearsay::aggregator
