#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "tests/unit/aggregator/http/test_client.h"

namespace {

std::atomic<bool> counting = false;
std::atomic<std::uint64_t> allocations = 0;

bool on_server_thread() {
  char name[16] = {};
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 && std::strcmp(name, "http") == 0;
}

void* allocate(std::size_t size) {
  if (counting && on_server_thread()) ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace hearsay::http {
namespace {

class InlineHandler final : public HttpHandler {
 public:
  std::variant<HttpResponse, HandleRequest> admit(const HttpRequest&) override {
    return [](HttpExchange exchange) { std::move(exchange).respond({204, "", "", {}}); };
  }
};

class ElsewhereHandler final : public HttpHandler {
 public:
  ElsewhereHandler() : thread_([this] { run(); }) {}
  ~ElsewhereHandler() override {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  std::variant<HttpResponse, HandleRequest> admit(const HttpRequest&) override {
    return [this](HttpExchange exchange) {
      const std::lock_guard lock(mutex_);
      waiting_ = &std::move(exchange).release();
      wake_.notify_all();
    };
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return done_ || waiting_ != nullptr; });
      if (done_) return;
      HttpExchange(*std::exchange(waiting_, nullptr)).respond({204, "", "", {}});
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  PendingRequest* waiting_ = nullptr;
  bool done_ = false;
  std::thread thread_;
};

// Checks that the server's threads allocate nothing during 200 requests, after 50 others. The Date field is an
// exception, because it changes every second.
void check_allocations(HttpHandler& handler, const HttpServerOptions& options, TestClient::Tls tls) {
  const auto server = HttpServer::start(patient(options), handler);
  REQUIRE(server);
  TestClient client((*server)->port(), tls);
  const std::string request =
      "POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nPrefer: return=minimal\r\n"
      "Content-Length: 100\r\n\r\n" +
      std::string(100, 'x');
  std::time_t begin = 0;
  for (int i = 0; i < 250; ++i) {
    if (i == 50) {
      begin = std::time(nullptr);
      allocations = 0;
      counting = true;
    }
    REQUIRE(client.send(request));
    const auto reply = client.read();
    REQUIRE(reply);
    REQUIRE(reply->status == 204);
  }
  counting = false;
  CHECK(allocations <= 2 * static_cast<std::uint64_t>(std::time(nullptr) - begin + 1));
}

TEST_CASE(
    "the server's threads allocate nothing for a request, whether the answer comes at once or from another thread") {
  const TestCertificate certificate;
  HttpServerOptions tls;
  tls.tls = certificate.files();
  InlineHandler at_once;
  check_allocations(at_once, {}, TestClient::Tls::kOff);
  check_allocations(at_once, tls, TestClient::Tls::kOnly13);
  ElsewhereHandler elsewhere;
  check_allocations(elsewhere, {}, TestClient::Tls::kOff);
  check_allocations(elsewhere, tls, TestClient::Tls::kOnly13);
}

}  // namespace
}  // namespace hearsay::http
