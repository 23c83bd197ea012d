#include "aggregator/http/server.h"

#include "aggregator/http/asio_types.h"  // first, because Asio needs <utility> before it

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <vector>

#include "aggregator/http/connection.h"
#include "aggregator/http/tls.h"
#include "aggregator/http/worker.h"
#include "common/base/exception_text.h"

namespace hearsay::http {

namespace {

// How long to wait after accept() fails, usually because there are no free descriptors or no memory.
constexpr std::chrono::milliseconds kAcceptBackoff{50};
constexpr unsigned kMaxThreads = 1024;

Result<void> check_options(const HttpServerOptions& options) {
  const auto invalid = [](const char* message) { return Error{ErrorCode::kInvalidArgument, message}; };
  if (options.threads < 1 || options.threads > kMaxThreads) return invalid("threads must be from 1 to 1024");
  if (options.max_connections < 1) return invalid("max_connections must be at least 1");
  if (options.max_header_bytes < 64) return invalid("max_header_bytes must be at least 64");
  if (options.max_connections_per_address < 1) return invalid("max_connections_per_address must be at least 1");
  const auto timeouts = {options.handshake_timeout, options.first_byte_timeout, options.header_timeout,
                         options.body_timeout,      options.idle_timeout,       options.write_timeout};
  for (const std::chrono::milliseconds timeout : timeouts) {
    if (timeout < std::chrono::milliseconds(1) || timeout > std::chrono::hours(24)) {
      return invalid("timeouts must be from 1 ms to 24 h");
    }
  }
  return {};
}

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(HttpServerOptions options, HttpHandler& handler, HttpObserver* observer)
      : state_(std::move(options), handler, observer) {
    for (unsigned i = 0; i < state_.options.threads; ++i) workers_.push_back(std::make_unique<Worker>(state_));
    acceptor_.emplace(workers_.front()->context().get_executor());
    backoff_.emplace(workers_.front()->context().get_executor());
  }
  ~AsioHttpServer() override { stop(std::chrono::milliseconds(0)); }

  Result<void> listen();
  void run();

  std::uint16_t port() const override { return port_; }
  Result<void> reload_certificate(UnixSeconds now) override { return load_certificate(now); }
  ServedCertificate certificate() const override { return state_.tls.certificate(); }
  void stop(std::chrono::milliseconds drain) override;
  HttpServerCounters counters() const override;

 private:
  Result<void> load_certificate(std::optional<UnixSeconds> now);
  Awaitable<void> accept_loop();
  void assign(Worker& worker, TcpSocket socket, const asio::ip::address& peer);
  Worker& least_loaded();

  ServerState state_;
  std::vector<std::unique_ptr<Worker>> workers_;
  // While the first worker's thread runs, acceptor_ and backoff_ belong to this thread.
  std::optional<TcpAcceptor> acceptor_;
  std::optional<SteadyTimer> backoff_;
  std::uint16_t port_ = 0;
  std::mutex stop_mutex_;
  bool stopped_ = false;
};

Result<void> AsioHttpServer::listen() {
  const HttpServerOptions& options = state_.options;
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) return Error{ErrorCode::kInvalidArgument, "'" + options.address + "' is not an IP address"};

  const asio::ip::tcp::endpoint endpoint(address, options.port);
  acceptor_->open(endpoint.protocol(), error);
  if (!error) acceptor_->set_option(asio::socket_base::reuse_address(true), error);
  // "::" means IPv6 and IPv4, even if the machine's net.ipv6.bindv6only is 1.
  if (!error && address.is_v6()) acceptor_->set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor_->bind(endpoint, error);
  if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_->local_endpoint(error).port();
  if (error) {
    const bool v6 = address.is_v6();
    return Error{ErrorCode::kIo, "cannot listen on " + (v6 ? "[" + options.address + "]" : options.address) + ":" +
                                     std::to_string(options.port) + ": " + error.message()};
  }
  return load_certificate(std::nullopt);
}

void AsioHttpServer::run() {
  asio::co_spawn(workers_.front()->context().get_executor(), accept_loop(), asio::detached);
  for (const auto& worker : workers_) worker->start();
}

Result<void> AsioHttpServer::load_certificate(std::optional<UnixSeconds> now) {
  if (!state_.options.tls) return {};
  return state_.tls.load(*state_.options.tls, now);
}

