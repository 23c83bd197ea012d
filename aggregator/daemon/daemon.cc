#include "aggregator/daemon/daemon.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <ostream>
#include <stop_token>
#include <thread>

#include "aggregator/api/api.h"
#include "aggregator/api/operations.h"
#include "aggregator/api/task_registry.h"
#include "aggregator/daemon/caretaker.h"
#include "aggregator/daemon/certificate.h"
#include "aggregator/daemon/instruments.h"
#include "aggregator/daemon/open_store.h"
#include "aggregator/daemon/operator_port.h"
#include "aggregator/daemon/process.h"
#include "aggregator/daemon/readiness.h"
#include "aggregator/http/server.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/metrics/metrics.h"
#include "aggregator/store/location/location.h"
#include "aggregator/store/rocks/rocks.h"
#include "common/base/try.h"

namespace hearsay::daemon {
namespace {

using Steady = std::chrono::steady_clock;

void every_second(const std::stop_token& stopping, const std::function<void()>& work) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait_for(lock, stopping, std::chrono::seconds(1), [] { return false; });
    if (stopping.stop_requested()) return;
    work();
  }
}

class RunningDaemon final : public Daemon, private api::Operations {
 public:
  RunningDaemon(const DaemonConfig& config, Clock& clock, Log* log)
      : config_(config), clock_(clock), log_(log != nullptr ? *log : silent_) {}
  ~RunningDaemon() override { stop(); }

  Result<void> open() {
    HEARSAY_TRY(store_, open_store(config_, clock_, closing_.get_token()));
    HEARSAY_TRY(tasks_, api::TaskRegistry::load(*store_));
    ingest::IngestOptions ingest;
    ingest.max_queued_bytes = config_.max_queued_bytes;
    ingest.clock_skew_seconds = static_cast<std::uint64_t>(config_.clock_skew.count());
    watch_clock();
    ingest.clock_in_doubt = [this](UnixSeconds now) { return clock_watch_->in_doubt(now, Steady::now()); };
    ingest_ = ingest::Ingest::start(*store_, clock_, ingest, &instruments_);
    api_ = api::Api::create({*store_, *ingest_, *tasks_, clock_, metrics_, *this},
                            api::Authenticator(config_.tokens, config_.uploads),
                            {.max_analysis_bytes = config_.max_analysis_bytes,
                             .analysis_timeout = config_.analysis_timeout,
                             .allowed_origins = config_.allowed_origins,
                             .shared_store = store::is_database(config_.store)});
    HEARSAY_CHECK_OK(serve());
    read_last_backup();
    register_samples(metrics_, {*server_, *api_, *ingest_, *store_, *tasks_, [this] { return reasons().empty(); },
                                [this] { return clock_watch_->in_doubt(clock_.now(), Steady::now()); },
                                [this] { return sealed_ahead(); }, [this] { return free_store_bytes(config_); },
                                config_.backup_directory.empty() ? nullptr : &last_backup_, started_at_});
    operator_handler_ = operator_handler({metrics_, log_, [this] { return reasons(); }, [this] { return warnings(); },
                                          [this] { return store_->statistics().unavailable; }, config_.operator_hosts});
    register_certificate(metrics_, *server_, clock_);
    HEARSAY_TRY(operator_server_, start_operator_port(config_.operator_listen, *operator_handler_));
    const store::StoreStatistics held = store_->statistics();
    log_.write(LogLevel::kInfo, "start",
               {{"version", HEARSAY_VERSION},
                {"instance", config_.instance},
                {"port", port()},
                {"operator_port", operator_port()},
                {"store", config_.store},
                {"tasks", tasks_->all().size()},
                {"reports", held.reports}});
    log_doubts(log_, server_->certificate());
    certificate_watch_.tick(server_->certificate(), clock_.now(), Steady::now());
    make_caretaker();
    const auto look_after = [this] {
      caretaker_->tick(clock_.now(), Steady::now());
      certificate_watch_.tick(server_->certificate(), clock_.now(), Steady::now());
    };
    caretaker_thread_ = std::jthread([look_after](const std::stop_token& stop) { every_second(stop, look_after); });
    // check_directory() waits if a database does not answer. A thread of its own calls check_directory(), so the
    // caretaker can log the failure meanwhile.
    if (is_shared()) {
      // failure() returns the error, too
      const auto keep_up = [this] { static_cast<void>(store_->check_directory()); };
      upkeep_thread_ = std::jthread([keep_up](const std::stop_token& stop) { every_second(stop, keep_up); });
    }
    return {};
  }

