#include "aggregator/api/api.h"

// <utility> before Asio: Boost 1.74's headers rely on it.
#include <utility>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "aggregator/api/answers.h"
#include "aggregator/api/estimates.h"
#include "aggregator/api/report_counters.h"
#include "aggregator/api/route.h"
#include "aggregator/http/problem.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

constexpr int kMaxWaitingAnalyses = 64;  // estimates, tallies and changes of tasks waiting for the API's thread

bool wants_csv(const HttpRequest& request) {
  return request.query == "format=csv" || request.accept.starts_with("text/csv");
}

class ApiImplementation final : public Api {
 public:
  ApiImplementation(const ApiDependencies& dependencies, Authenticator authenticator)
      : on_(dependencies), authenticator_(std::move(authenticator)), counters_(dependencies.metrics) {}

  ~ApiImplementation() override {
    worker_.stop();  // what is still waiting is answered with an error
    backups_.stop();
    worker_.join();
    backups_.join();
  }

  void handle(HttpRequest request, Respond respond) override {
    const auto route = authorized_route(authenticator_, request.method, request.path, request.authorization);
    if (!route) return respond(refuse(request, route.error()));
    switch (route->call) {
      case Call::kGetTask:
        return respond(get_task(*route));
      case Call::kPostReports:
        return post_reports(*route, std::move(request), std::move(respond));
      case Call::kMakeBackup:
        return make_backup(std::move(request), std::move(respond));
      default:
        return run_on_worker(*route, std::move(request), std::move(respond));
    }
  }

  std::uint64_t overloads() const override { return counters_.overloads(); }

 private:
  static HttpResponse refuse(const HttpRequest& request, const Error& error) {
    HttpResponse response = make_problem(error);
    if (error.code == ErrorCode::kMethodNotAllowed) {
      response.headers.emplace_back("Allow", allowed_methods(request.path));
    }
    return response;
  }

  // The answer, or the problem document of the error that is in its place.
  static HttpResponse answer(Result<HttpResponse> result) {
    return result ? *std::move(result) : make_problem(result.error());
  }

  HttpResponse get_task(const Route& route) const {
    const auto stored = on_.tasks.find(*route.task);
    if (!stored) return make_problem(stored.error());
    return {200, "application/json", (*stored)->task.canonical_json(), {}};
  }

  void post_reports(const Route& route, HttpRequest request, Respond respond) {
    const auto stored = on_.tasks.find(*route.task);
    if (!stored) return respond(make_problem(stored.error()));
    const std::string media_type = request.content_type;
    on_.ingest.submit(**stored, media_type, std::move(request.body),
                      [this, id = *route.task, respond](Result<std::vector<ReportOutcome>> outcomes) {
                        count(id, outcomes);
                        const UnixSeconds now = on_.clock.now();
                        respond(outcomes ? outcomes_response(*outcomes, now) : make_problem_at(outcomes.error(), now));
                      });
  }

  void count(const TaskId& id, const Result<std::vector<ReportOutcome>>& outcomes) {
    TaskCounters& counters = counters_.of(id);
    if (!outcomes) return counters.rejected(outcomes.error().code);
    std::uint64_t accepted = 0;
    std::uint64_t replayed = 0;
    for (const ReportOutcome& outcome : *outcomes) {
      if (outcome.rejection) {
        counters.rejected(outcome.rejection->code);
      } else {
        ++(outcome.replayed ? replayed : accepted);
      }
    }
    counters.accepted(accepted);
    counters.replayed(replayed);
  }

  // What may take long does not hold up a thread of the server.
  void run_on_worker(const Route& route, HttpRequest request, Respond respond) {
    if (waiting_.fetch_add(1) >= kMaxWaitingAnalyses) {
      waiting_.fetch_sub(1);
      return respond(make_problem({ErrorCode::kOverloaded, "too many analyses are waiting"}));
    }
    boost::asio::post(worker_, [this, route, request = std::move(request), respond = std::move(respond)] {
      HttpResponse response = answer(perform(route, request));
      waiting_.fetch_sub(1);
      respond(std::move(response));
    });
  }

