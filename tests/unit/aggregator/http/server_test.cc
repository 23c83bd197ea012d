#include "aggregator/http/server.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/base/strict_json.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

class Answerer {
 public:
  Answerer() : thread_([this] { run(); }) {}
  ~Answerer() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  void operator()(Request request, Respond respond) {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(request), std::move(respond));
    wake_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return done_ || !queue_.empty(); });
      if (queue_.empty()) return;
      auto [request, respond] = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      echo(std::move(request), respond);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<Request, Respond>> queue_;
  bool done_ = false;
  std::thread thread_;
};

TEST_CASE("one connection serves many requests, with and without bodies") {
  const auto server = start_server({}, echo);
  TestClient client(server->port());
  for (int i = 0; i < 50; ++i) {
    const std::string body(static_cast<std::size_t>(i) * 997, static_cast<char>('a' + i % 26));
    REQUIRE(client.send("POST /r" + std::to_string(i) +
                        " HTTP/1.1\r\nHost: a\r\nContent-Type: Text/X; y=z\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body));
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->status == 200);
    CHECK(reply->body == "POST /r" + std::to_string(i) + "? [Text/X; y=z] " + body);
    CHECK(reply->field("x-content-type-options") == "nosniff");
    CHECK(reply->field("cache-control") == "no-store");
    CHECK(reply->field("date").ends_with(" GMT"));
    CHECK(reply->field("strict-transport-security").empty());
    CHECK(reply->field("server").empty());
    CHECK(reply->field("connection").empty());
  }
  CHECK(server->counters().connections_accepted == 1);
  CHECK(server->counters().requests == 50);
  CHECK(server->counters().requests_refused == 0);
  CHECK(server->counters().connections_open == 1);
}

TEST_CASE("pipelined requests are answered in order, however their bytes are split") {
  const auto server = start_server({}, echo);
  const std::string requests =
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
      "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n"
      "\r\nGET /4 HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t split = 0; split < requests.size(); split += 5) {
    TestClient client(server->port());
    REQUIRE(client.send(requests.substr(0, split)));
    REQUIRE(client.send(requests.substr(split)));
    for (const char* expected : {"GET /1? [] ", "POST /2? [] abc", "POST /3? [] de", "GET /4? [] "}) {
      const auto reply = client.read();
      REQUIRE(reply);
      CHECK(reply->body == expected);
    }
  }
}

std::pair<std::string, int> burst(std::size_t size) {
  std::string requests;
  int count = 0;
  while (requests.size() < size) {
    std::string head = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n";
    const std::size_t left = size - requests.size();
    const std::size_t body = left < 2200 ? left - head.size() : 1000;
    head.replace(head.find("1000"), 4, std::string(4 - std::to_string(body).size(), '0') + std::to_string(body));
    requests += head + std::string(body, 'b');
    ++count;
  }
  REQUIRE(requests.size() == size);
  return {requests, count};
}