  std::uint16_t port() const override { return server_->port(); }
  std::uint16_t operator_port() const override { return operator_server_->port(); }

  Result<void> reload_certificate() override {
    const auto reloaded = server_->reload_certificate(clock_.now());
    if (reloaded) {
      const http::ServedCertificate certificate = server_->certificate();
      log_.write(LogLevel::kInfo, "certificate_reloaded", {{"expires", certificate.not_after}});
      log_doubts(log_, certificate);
    } else {
      log_.write(LogLevel::kError, "certificate_failed",
                 {{"error", error_name(reloaded.error().code)}, {"detail", reloaded.error().message}});
    }
    return reloaded;
  }

  void replace_tokens(std::vector<api::TokenHash> tokens, api::Uploads uploads) override {
    const std::size_t count = tokens.size();
    api_->replace_authenticator(api::Authenticator(std::move(tokens), uploads));
    log_.write(LogLevel::kInfo, "tokens_reloaded", {{"tokens", count}});
  }

  void stop() override {
    if (draining_.exchange(true)) return;
    if (server_) log_.write(LogLevel::kInfo, "draining", {{"connections", server_->counters().connections_open}});
    // These threads may be waiting for the database, so stop() joins the threads only after the clients' port is
    // closed.
    caretaker_thread_.request_stop();
    upkeep_thread_.request_stop();
    // Stops the parts in the order in which data flows, so that no part passes data to a stopped part.
    stopping_.request_stop();
    if (api_) api_->stop_analyses();
    if (server_) server_->stop(config_.drain);
    closing_.request_stop();  // no client waits for an answer any more
    if (ingest_) ingest_->stop();
    caretaker_thread_ = {};
    upkeep_thread_ = {};
    if (caretaker_) caretaker_->watch_store();  // the last commits may have failed
    if (operator_server_) operator_server_->stop(std::chrono::milliseconds(100));
    if (server_ && ingest_) {
      const ingest::IngestCounters counters = ingest_->counters();
      log_.write(LogLevel::kInfo, "stopped",
                 {{"commits", counters.commits},
                  {"accepted", counters.accepted},
                  {"replayed", counters.replayed},
                  {"rejected", counters.rejected},
                  {"requests", std::uint64_t{server_->counters().requests}}});
    }
  }

 private:
  Result<void> serve() {
    http::HttpServerOptions api;
    api.address = config_.listen.address;
    api.port = config_.listen.port;
    api.tls = http::TlsFiles{config_.certificate, config_.private_key, config_.client_ca};
    api.threads = config_.threads;
    api.max_body_bytes = config_.max_body_bytes;
    api.max_connections = connections_within(descriptor_limit(), config_.max_connections);
    if (api.max_connections < config_.max_connections) {
      log_.write(LogLevel::kWarn, "max_connections_lowered",
                 {{"from", config_.max_connections}, {"to", api.max_connections}, {"descriptors", descriptor_limit()}});
      config_.max_connections = api.max_connections;
    }
    api.max_connections_per_address = config_.max_connections_per_address;
    api.proxy_protocol_from = config_.proxy_protocol_from;
    api.shared_addresses = config_.shared_addresses;
    api.max_buffered_bytes = config_.max_buffered_bytes;
    api.max_buffered_bytes_per_address = config_.max_buffered_bytes_per_address;
    api.handshake_timeout = config_.handshake_timeout;
    api.first_byte_timeout = config_.first_byte_timeout;
    api.header_timeout = config_.header_timeout;
    api.body_timeout = config_.body_timeout;
    api.idle_timeout = config_.idle_timeout;
    api.write_timeout = config_.write_timeout;
    HEARSAY_TRY(server_, http::HttpServer::start(api, *api_, &instruments_));
    return {};
  }