  // A backup may take minutes: it has a thread of its own, and there is one at a time.
  void make_backup(HttpRequest request, Respond respond) {
    if (backing_up_.exchange(true)) {
      return respond(make_problem({ErrorCode::kOverloaded, "another backup is being made"}));
    }
    boost::asio::post(backups_, [this, request = std::move(request), respond = std::move(respond)] {
      HttpResponse response = answer(backup(request.body));
      backing_up_ = false;
      respond(std::move(response));
    });
  }

  Result<HttpResponse> backup(std::string_view body) try {
    HEARSAY_TRY(const auto keep, parse_backup_request(body));
    HEARSAY_TRY(const Json made, on_.operations.backup(keep));
    return json_response(201, made);
  } catch (const std::exception&) {
    return Error{ErrorCode::kInternal, "the call failed inside the aggregator"};
  }

  Result<HttpResponse> perform(const Route& route, const HttpRequest& request) try {
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
        return tally(*route.task, wants_csv(request));
      case Call::kGetStatus:
        return json_response(200, on_.operations.status());
      case Call::kGetTask:
      case Call::kPostReports:
      case Call::kMakeBackup:
        break;
    }
    return Error{ErrorCode::kInternal, "the call has no implementation on this path"};
  } catch (const std::exception&) {
    return Error{ErrorCode::kInternal, "the call failed inside the aggregator"};
  }

  Result<HttpResponse> list_tasks() const {
    Json listed = Json::array();
    for (const auto& stored : on_.tasks.all()) {
      HEARSAY_TRY(const auto windows, on_.store.window_tallies(stored->task));
      listed.push_back(task_json(*stored, windows));
    }
    return json_response(200, {{"tasks", std::move(listed)}});
  }

  Result<HttpResponse> create_task(const std::string& document) {
    HEARSAY_TRY(const Task task, Task::parse(document));
    HEARSAY_TRY(const bool added, on_.tasks.add(task));
    const std::string id = task.id().to_string();
    HttpResponse response = json_response(added ? 201 : 200, {{"task", id}});
    response.headers.emplace_back("Location", "/v1/tasks/" + id);
    return response;
  }

  Result<HttpResponse> close_task(const TaskId& id) {
    HEARSAY_TRY(const UnixSeconds at, on_.tasks.close(id, on_.clock.now()));
    return json_response(200, {{"closed_at", at}, {"task", id.to_string()}});
  }

  Result<HttpResponse> delete_task(const TaskId& id) {
    HEARSAY_CHECK_OK(on_.tasks.remove(id));
    return HttpResponse{204, "", "", {}};
  }

  Result<HttpResponse> estimate(const TaskId& id, const std::string& body) const {
    HEARSAY_TRY(const auto stored, on_.tasks.find(id));
    HEARSAY_TRY(const Json answers, answer_queries(on_.store, stored->task, body, on_.clock));
    return json_response(200, answers);
  }

  Result<HttpResponse> tally(const TaskId& id, bool csv) const {
    HEARSAY_TRY(const auto stored, on_.tasks.find(id));
    HEARSAY_TRY(const auto windows, on_.store.window_tallies(stored->task));
    if (csv) return HttpResponse{200, "text/csv", tally_csv(windows), {}};
    return json_response(200, tally_json(id, windows));
  }

  ApiDependencies on_;
  Authenticator authenticator_;
  ReportCounters counters_;
  std::atomic<int> waiting_{0};
  std::atomic<bool> backing_up_{false};
  boost::asio::thread_pool worker_{1};
  boost::asio::thread_pool backups_{1};
};

}  // namespace

std::unique_ptr<Api> Api::create(const ApiDependencies& dependencies, Authenticator authenticator) {
  return std::make_unique<ApiImplementation>(dependencies, std::move(authenticator));
}

}  // namespace hearsay::aggregator