TEST_CASE("all bytes that arrive during a request are read, whatever the sizes of the buffers") {
  const TestCertificate certificate;
  std::promise<Respond> held;
  const auto handle = [&](const Request& request, const Respond& respond) {
    if (request.path == "/held") return held.set_value(respond);
    echo(request, respond);
  };
  struct Case {
    TestClient::Tls tls;
    std::size_t least, most;  // sizes around one read: the server's buffer, or OpenSSL's buffer with a record of 16 KiB
  };
  for (const Case& around : {Case{TestClient::Tls::kOff, 4096 - 20, 4096 + 20}, Case{TestClient::Tls::kOff, 8192, 8192},
                             Case{TestClient::Tls::kOnly13, 16384 - 20, 16384 + 350},
                             Case{TestClient::Tls::kOnly12, 32768 - 20, 32768 + 20}}) {
    HttpServerOptions options;
    if (around.tls != TestClient::Tls::kOff) options.tls = certificate.files();
    const auto server = start_server(options, handle);
    for (std::size_t size = around.least; size <= around.most; ++size) {
      CAPTURE(size);
      held = {};
      TestClient client(server->port(), around.tls);
      REQUIRE(client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n"));
      const Respond respond = held.get_future().get();
      const auto [requests, count] = burst(size);
      REQUIRE(client.send(requests));
      const bool last = size % 2 == 0;
      if (last) client.finish_sending();
      respond({204, "", "", {}});
      for (int i = 0; i <= count; ++i) REQUIRE(client.read());
      if (last) CHECK(client.closed_by_server());
    }
  }
}

TEST_CASE("TCP urgent data do not hide the bytes after them") {
  std::promise<Respond> held;
  const auto server = start_server({}, [&](const Request& request, const Respond& respond) {
    if (request.path == "/held") return held.set_value(respond);
    echo(request, respond);
  });
  TestClient client(server->port());
  REQUIRE(client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n"));
  const Respond respond = held.get_future().get();
  REQUIRE(client.send("GET /2 HTTP/1.1\r\n"));
  REQUIRE(::send(client.fd(), "!", 1, MSG_OOB) == 1);
  REQUIRE(client.send("Host: a\r\n\r\n"));
  respond({204, "", "", {}});
  CHECK(client.read());
  const auto reply = client.read();
  REQUIRE(reply);
  CHECK(reply->body == "GET /2? [] ");
}

TEST_CASE("a handler may answer later and from another thread") {
  Answerer answerer;
  HttpServerOptions options;
  options.threads = 2;
  const auto server = start_server(options, std::ref(answerer));
  constexpr int kClients = 16;
  constexpr int kRequests = 25;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int c = 0; c < kClients; ++c) {
    threads.emplace_back([&, c] {
      TestClient client(server->port());
      for (int r = 0; r < kRequests; ++r) {
        const std::string path = "/" + std::to_string(c) + "/" + std::to_string(r);
        const auto reply = client.get(path);
        if (reply && reply->body == "GET " + path + "? [] ") ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == kClients * kRequests);
  CHECK(server->counters().requests == kClients * kRequests);
  CHECK(server->counters().connections_accepted == kClients);
  CHECK(eventually([&] { return server->counters().connections_open == 0; }));
}

TEST_CASE("a request without an answer gets a 500, and the connection stays usable") {
  std::mutex mutex;
  std::vector<Respond> kept;
  const auto server = start_server({}, [&](Request request, Respond respond) {
    if (request.path == "/throw") throw std::runtime_error("no");
    if (request.path == "/keep") {
      const std::lock_guard lock(mutex);
      kept.push_back(respond);
    }
    if (request.path == "/drop-elsewhere") std::thread([copy = respond] {}).detach();
    if (request.path == "/invalid") respond({.headers = {{"A", "b\r\nc"}}});
    if (request.path == "/ok") echo(std::move(request), respond);
  });
  TestClient client(server->port());
  for (const char* path : {"/drop", "/throw", "/drop-elsewhere", "/invalid"}) {
    CAPTURE(path);
    const auto reply = client.get(path);
    REQUIRE(reply);
    CHECK(reply->status == 500);
    CHECK(reply->field("content-type") == "application/problem+json");
    CHECK(Json::parse(reply->body).at("type") == "urn:hearsay:error:internal");
  }
  // The copy of the exchange outlives the handler. When the copy is destroyed, the server answers.
  REQUIRE(client.send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(eventually([&] {
    const std::lock_guard lock(mutex);
    return kept.size() == 1;
  }));
  kept.clear();
  auto reply = client.read();
  REQUIRE(reply);
  CHECK(reply->status == 500);
  reply = client.get("/ok");
  REQUIRE(reply);
  CHECK(reply->status == 200);
}

TEST_CASE("only the first answer to a request counts") {
  const auto server = start_server({}, [](const Request&, const Respond& respond) {
    const Respond copy = respond;
    copy({.body = "first"});
    respond({.body = "second"});
  });
  TestClient client(server->port());
  for (int i = 0; i < 3; ++i) {
    const auto reply = client.get("/");
    REQUIRE(reply);
    CHECK(reply->body == "first");
  }
}

TEST_CASE("HEAD is served like GET, without the body") {
  const auto server = start_server({}, echo);
  TestClient client(server->port());
  REQUIRE(client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n"));
  const auto reply = client.read(true);
  REQUIRE(reply);
  CHECK(reply->field("content-length") == std::to_string(std::string("GET /x? [] ").size()));
  const auto next = client.get("/y");
  REQUIRE(next);
  CHECK(next->body == "GET /y? [] ");
}

TEST_CASE("requests with unknown methods reach the handler") {
  const auto server = start_server({}, echo);
  TestClient client(server->port());
  for (const char* method : {"DELETE", "OPTIONS", "BREW", "get"}) {
    REQUIRE(client.send(std::string(method) + " / HTTP/1.1\r\nHost: a\r\n\r\n"));
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->body == std::string(method) + " /? [] ");
  }
}

TEST_CASE("the client decides whether the connection stays open") {
  const auto server = start_server({}, echo);
  struct Row {
    const char* request;
    bool stays;
    const char* connection;
  };
  const Row table[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true, ""},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false, "close"},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE\r\n\r\n", false, "close"},
      {"GET / HTTP/1.0\r\n\r\n", false, "close"},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, "keep-alive"},
  };
  for (const Row& row : table) {
    CAPTURE(row.request);
    TestClient client(server->port());
    REQUIRE(client.send(row.request));
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->field("connection") == row.connection);
    if (row.stays) {
      CHECK(client.get("/"));
    } else {
      CHECK(client.closed_by_server());
    }
  }
}

TEST_CASE("a client that has finished sending still gets its answers") {
  Answerer answerer;
  const auto server = start_server({}, std::ref(answerer));
  TestClient client(server->port());
  REQUIRE(client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"));
  client.finish_sending();
  CHECK(client.read());
  CHECK(client.read());
  CHECK(client.closed_by_server());
}

TEST_CASE("100 Continue is sent only if the client waits for it") {
  HttpServerOptions options;
  options.max_body_bytes = 10;
  const auto server = start_server(options, echo);
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: ";
  TestClient client(server->port());
  REQUIRE(client.send(head + "3\r\n\r\n"));
  auto reply = client.read();
  REQUIRE(reply);
  CHECK(reply->status == 100);
  REQUIRE(client.send("abc"));
  reply = client.read();
  REQUIRE(reply);
  CHECK(reply->body == "POST /? [] abc");
  // Here the client has begun to send the body.
  REQUIRE(client.send(head + "3\r\n\r\nabc"));
  reply = client.read();
  REQUIRE(reply);
  CHECK(reply->status == 200);
  // Here the handler refuses the body.
  REQUIRE(client.send(head + "11\r\n\r\n"));
  reply = client.read();
  REQUIRE(reply);
  CHECK(reply->status == 413);
  CHECK(client.closed_by_server());
}

TEST_CASE("large bodies arrive whole in both directions") {
  Answerer answerer;
  HttpServerOptions options;
  options.max_body_bytes = 3'000'000;
  const auto server = start_server(options, std::ref(answerer));
  std::string body(3'000'000, 'x');
  for (std::size_t i = 0; i < body.size(); i += 4093) body[i] = static_cast<char>('a' + i % 26);
  TestClient client(server->port());
  REQUIRE(client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + body));
  auto reply = client.read();
  REQUIRE(reply);
  CHECK(reply->body == "PUT /? [] " + body);
  REQUIRE(client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n16E360\r\n" +
                      body.substr(0, 1'500'000) + "\r\n16E360\r\n" + body.substr(1'500'000) + "\r\n0\r\n\r\n"));
  reply = client.read();
  REQUIRE(reply);
  CHECK(reply->body == "PUT /? [] " + body);
}

TEST_CASE("clients that disconnect at any point do not harm the server") {
  Answerer answerer;
  const auto server = start_server({}, std::ref(answerer));
  const std::string request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
  for (std::size_t size = 0; size <= request.size(); ++size) {
    TestClient orderly(server->port());
    TestClient rude(server->port());
    REQUIRE(orderly.send(request.substr(0, size)));
    REQUIRE(rude.send(request.substr(0, size)));
    rude.reset();
  }
  CHECK(eventually([&] { return server->counters().connections_open == 0; }));
  CHECK(server->counters().requests_refused == 0);
  CHECK(TestClient(server->port()).get("/"));
}

}  // namespace
}  // namespace hearsay::http