Awaitable<void> AsioHttpServer::accept_loop() {
  error_code error;
  AwaitWithError await(UseAwaitable{}, error);
  bool failed = false;
  while (!state_.stopping) {
    try {
      if (std::exchange(failed, false)) {
        // The failed connection stays in the kernel's queue, so without a wait this loop would spin.
        backoff_->expires_after(kAcceptBackoff);
        co_await backoff_->async_wait(await);
        if (state_.stopping) break;
      }
      Worker& worker = least_loaded();
      TcpSocket socket(worker.context().get_executor());
      asio::ip::tcp::endpoint peer;
      co_await acceptor_->async_accept(socket, peer, await);
      if (state_.stopping) break;
      if (!error) assign(worker, std::move(socket), peer.address());
      failed = error && error != asio::error::connection_aborted;
    } catch (...) {
      // If there is no memory for one connection, the server must still accept other connections.
      failed = true;
    }
    if (failed) state_.counters.accept_failures.increment();
  }
}

void AsioHttpServer::assign(Worker& worker, TcpSocket socket, const asio::ip::address& peer) {
  const HttpServerOptions& options = state_.options;
  const bool is_balancer = any_contains(options.proxy_protocol_from, bytes_of(peer));
  const Connection::Peer address{is_balancer ? kUnlimitedAddress : state_.limited_key(peer), is_balancer};
  switch (state_.open.add(address.key, options.max_connections, options.max_connections_per_address)) {
    case OpenConnections::Limit::kTotal:
      return state_.counters.connections_refused.increment();
    case OpenConnections::Limit::kAddress:
      return state_.counters.connections_refused_per_address.increment();
    case OpenConnections::Limit::kNone:
      break;
  }
  worker.reserve();
  const auto release = [this, &worker, address] {
    worker.release();
    state_.open.remove(address.key);
  };
  const auto accepted = std::chrono::steady_clock::now();
  try {
    asio::post(worker.context(), [this, &worker, address, accepted, release, socket = std::move(socket)]() mutable {
      error_code ignored;
      socket.set_option(asio::ip::tcp::no_delay(true), ignored);
      if (state_.stopping) return release();
      try {
        std::make_shared<Connection>(worker, std::move(socket), state_.tls.get(), address, accepted)->start();
      } catch (...) {  // out of memory
        state_.counters.accept_failures.increment();
        release();
      }
    });
  } catch (...) {
    release();
    throw;
  }
  state_.counters.connections_accepted.increment();
}

Worker& AsioHttpServer::least_loaded() {
  return **std::min_element(workers_.begin(), workers_.end(),
                            [](const auto& a, const auto& b) { return a->load() < b->load(); });
}

void AsioHttpServer::stop(std::chrono::milliseconds drain) {
  const std::lock_guard lock(stop_mutex_);
  if (std::exchange(stopped_, true)) return;
  state_.stopping = true;
  asio::post(workers_.front()->context(), [this] {
    error_code ignored;
    acceptor_->close(ignored);
    backoff_->cancel();
  });
  for (const auto& worker : workers_) worker->drain();
  state_.open.wait_for_none(drain);
  for (const auto& worker : workers_) worker->abort();
  for (const auto& worker : workers_) worker->finish();
}

HttpServerCounters AsioHttpServer::counters() const {
  HttpServerCounters counters = state_.counters;
  counters.connections_open = state_.open.size();
  const MemoryBudget& memory = *state_.memory;
  counters.requests_overload = memory.refusals(MemoryBudget::Limit::kTotal);
  counters.requests_overload_per_address = memory.refusals(MemoryBudget::Limit::kAddress);
  counters.buffered_body_bytes = memory.held(MemoryBudget::Use::kBody);
  counters.buffered_answer_bytes = memory.held(MemoryBudget::Use::kAnswer);
  counters.memory_pressure = memory.pressure();
  return counters;
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, HttpHandler& handler,
                                                      HttpObserver* observer) {
  if (auto valid = check_options(options); !valid) return valid.error();
  try {
    auto server = std::make_unique<AsioHttpServer>(std::move(options), handler, observer);
    if (auto listening = server->listen(); !listening) return listening.error();
    server->run();
    return std::unique_ptr<HttpServer>(std::move(server));
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kIo, std::string("cannot start the HTTP server: ") + exception_text(exception)};
  }
}

}  // namespace hearsay::http