  CertificateState certificate_now() const { return certificate_state(server_->certificate(), clock_.now()); }

  // Reads the time of an earlier daemon's newest backup. Without a readable backup the time stays 0.
  void read_last_backup() {
    if (config_.backup_directory.empty()) return;
    if (const auto newest = store::rocks::newest_backup(config_.backup_directory)) last_backup_.made_at = newest->time;
  }

  std::vector<std::string_view> reasons() const {
    ReadinessFacts facts;
    facts.draining = draining_;
    if (const auto failure = store_->failure()) facts.store_failure = failure->code;
    facts.certificate = certificate_now();
    facts.free_bytes = free_store_bytes(config_);
    facts.min_free_bytes = config_.min_free_bytes;
    facts.sealed_ahead = sealed_ahead();
    facts.queued_bytes = ingest_->counters().queued_bytes;
    facts.max_queued_bytes = config_.max_queued_bytes;
    return reasons_not_ready(facts);
  }

  std::vector<std::string_view> warnings() const {
    auto warnings = warnings_of(server_->counters().memory_pressure, certificate_now());
    if (!store_->statistics().unavailable.empty()) warnings.emplace_back("database_unavailable");
    return warnings;
  }

  // A store with tasks but without a noted time gets the trusted time 0, because a wrong clock must not seal windows.
  void watch_clock() {
    std::optional<UnixSeconds> trusted = store_->noted_clock();
    if (!trusted && store_->statistics().tasks != 0) trusted = 0;
    clock_watch_.emplace(config_.clock_settling, trusted, clock_.now(), Steady::now());
  }

  std::uint64_t sealed_ahead() const { return store_->sealed_ahead(clock_.now() + kSealedAheadTolerance); }

  void make_caretaker() {
    CaretakerSources sources{[this] {
                               if (!is_shared()) static_cast<void>(store_->check_directory());
                               return store_->failure();
                             },
                             [this] {
                               const http::HttpServerCounters server = server_->counters();
                               return api_->overloads() + server.requests_overload +
                                      server.requests_overload_per_address;
                             },
                             [this] { return server_->counters().accept_failures; },
                             [this](UnixSeconds now) { return store_->expire(now); },
                             [this](UnixSeconds now) { return store_->sealed_ahead(now); },
                             [this](UnixSeconds now) { static_cast<void>(store_->note_clock(now)); },
                             nullptr,
                             [this] { static_cast<void>(tasks_->refresh()); },
                             [this] { return store_->statistics().databases; }};
    if (is_shared()) sources.tasks_changed = [this] { return store_->tasks_changed(); };
    caretaker_.emplace(log_, *clock_watch_, std::move(sources), config_.expiry_interval, Steady::now());
  }

  bool is_shared() const { return store::is_database(config_.store); }

  Result<Json> backup(std::optional<std::uint32_t> keep) override {
    if (config_.backup_directory.empty()) {
      return Error{ErrorCode::kNotFound,
                   "no backup_directory is configured: set this key in the daemon's configuration"};
    }
    const auto begun = Steady::now();
    const auto made = store_->backup(config_.backup_directory, keep.value_or(0), stopping_.get_token());
    const double seconds = std::chrono::duration<double>(Steady::now() - begun).count();
    last_backup_.failed = !made;
    if (made) last_backup_.made_at = made->time;
    if (!made) {
      log_.write(LogLevel::kError, "backup_failed",
                 {{"error", error_name(made.error().code)}, {"detail", made.error().message}});
      if (made.error().code == ErrorCode::kCancelled) {
        return Error{ErrorCode::kOverloaded, "the aggregator is stopping: " + made.error().message};
      }
      return made.error();
    }
    log_.write(LogLevel::kInfo, "backup_made",
               {{"number", made->number}, {"bytes", made->bytes}, {"seconds", seconds}});
    return Json{{"number", made->number}, {"time", made->time}, {"bytes", made->bytes}, {"seconds", seconds}};
  }

