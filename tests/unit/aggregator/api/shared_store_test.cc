// Tests the API over a store that other daemons change, and over a store that hangs.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "aggregator/api/api.h"
#include "aggregator/store/rocks/rocks.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/patience.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::api {
namespace {

class NoOperations final : public Operations {
 public:
  Result<Json> backup(std::optional<std::uint32_t> /*keep*/) override { return Json(); }
  Json status() const override { return {}; }
  Result<void> record(std::string_view /*event*/, const Json& /*fields*/) override { return {}; }
};

class Waiting final : public http::PendingRequest {
 public:
  explicit Waiting(const http::HttpRequest& request) : request_(request) {}
  const http::HttpRequest& request() const override { return request_; }
  std::stop_token stop_token() override { return {}; }
  void answer(std::optional<http::HttpResponse> response) override { answered.set_value(std::move(response)); }

  std::promise<std::optional<http::HttpResponse>> answered;

 private:
  const http::HttpRequest request_;
};

// A store that can hang. While the store hangs, add_task(), delete_task() and tasks() do not return.
class HangingStore final : public tests::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Result<void> add_task(const Task& task) override {
    hang_on();
    return ForwardingStore::add_task(task);
  }
  Result<void> delete_task(const TaskId& id) override {
    hang_on();
    return ForwardingStore::delete_task(id);
  }
  Result<std::vector<store::StoredTask>> tasks() const override {
    hang_on();
    return ForwardingStore::tasks();
  }
  void hang(bool hangs) {
    hangs_ = hangs;
    hangs_.notify_all();
  }

 private:
  void hang_on() const { hangs_.wait(true); }
  std::atomic<bool> hangs_ = false;
};

struct Sharing {
  explicit Sharing(bool shared_store, std::chrono::milliseconds change_timeout = tests::kPatience * 2) {
    ApiOptions options;
    options.shared_store = shared_store;
    options.change_timeout = change_timeout;
    const std::string token = "admin";
    const TokenHash admin{Role::kAdmin,
                          sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()})};
    api = Api::create({hanging, *ingest, *ours, clock, metrics, operations}, Authenticator({admin}), options);
  }
  ~Sharing() { ingest->stop(); }

  http::HttpResponse call(std::string_view method, const std::string& path, const std::string& body = "") const {
    http::HttpRequest request;
    request.method = method;
    request.path = path;
    request.authorization = "Bearer admin";
    request.content_type = "application/json";
    request.body_size = body.size();
    request.body = body;
    auto admission = api->admit(request);
    if (const auto* refusal = std::get_if<http::HttpResponse>(&admission)) return *refusal;
    Waiting waiting(request);
    std::get<http::HandleRequest>(admission).function(http::HttpExchange(waiting));
    return waiting.answered.get_future().get().value();
  }

  std::pair<unsigned, std::string> post(const TaskId& task) const {
    const std::string path = "/v1/tasks/" + task.to_string() + "/reports";
    http::HttpRequest request;
    request.method = "POST";
    request.path = path;
    request.content_type = "application/vnd.hearsay.reports+cbor-seq";
    request.body_size = 0;
    auto admission = api->admit(request);
    if (const auto* refusal = std::get_if<http::HttpResponse>(&admission)) return {refusal->status, refusal->body};
    Waiting waiting(request);
    std::get<http::HandleRequest>(admission).function(http::HttpExchange(waiting));
    const auto response = waiting.answered.get_future().get();
    REQUIRE(response);
    return {response->status, response->body};
  }

  tests::TemporaryDirectory directory;
  tests::ManualClock clock{tests::kTaskStart + 3600};
  metrics::MetricsRegistry metrics;
  NoOperations operations;
  std::unique_ptr<store::Store> store = store::rocks::open({.path = directory.path() / "store"}).value();
  HangingStore hanging{*store};
  std::unique_ptr<TaskRegistry> ours = TaskRegistry::load(hanging).value();
  std::unique_ptr<TaskRegistry> theirs = TaskRegistry::load(*store).value();
  std::unique_ptr<ingest::Ingest> ingest = ingest::Ingest::start(*store, clock, {});
  std::unique_ptr<Api> api;
};

