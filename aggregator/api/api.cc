#include "aggregator/api/api.h"

// <utility> before Asio: Boost 1.74's headers rely on it.
#include <utility>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "aggregator/api/answers.h"
#include "aggregator/api/error_answer.h"
#include "aggregator/api/estimates.h"
#include "aggregator/api/route.h"
#include "aggregator/api/tally_export.h"
#include "aggregator/api/upload_answer.h"
#include "aggregator/api/upload_metrics.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::api {
namespace {

// One thread, and how many calls may wait for it or be under way.
struct Worker {
  const int most;
  const char* const refusal;  // of a call beyond
  std::atomic<int> waiting{0};
  boost::asio::thread_pool thread{1};
};

class ApiImplementation final : public Api {
 public:
  ApiImplementation(const ApiDependencies& dependencies, Authenticator authenticator)
      : on_(dependencies), authenticator_(std::move(authenticator)), uploads_(dependencies.metrics) {}

  ~ApiImplementation() override {
    for (Worker* worker : {&analyses_, &backups_}) worker->thread.stop();  // what still waits is answered with an error
    for (Worker* worker : {&analyses_, &backups_}) worker->thread.join();
  }

  // Routes and authorizes a request, once. The functions it returns carry what they need of the result.
  std::variant<http::HttpResponse, http::HandleRequest> admit(const http::HttpRequest& head) override {
    const auto route = authorized_route(authenticator_, head.method, head.path, head.authorization);
    if (!route) return refuse(head, route.error());
    switch (route->call) {
      case Call::kGetTask:
        return [this, id = *route->task](http::HttpExchange exchange) {
          std::move(exchange).respond(answer(get_task(id)));
        };
      case Call::kPostReports:
        return admit_reports(*route->task, head.body_size.value_or(0));
      default:
        return [this, route = *route](http::HttpExchange exchange) {
          run_on(route.call == Call::kMakeBackup ? backups_ : analyses_, route, std::move(exchange));
        };
    }
  }

  std::uint64_t overloads() const override { return uploads_.overloads(); }

 private:
  static http::HttpResponse refuse(const http::HttpRequest& request, const Error& error) {
    http::HttpResponse response = error_answer(error);
    if (error.code == ErrorCode::kMethodNotAllowed) {
      response.headers.emplace_back("Allow", allowed_methods(request.path));
    }
    return response;
  }

  // The answer, or the problem document of the error that is in its place.
  static http::HttpResponse answer(Result<http::HttpResponse> result) {
    return result ? *std::move(result) : error_answer(result.error());
  }

  Result<http::HttpResponse> get_task(const TaskId& id) const {
    HEARSAY_TRY(const auto stored, on_.tasks.find(id));
    return http::HttpResponse{200, "application/json", stored->task.canonical_json(), {}};
  }

  std::variant<http::HttpResponse, http::HandleRequest> admit_reports(const TaskId& id, std::uint64_t body_size) {
    const std::uint64_t changes = on_.tasks.changes();  // before find(), so that no change is missed
    auto found = on_.tasks.find(id);
    if (!found) return error_answer(found.error());
    TaskCounters& counters = uploads_.of(id);
    if (const auto admitted = on_.ingest.admits(body_size); !admitted) {
      counters.rejected(admitted.error().code);
      return error_answer(admitted.error());
    }
    return [this, changes, task = *std::move(found), &counters](http::HttpExchange exchange) {
      if (on_.tasks.changes() == changes) return post_reports(task, counters, std::move(exchange));
      // An administrator changed tasks while the body came; this one may be closed.
      auto current = on_.tasks.find(task->task.id());
      if (!current) return std::move(exchange).respond(error_answer(current.error()));
      post_reports(*std::move(current), counters, std::move(exchange));
    };
  }

  void post_reports(std::shared_ptr<const store::StoredTask> task, TaskCounters& counters,
                    http::HttpExchange exchange) {
    const http::HttpRequest& request = exchange.request();
    // Two pointers are all that std::function holds without allocating.
    on_.ingest.submit(
        std::move(task), request.content_type, request.body,
        [&counters, &pending = std::move(exchange).release()](const Result<ingest::UploadResult>& result) {
          answer_upload(counters, http::HttpExchange(pending), result);
        });
  }