  Result<void> record(std::string_view event, const Json& fields) override {
    return &log_ == &silent_ ? Result<void>() : log_.record(event, fields);
  }

  Json status() const override {
    const store::StoreStatistics held = store_->statistics();
    const http::HttpServerCounters server = server_->counters();
    const api::AnalysisCounters analyses = api_->analyses();
    const auto why = reasons();
    const auto free_bytes = free_store_bytes(config_);
    return {{"version", HEARSAY_VERSION},
            {"uptime_seconds", std::chrono::duration_cast<std::chrono::seconds>(Steady::now() - started_).count()},
            {"now", clock_.now()},
            {"ready", why.empty()},
            {"reasons", why},
            {"warnings", warnings()},
            {"tasks", tasks_->all().size()},
            {"store",
             {{"reports", held.reports},
              {"commits", held.commits},
              {"healthy", store_->healthy()},
              {"unavailable", held.unavailable},
              {"blocks", held.blocks},
              {"bytes", held.disk_bytes},
              {"free_bytes", free_bytes ? Json(*free_bytes) : Json()}}},
            {"index",
             {{"ids", held.indexed_reports},
              {"bytes", held.index_bytes},
              {"max_bytes", config_.max_index_bytes},
              {"spilled", held.spilled}}},
            {"buffers",
             {{"in", server.buffered_body_bytes},
              {"out", server.buffered_answer_bytes},
              {"max_bytes", config_.max_buffered_bytes}}},
            {"queue", {{"bytes", ingest_->counters().queued_bytes}, {"max_bytes", config_.max_queued_bytes}}},
            {"analyses", {{"at_work", analyses.at_work}, {"waiting", analyses.waiting}}},
            {"connections", {{"open", server.connections_open}, {"max", config_.max_connections}}}};
  }

  DaemonConfig config_;
  Clock& clock_;
  std::ostream nowhere_{nullptr};
  Log silent_{LogLevel::kError, &nowhere_};
  Log& log_;
  const Steady::time_point started_ = Steady::now();
  const UnixSeconds started_at_ = clock_.now();
  std::atomic<bool> draining_{false};
  std::stop_source stopping_;
  std::stop_source closing_;  // see store::postgres::Options::stopping
  LastBackup last_backup_;
  metrics::MetricsRegistry metrics_{config_.instance.empty() ? metrics::MetricLabels()
                                                             : metrics::MetricLabels{{"instance", config_.instance}}};
  Instruments instruments_{metrics_};
  std::unique_ptr<store::Store> store_;
  std::optional<ClockWatch> clock_watch_;
  std::unique_ptr<api::TaskRegistry> tasks_;
  std::unique_ptr<ingest::Ingest> ingest_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<http::HttpServer> server_;
  std::unique_ptr<http::HttpHandler> operator_handler_;
  std::unique_ptr<http::HttpServer> operator_server_;
  std::optional<Caretaker> caretaker_;
  CertificateWatch certificate_watch_{log_};
  std::jthread caretaker_thread_;
  std::jthread upkeep_thread_;
};

}  // namespace

Result<std::unique_ptr<Daemon>> Daemon::start(const DaemonConfig& config, Clock& clock, Log* log) {
  HEARSAY_CHECK_OK(check_config(config));
  auto daemon = std::make_unique<RunningDaemon>(config, clock, log);
  HEARSAY_CHECK_OK(daemon->open());
  return std::unique_ptr<Daemon>(std::move(daemon));
}

}  // namespace hearsay::daemon