TEST_CASE("the daemon accepts a report for a task that another daemon has just created") {
  const Sharing test(true);
  const Task task = tests::small_task("b");
  REQUIRE(test.theirs->add(task).value());
  const auto known = [&] {
    const Task own = tests::small_task("b", "2");
    REQUIRE(test.ours->add(own).value());
    return test.post(own.id()).first;
  }();
  CHECK(test.post(task.id()).first == known);  // the same answer as for a task that was known from the start
  CHECK(test.ours->find(task.id()));
}

TEST_CASE("an unknown task is looked up once, and until the next look-up is allowed the client must try again later") {
  const Sharing test(true);
  const auto first = test.post(TaskId{});
  CHECK(first.first == 404);
  CHECK(first.second.find("unrecognizedTask") != std::string::npos);
  // Uses up the look-ups of the next hour.
  test.ours->takes_look_up(std::chrono::steady_clock::now() + std::chrono::hours(1));
  const auto later = test.post(TaskId{});
  CHECK(later.first == 503);
  CHECK(later.second.find("overloaded") != std::string::npos);
}

TEST_CASE("a daemon that does not share its store looks up no task") {
  const Sharing test(false);
  const Task task = tests::small_task("b");
  REQUIRE(test.theirs->add(task).value());
  for (int i = 0; i < 2; ++i) CHECK(test.post(task.id()).first == 404);
  CHECK_FALSE(test.ours->find(task.id()));
}

TEST_CASE("if another daemon has deleted a task and creates it again, the daemon checks the task as new") {
  Sharing test(true);
  const Task task = tests::small_task("b");
  const auto create = [&] { return test.call("POST", "/v1/tasks", task.canonical_json()).status; };
  CHECK(create() == 201);
  CHECK(create() == 200);
  REQUIRE(test.theirs->remove(task.id()));
  CHECK(create() == 201);
  test.clock.advance(std::chrono::seconds(task.end() - test.clock.now()));
  CHECK(create() == 200);
  REQUIRE(test.theirs->remove(task.id()));
  REQUIRE(test.ours->find(task.id()));
  const unsigned refused = test.call("POST", "/v1/tasks", tests::small_task("b", "2").canonical_json()).status;
  CHECK(refused >= 400);
  CHECK(create() == refused);
  CHECK(test.store->tasks()->empty());
}

TEST_CASE("if the store hangs during a change of tasks, the daemon answers 503 in time, and other calls are answered") {
  Sharing test(true, std::chrono::milliseconds(200));
  const Task first = tests::small_task("b");
  const Task second = tests::small_task("b", "2");
  REQUIRE(test.ours->add(first));
  test.hanging.hang(true);
  const http::HttpResponse late = test.call("POST", "/v1/tasks", second.canonical_json());
  CHECK(late.status == 503);
  CHECK(late.body.find("store_failed") != std::string::npos);
  CHECK(late.headers == std::vector<std::pair<std::string, std::string>>{{"Retry-After", "5"}});
  CHECK(test.call("DELETE", "/v1/tasks/" + first.id().to_string()).status == 503);  // waits for the first call
  CHECK(test.call("GET", "/v1/status").status == 200);
  const http::HttpResponse list = test.call("GET", "/v1/tasks");
  CHECK(list.body.find(first.id().to_string()) != std::string::npos);
  test.hanging.hang(false);
  // The store carries out the first call later. The second call never reaches the store. Repeating the calls completes
  // both.
  const auto deadline = std::chrono::steady_clock::now() + tests::kPatience;
  while (test.store->tasks()->size() != 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  CHECK(test.store->tasks()->size() == 2);
  CHECK(test.call("DELETE", "/v1/tasks/" + first.id().to_string()).status == 204);
  CHECK(test.call("POST", "/v1/tasks", second.canonical_json()).status == 200);
  CHECK(test.store->tasks()->size() == 1);
}

}  // namespace
}  // namespace hearsay::api