  static void answer_upload(TaskCounters& counters, http::HttpExchange exchange,
                            const Result<ingest::UploadResult>& result) {
    if (result) {
      counters.count(*result);
    } else {
      counters.rejected(result.error().code);
    }
    std::move(exchange).respond(upload_answer(result, exchange.request().prefers_minimal));
  }

  // What may take long does not hold up a thread of the server.
  void run_on(Worker& worker, const Route& route, http::HttpExchange exchange) {
    if (worker.waiting.fetch_add(1) >= worker.most) {
      worker.waiting.fetch_sub(1);
      return std::move(exchange).respond(error_answer({ErrorCode::kOverloaded, worker.refusal}));
    }
    // Asio wants to copy what it is given.
    auto shared = std::make_shared<http::HttpExchange>(std::move(exchange));
    boost::asio::post(worker.thread, [this, &worker, route, shared] {
      http::HttpResponse response = answer(perform(route, shared->request()));
      worker.waiting.fetch_sub(1);
      std::move(*shared).respond(std::move(response));
    });
  }

  Result<http::HttpResponse> perform(const Route& route, const http::HttpRequest& request) try {
    switch (route.call) {
      case Call::kListTasks:
        return list_tasks();
      case Call::kCreateTask:
        return create_task(request.body);
      case Call::kCloseTask:
        return close_task(*route.task);
      case Call::kDeleteTask:
        return delete_task(*route.task);
      case Call::kEstimate:
        return estimate(*route.task, request.body);
      case Call::kGetTally:
        return tally(*route.task, request);
      case Call::kGetStatus:
        return json_response(200, on_.operations.status());
      case Call::kMakeBackup:
        return make_backup(request.body);
      case Call::kGetTask:
      case Call::kPostReports:
        break;
    }
    return Error{ErrorCode::kInternal, "the call has no implementation on this path"};
  } catch (const std::exception&) {
    return Error{ErrorCode::kInternal, "the call failed inside the aggregator"};
  }

  Result<http::HttpResponse> list_tasks() const {
    Json listed = Json::array();
    for (const auto& stored : on_.tasks.all()) {
      listed.push_back(task_json(*stored, on_.store.counts(stored->task)));
    }
    return json_response(200, {{"tasks", std::move(listed)}});
  }

  Result<http::HttpResponse> create_task(std::string_view document) {
    HEARSAY_TRY(const Task task, Task::parse(document));
    HEARSAY_TRY(const bool added, on_.tasks.add(task));
    const std::string id = task.id().to_string();
    http::HttpResponse response = json_response(added ? 201 : 200, {{"task", id}});
    response.headers.emplace_back("Location", "/v1/tasks/" + id);
    return response;
  }

  Result<http::HttpResponse> close_task(const TaskId& id) {
    HEARSAY_TRY(const UnixSeconds at, on_.tasks.close(id, on_.clock.now()));
    return json_response(200, {{"closed_at", at}, {"task", id.to_string()}});
  }

  Result<http::HttpResponse> delete_task(const TaskId& id) {
    HEARSAY_CHECK_OK(on_.tasks.remove(id));
    return http::HttpResponse{204, "", "", {}};
  }

  Result<http::HttpResponse> make_backup(std::string_view body) {
    HEARSAY_TRY(const auto keep, parse_backup_request(body));
    HEARSAY_TRY(const Json made, on_.operations.backup(keep));
    return json_response(201, made);
  }

  Result<http::HttpResponse> estimate(const TaskId& id, std::string_view body) const {
    HEARSAY_TRY(const auto stored, on_.tasks.find(id));
    HEARSAY_TRY(const Json answers, answer_queries(on_.store, stored->task, body, on_.clock));
    return json_response(200, answers);
  }

  Result<http::HttpResponse> tally(const TaskId& id, const http::HttpRequest& request) const {
    HEARSAY_TRY(const auto stored, on_.tasks.find(id));
    HEARSAY_TRY(const TallyExport asked, parse_tally_export(request.query, request.accept));
    return export_tally(on_.store, stored->task, asked);
  }

  ApiDependencies on_;
  Authenticator authenticator_;
  UploadMetrics uploads_;
  Worker analyses_{64, "too many analyses are waiting"};  // estimates, tallies and changes of tasks
  Worker backups_{1, "another backup is being made"};     // which may take minutes
};

}  // namespace

std::unique_ptr<Api> Api::create(const ApiDependencies& dependencies, Authenticator authenticator) {
  return std::make_unique<ApiImplementation>(dependencies, std::move(authenticator));
}

}  // namespace hearsay::api
