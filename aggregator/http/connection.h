// One client's connection, from the first byte to the last.
#pragma once

#include "aggregator/http/asio_types.h"  // first, because Asio needs <utility> before it

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "aggregator/http/memory_budget.h"
#include "aggregator/http/proxy_header.h"
#include "aggregator/http/request_reader.h"
#include "aggregator/http/transport.h"
#include "aggregator/http/worker.h"

namespace hearsay::http {

// Serves one client as a state machine: drive() takes steps until a step must wait for the socket or for the handler's
// answer. Thread-safety: the worker's thread, except for answer() and stop_token(). The destructor may run on any
// thread.
class Connection final : public PendingRequest, public std::enable_shared_from_this<Connection> {
 public:
  // The other end of a connection, as accept() shows it.
  struct Peer {
    AddressKey key;
    // True if the connection begins with a header that names the client.
    bool is_balancer = false;
  };

  // `socket` must have the executor of the worker's context. If `tls` is not null, the connection is over TLS.
  // `accepted` is the time of accept(). Call the constructor after worker.reserve() and OpenConnections::add(). Throws
  // std::bad_alloc or boost::system::system_error.
  Connection(Worker& worker, TcpSocket socket, const TlsContext& tls, const Peer& peer,
             std::chrono::steady_clock::time_point accepted);

  // Serves until the socket closes. May throw std::bad_alloc; the caller must then undo reserve() and add().
  void start();
  // Closes the connection now, or after the response if a request is in progress.
  void begin_drain();
  // Closes the connection now. An answer that comes later is dropped.
  void finish();

  const HttpRequest& request() const override { return reader_.parser()->request(); }
  std::stop_token stop_token() override;
  // Stores the answer, and lets the worker's thread continue. Thread-safety: any thread.
  void answer(std::optional<HttpResponse> response) override;

 private:
  using SteadyClock = std::chrono::steady_clock;

  // How long a closing connection waits for the client to close: kHangUpTimeout if there is no response to read, and
  // kLingerTimeout after the last response.
  static constexpr std::chrono::milliseconds kHangUpTimeout{50};
  static constexpr std::chrono::milliseconds kLingerTimeout{1000};

  enum class Phase { kProxyHeader, kHandshake, kIdle, kHead, kBody, kHandling, kWriting, kDiscard, kClosing, kLinger };
  enum class Next { kAgain, kYield, kWaitRead, kWaitWrite, kWaitAnswer, kEnd };

  void drive();
  void wait(asio::socket_base::wait_type type);
  Next step();

  // The steps of the phases.
  Next read_proxy_header();
  Next shake_hands();
  Next read_head();
  Next read_body();
  Next take_answer();
  Next watch_client();
  void request_stop();
  Next write();
  Next discard_body();
  Next close();
  Next linger();

  // The stages of a request (connection_requests.cc).
  Next take_head();
  Next expect_body();
  Next handle();
  Next refuse(const Refusal& refusal);
  void add_fields(HttpResponse& response) const;
  bool is_client_outdated() const;
  Next respond(HttpResponse response, bool keep_alive);
  // Sends `bytes`, and then body_. Keeps a copy of the part of `bytes` that the kernel does not take at once.
  Next send(std::string_view bytes);
  Next written();
  Next next_request();
  void begin_head();

  Next begin_close(std::chrono::milliseconds linger);
  // Returns the next step after a result other than kDone.
  Next want(IoResult::Kind kind);
  void enter(Phase phase, std::chrono::milliseconds timeout, SteadyClock::time_point now = SteadyClock::now());
  void arm_timer();
  void on_timer();
  void end_phase();
  // Ends the stage that began at since_, and begins the next stage.
  void stage_done(void (HttpObserver::*stage)(std::chrono::nanoseconds));

  // Declared first, so destroyed last: the socket needs the context until the socket is destroyed.
  const std::shared_ptr<asio::io_context> context_;

  Worker& worker_;
  ServerState& state_;
  const HttpServerOptions& options_;
  AddressKey address_;
  std::unique_ptr<ProxyHeaderReader> proxy_header_;  // null if no header is expected, or once the header is complete
  TcpSocket socket_;
  Transport transport_;
  RequestReader reader_;

  Phase phase_ = Phase::kHandshake;
  SteadyClock::time_point since_;     // when the present stage began
  SteadyClock::time_point deadline_;  // of the present phase
  SteadyTimer timer_;                 // expires at the deadline or earlier; not armed if the expiry is max()
  bool waiting_to_read_ = false;
  bool waiting_to_write_ = false;
  bool finished_ = false;

  HandleRequest::Function handle_;        // handles the admitted request
  std::shared_ptr<Connection> awaiting_;  // points to this object while the handler has the request
  std::optional<HttpResponse> response_;  // the answer; if absent, the client gets a 500
  MemoryShare answer_share_;              // counts response_ until the kernel has taken it
  bool answered_ = false;                 // true if the handler has answered, but the answer is not sent yet
  std::atomic<bool> watched_ = false;     // true if the handler has asked for a stop token
  std::mutex stop_mutex_;                 // guards stop_ and gone_
  std::stop_source stop_{std::nostopstate};
  bool gone_ = false;  // true after finish()

  std::string out_;        // bytes to be written: the head, and the body if it is short
  std::string_view body_;  // written after out_: a long body, which stays in response_
  std::size_t sent_ = 0;   // how many bytes of out_ and body_ are written
  std::size_t discard_left_ = 0;
  bool continuing_ = false;  // "100 Continue" is being written
  bool keep_alive_ = false;
  std::chrono::milliseconds linger_{};  // how long to wait for the client to close
};

}  // namespace hearsay::http
