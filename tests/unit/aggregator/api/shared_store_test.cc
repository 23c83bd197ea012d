// Reports to tasks that this daemon does not know, because another daemon may have created them.
#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "aggregator/api/api.h"
#include "aggregator/store/rocks/rocks.h"
#include "tests/support/manual_clock.h"
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

struct Sharing {
  explicit Sharing(bool shared_store) {
    ApiOptions options;
    options.shared_store = shared_store;
    api = Api::create({*store, *ingest, *ours, clock, metrics, operations}, Authenticator({}), options);
  }
  ~Sharing() { ingest->stop(); }

  // Returns the status and body of the answer to an empty upload.
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
  std::unique_ptr<TaskRegistry> ours = TaskRegistry::load(*store).value();
  std::unique_ptr<TaskRegistry> theirs = TaskRegistry::load(*store).value();
  std::unique_ptr<ingest::Ingest> ingest = ingest::Ingest::start(*store, clock, {});
  std::unique_ptr<Api> api;
};

TEST_CASE("a report of another daemon's new task finds the task") {
  const Sharing test(true);
  const Task task = tests::small_task("b");
  REQUIRE(test.theirs->add(task).value());
  const auto known = [&] {
    const Task own = tests::small_task("b", "2");
    REQUIRE(test.ours->add(own).value());
    return test.post(own.id()).first;
  }();
  CHECK(test.post(task.id()).first == known);  // the answer is the same as for a task that was known from the start
  CHECK(test.ours->find(task.id()));
}

TEST_CASE("an unknown task is looked up once; until the next look-up the client is told to try again") {
  const Sharing test(true);
  const auto first = test.post(TaskId{});
  CHECK(first.first == 404);
  CHECK(first.second.find("unrecognizedTask") != std::string::npos);
  test.ours->takes_look_up(std::chrono::steady_clock::now() + std::chrono::hours(1));  // no look-up for an hour
  const auto later = test.post(TaskId{});
  CHECK(later.first == 503);
  CHECK(later.second.find("overloaded") != std::string::npos);
}

TEST_CASE("a daemon with a store of its own looks nothing up") {
  const Sharing test(false);
  const Task task = tests::small_task("b");
  REQUIRE(test.theirs->add(task).value());
  for (int i = 0; i < 2; ++i) CHECK(test.post(task.id()).first == 404);
  CHECK_FALSE(test.ours->find(task.id()));
}

}  // namespace
}  // namespace hearsay::api
