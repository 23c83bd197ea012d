// Tests how a handler learns that no client waits for its answer.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/patience.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using std::chrono::milliseconds;
using Tls = TestClient::Tls;

// Keeps exchanges and their tokens until the test answers. Requests under /unwatched get no token.
class ExchangeKeeper final : public HttpHandler {
 public:
  std::variant<HttpResponse, HandleRequest> admit(const HttpRequest&) override {
    return [this](HttpExchange exchange) {
      const std::lock_guard lock(mutex_);
      if (exchange.request().path != "/unwatched") tokens_.push_back(exchange.stop_token());
      exchanges_.push_back(std::move(exchange));
    };
  }
  std::size_t kept() {
    const std::lock_guard lock(mutex_);
    return exchanges_.size();
  }
  std::stop_token token(std::size_t i = 0) {
    const std::lock_guard lock(mutex_);
    return tokens_.at(i);
  }
  void answer_all() {
    const std::lock_guard lock(mutex_);
    for (HttpExchange& exchange : exchanges_) std::move(exchange).respond({200, "text/plain", "answer", {}});
    exchanges_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<HttpExchange> exchanges_;
  std::vector<std::stop_token> tokens_;
};

const std::string kWatched = "GET /watched HTTP/1.1\r\nHost: a\r\n\r\n";

struct DepartureFixture {
  explicit DepartureFixture(Tls tls_given) : tls(tls_given) {
    HttpServerOptions options;
    if (tls != Tls::kOff) options.tls = certificate.files();
    auto started = HttpServer::start(patient(options), keeper);
    REQUIRE(started);
    server = *std::move(started);
  }
  TestClient ask(const std::string& request = kWatched) {
    TestClient client(server->port(), tls);
    const std::size_t before = keeper.kept();
    REQUIRE(client.send(request));
    REQUIRE(eventually([&] { return keeper.kept() == before + 1; }));
    return client;
  }
  const Tls tls;
  const TestCertificate certificate;
  ExchangeKeeper keeper;
  std::unique_ptr<HttpServer> server;
};

constexpr auto kTransports = {Tls::kOff, Tls::kOnly12, Tls::kOnly13};

TEST_CASE("if a client closes the connection in order or resets it, the request in progress is stopped") {
  for (const Tls tls : kTransports) {
    DepartureFixture test(tls);
    { const TestClient leaving = test.ask(); }
    CHECK(eventually([&] { return test.keeper.token(0).stop_requested(); }));
    test.ask().reset();
    CHECK(eventually([&] { return test.keeper.token(1).stop_requested(); }));
    const TestClient staying = test.ask();
    std::this_thread::sleep_for(milliseconds(50));
    CHECK_FALSE(test.keeper.token(2).stop_requested());
    test.keeper.answer_all();
    CHECK(eventually([&] { return test.server->counters().connections_open == 1; }));
  }
}

TEST_CASE("if a client has finished sending, its request is stopped, but the client still gets the handler's answer") {
  for (const Tls tls : kTransports) {
    DepartureFixture test(tls);
    TestClient client = test.ask();
    client.finish_sending();  // over TLS this sends a close_notify, and the socket stays open
    CHECK(eventually([&] { return test.keeper.token().stop_requested(); }));
    test.keeper.answer_all();
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->body == "answer");
    CHECK(client.closed_by_server());
  }
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

TEST_CASE(
    "requests that are sent ahead do not count as the client's end, cause no busy loop, and do not hide the end") {
  for (const Tls tls : kTransports) {
    DepartureFixture test(tls);
    TestClient staying = test.ask();
    REQUIRE(staying.send(kWatched));
    const auto begin = std::chrono::steady_clock::now();
    const double before = processor_seconds();
    std::this_thread::sleep_for(milliseconds(600));
    const double used = processor_seconds() - before;
    // A busy loop would use the whole processor.
    CHECK(used < 0.5 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    CHECK_FALSE(test.keeper.token().stop_requested());
    {
      TestClient leaving = test.ask();
      REQUIRE(leaving.send("GET /unfinished"));
    }
    CHECK(eventually([&] { return test.keeper.token(1).stop_requested(); }));
    CHECK_FALSE(test.keeper.token().stop_requested());
    test.keeper.answer_all();
    CHECK(staying.read());
    // Each request of a connection has a token of its own.
    REQUIRE(eventually([&] { return test.keeper.kept() == 1; }));
    CHECK_FALSE(test.keeper.token(2).stop_requested());
    test.keeper.answer_all();
    CHECK(staying.read());
  }
}

TEST_CASE("the end of the drain stops the requests in progress, and the beginning of the drain does not") {
  DepartureFixture begun(Tls::kOff);
  TestClient idle(begun.server->port());
  const TestClient client = begun.ask();
  std::thread stopping([&] { begun.server->stop(2 * tests::kPatience); });
  CHECK(idle.closed_by_server());  // the drain has begun
  std::this_thread::sleep_for(milliseconds(50));
  CHECK_FALSE(begun.keeper.token().stop_requested());
  begun.keeper.answer_all();
  stopping.join();

  DepartureFixture ended(Tls::kOff);
  const TestClient waiting = ended.ask();
  ended.server->stop(milliseconds(50));
  CHECK(ended.keeper.token().stop_requested());
  ended.keeper.answer_all();
}

TEST_CASE("a token that is taken after the client has gone is stopped at once, even if the server has gone, too") {
  DepartureFixture test(Tls::kOff);
  std::optional<HttpExchange> kept;
  {
    class Taker final : public HttpHandler {
     public:
      explicit Taker(std::optional<HttpExchange>& kept) : kept_(kept) {}
      std::variant<HttpResponse, HandleRequest> admit(const HttpRequest&) override {
        return [this](HttpExchange exchange) {
          kept_.emplace(std::move(exchange));
          taken = true;
        };
      }
      std::atomic<bool> taken = false;

     private:
      std::optional<HttpExchange>& kept_;
    } taker(kept);
    auto server = HttpServer::start(patient({}), taker);
    REQUIRE(server);
    TestClient client((*server)->port());
    REQUIRE(client.send(kWatched));
    REQUIRE(eventually([&] { return taker.taken.load(); }));
    (*server)->stop(milliseconds(0));
    server->reset();
  }
  CHECK(kept->stop_token().stop_requested());
  std::move(*kept).respond({204, "", "", {}});
}

}  // namespace
}  // namespace hearsay::http
