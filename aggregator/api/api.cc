#include "aggregator/api/api.h"

#include "aggregator/api/admin_log.h"
#include "aggregator/api/answers.h"
#include "aggregator/api/error_answer.h"
#include "aggregator/api/estimates.h"
#include "aggregator/api/head_check.h"
#include "aggregator/api/route.h"
#include "aggregator/api/tally_export.h"
#include "aggregator/api/task_look_up.h"
#include "aggregator/api/timed_exchange.h"
#include "aggregator/api/times.h"
#include "aggregator/api/upload_answer.h"
#include "aggregator/api/upload_metrics.h"
#include "aggregator/api/worker.h"
#include "aggregator/compiler/compile_explicit.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::api {
namespace {

constexpr bool kTrusted = true;  // says that an analyst's or administrator's token was checked

Error not_in_time() { return {ErrorCode::kStoreFailed, "the store has not answered in time. Repeat the call"}; }

AnalysisQueueOptions queue_options(unsigned threads, const ApiOptions& options) {
  return {.threads = threads,
          .max_duration = options.analysis_timeout,
          .max_waiting_bytes = options.max_analysis_bytes / 4};
}

class ApiImplementation final : public Api {
 public:
  ApiImplementation(const ApiDependencies& dependencies, Authenticator authenticator, const ApiOptions& options)
      : on_(dependencies),
        authenticator_(std::move(authenticator)),
        bytes_at_work_(options.max_analysis_bytes / 4),
        change_timeout_(options.change_timeout),
        origins_(options.allowed_origins),
        admin_log_(dependencies.operations, dependencies.clock),
        uploads_(dependencies.metrics, [this](const TaskId& id) { return is_open(id); }),
        look_up_(dependencies.tasks, changes_.thread(), options.shared_store),
        estimates_(queue_options(2, options)),
        exports_(queue_options(1, options)) {
    for (const auto& stored : on_.tasks.all()) {
      if (!stored->closed_at && on_.clock.now() < stored->task.end()) uploads_.of(stored->task.id());
    }
  }

  ~ApiImplementation() override {
    const auto workers = {&changes_, &control_, &backups_};
    for (Worker* worker : workers) worker->thread().stop();  // calls that wait for a thread are dropped
    for (Worker* worker : workers) worker->thread().join();
  }

  std::variant<http::HttpResponse, http::HandleRequest> admit(const http::HttpRequest& head) override {
    if (auto preflight = origins_.preflight(head)) return *std::move(preflight);
    const auto route = authorized_route(*authenticator_.get(), head.method, head.path, head.authorization);
    if (!route) return refuse(head, route.error());
    if (const auto checked = check_head(route->call, head); !checked) {
      return error_answer(note_refusal(*route, checked.error()));
    }
    switch (route->call) {
      case Call::kGetTask:
        return admit_get_task(*route->task);
      case Call::kPostReports:
        return admit_reports(*route->task, head.body_size.value_or(0));
      case Call::kEstimate:
        return admit_analysis(estimates_, *route, head.body_size.value_or(0));
      case Call::kGetTally:
        return admit_analysis(exports_, *route, head.body_size.value_or(0));
      case Call::kCreateTask:
      case Call::kCloseTask:
      case Call::kDeleteTask:
        return http::HandleRequest(
            [this, route = *route](http::HttpExchange exchange) { run_change(route, std::move(exchange)); }, kTrusted);
      default:
        return http::HandleRequest(
            [this, route = *route](http::HttpExchange exchange) { run(route, std::move(exchange)); }, kTrusted);
    }
  }

  void add_fields(const http::HttpRequest& request, http::HttpResponse& response) const override {
    origins_.add_fields(request, response);
  }

  void replace_authenticator(Authenticator authenticator) override { authenticator_.replace(std::move(authenticator)); }

  std::uint64_t overloads() const override { return uploads_.overloads(); }

  AnalysisCounters analyses() const override {
    AnalysisCounters sum = estimates_.counters();
    const AnalysisCounters exports = exports_.counters();
    sum.at_work += exports.at_work;
    sum.waiting += exports.waiting;
    sum.waiting_bytes += exports.waiting_bytes;
    sum.refused += exports.refused;
    return sum;
  }

  void stop_analyses() override {
    estimates_.stop();
    exports_.stop();
  }

 private:
  http::HttpResponse refuse(const http::HttpRequest& request, const Error& error) {
    if (error.code == ErrorCode::kUnauthorized || error.code == ErrorCode::kForbidden) note_stranger(request, error);
    http::HttpResponse response = error_answer(error);
    if (error.code == ErrorCode::kMethodNotAllowed) {
      response.headers.emplace_back("Allow", allowed_methods(request.path));
    }
    return response;
  }

  // Records that a caller without the right token tried an administrator's or analyst's call. Refused reports are not
  // recorded.
  void note_stranger(const http::HttpRequest& request, const Error& error) {
    const Route tried = *route(request.method, request.path);
    if (tried.role == Role::kUploader) return;
    const auto who = authenticator_.get()->name_of(request.authorization);
    if (admin_log_.takes_refusal(who.has_value())) note_refusal(tried, who, error.code);
  }

  // Records that the API refused an administrator's call before the call began. Does nothing for calls that only read.
  const Error& note_refusal(const Route& route, const Error& error) {
    const bool changes = route.role == Role::kAdmin && route.call != Call::kGetStatus;
    if (changes && admin_log_.takes_refusal(true)) note_refusal(route, route.caller_name, error.code);
    return error;
  }

  // Writes the record on a thread that may wait for the disk.
  void note_refusal(const Route& route, const std::optional<std::string>& who, ErrorCode error) {
    boost::asio::post(control_.thread(), [this, route, who, error] { admin_log_.refused(route, who, error); });
  }

  static http::HttpResponse answer(Result<http::HttpResponse> result) {
    return result ? *std::move(result) : error_answer(result.error());
  }

  std::variant<http::HttpResponse, http::HandleRequest> admit_get_task(const TaskId& id) {
    auto found = on_.tasks.find(id);
    const auto show = [](const std::shared_ptr<const store::StoredTask>& task, http::HttpExchange exchange) {
      // The answer uses the registry's document, without a copy.
      std::move(exchange).respond({200, "application/json", "", {}, {task, &task->task.canonical_json()}});
    };
    if (!found) return look_up_.admit(id, found.error(), show);
    return [show, task = *std::move(found)](http::HttpExchange exchange) { show(task, std::move(exchange)); };
  }

  std::variant<http::HttpResponse, http::HandleRequest> admit_reports(const TaskId& id, std::uint64_t body_size) {
    const std::uint64_t changes = on_.tasks.changes();  // read before find(), so that no change is missed
    auto found = on_.tasks.find(id);
    if (!found) {
      return look_up_.admit(id, found.error(), [this](auto task, http::HttpExchange exchange) {
        TaskCounters& counters = uploads_.of(task->task.id());
        post_reports(std::move(task), counters, std::move(exchange));
      });
    }
    TaskCounters& counters = uploads_.of(id);
    if (const auto admitted = on_.ingest.admits(body_size); !admitted) {
      counters.rejected(admitted.error().code);
      return error_answer(admitted.error());
    }
    return [this, changes, task = *std::move(found), &counters](http::HttpExchange exchange) {
      if (on_.tasks.changes() == changes) return post_reports(task, counters, std::move(exchange));
      // Tasks changed while the body was read, so this task may be closed now.
      auto current = on_.tasks.find(task->task.id());
      if (!current) return std::move(exchange).respond(error_answer(current.error()));
      post_reports(*std::move(current), counters, std::move(exchange));
    };
  }

  void post_reports(std::shared_ptr<const store::StoredTask> task, TaskCounters& counters,
                    http::HttpExchange exchange) {
    const http::HttpRequest& request = exchange.request();
    // The function captures only two pointers, so that std::function need not allocate.
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

  std::variant<http::HttpResponse, http::HandleRequest> admit_analysis(AnalysisQueue& queue, const Route& route,
                                                                       std::uint64_t body_size) {
    if (const auto fits = check_size(body_size); !fits) return error_answer(fits.error());
    if (const auto admitted = queue.admits(route.caller, body_size); !admitted) return error_answer(admitted.error());
    return http::HandleRequest(
        [this, &queue, route](http::HttpExchange exchange) { analyse(queue, route, std::move(exchange)); }, kTrusted);
  }

  Result<void> check_size(std::uint64_t body_size) const {
    const std::uint64_t most = bytes_at_work_ / kParsedBodyFactor;
    if (body_size <= most) return {};
    return Error{ErrorCode::kBodyTooLarge, "the body is too large: this call takes at most " + std::to_string(most) +
                                               " bytes (max_analysis_bytes / 160)"};
  }

  // Checks the size again, because the head of a chunked body does not say the size.
  void analyse(AnalysisQueue& queue, const Route& route, http::HttpExchange exchange) {
    const std::size_t bytes = exchange.request().body.size();
    if (const auto fits = check_size(bytes); !fits) return std::move(exchange).respond(error_answer(fits.error()));
    const std::stop_token client_gone = exchange.stop_token();
    auto shared = std::make_shared<http::HttpExchange>(std::move(exchange));
    const auto taken =
        queue.submit(route.caller, bytes, client_gone, [this, route, shared](const std::stop_token& stop) {
          http::HttpResponse response = answer(perform(route, *shared, stop));
          std::move(*shared).respond(std::move(response));
        });
    if (!taken) std::move(*shared).respond(error_answer(taken.error()));
  }

  // Carries a call out on a worker, so that a long call does not delay the server's threads.
  void run(const Route& route, http::HttpExchange exchange) {
    Worker& worker = route.call == Call::kMakeBackup ? backups_ : control_;
    auto shared = std::make_shared<http::HttpExchange>(std::move(exchange));
    const auto taken =
        worker.run([this, route, shared] { return answer(perform(route, *shared, {})); },
                   [shared](http::HttpResponse response) { std::move(*shared).respond(std::move(response)); });
    if (!taken) std::move(*shared).respond(error_answer(note_refusal(route, taken.error())));
  }

  // The call may wait long for a database; the caller gets an answer after change_timeout_ at the latest. A call that
  // has begun by then goes on. A call that has not begun by then is not carried out.
  void run_change(const Route& route, http::HttpExchange exchange) {
    const auto checked = check_head(route.call, exchange.request());
    auto timed =
        TimedExchange::start(std::move(exchange), control_.thread(), change_timeout_, error_answer(not_in_time()));
    if (!checked) return timed->answer(error_answer(note_refusal(route, checked.error())));
    const auto work = [this, route, timed] {
      if (timed->answered()) return error_answer(note_refusal(route, not_in_time()));
      return answer(change_tasks(route, timed->body()));
    };
    const auto taken = changes_.run(work, [timed](http::HttpResponse response) { timed->answer(std::move(response)); });
    if (!taken) timed->answer(error_answer(note_refusal(route, taken.error())));
  }

  Result<http::HttpResponse> change_tasks(const Route& route, std::string_view body) try {
    if (route.call == Call::kCreateTask) return create_task(route, body);
    return route.call == Call::kCloseTask ? close_task(route) : delete_task(route);
  } catch (const std::exception&) {
    return Error{ErrorCode::kInternal, "the call failed inside the aggregator"};
  }

  Result<http::HttpResponse> perform(const Route& route, const http::HttpExchange& exchange,
                                     const std::stop_token& stop) try {
    const http::HttpRequest& request = exchange.request();
    HEARSAY_CHECK_OK(check_head(route.call, request));
    switch (route.call) {
      case Call::kListTasks:
        return list_tasks();
      case Call::kEstimate:
        return estimate(*route.task, exchange, stop);
      case Call::kGetTally:
        return tally(*route.task, request, stop);
      case Call::kGetStatus:
        return json_response(200, on_.operations.status());
      case Call::kMakeBackup:
        return make_backup(route, request.body);
      default:
        break;
    }
    return Error{ErrorCode::kInternal, "the call has no implementation on this path"};
  } catch (const std::exception&) {
    return Error{ErrorCode::kInternal, "the call failed inside the aggregator"};
  }

  bool is_open(const TaskId& id) const {
    const auto stored = on_.tasks.find(id);
    const UnixSeconds now = on_.clock.now();
    return stored && !(*stored)->closed_at && now >= (*stored)->task.spec().task_start && now < (*stored)->task.end();
  }

  Error ended() const {
    if (estimates_.stopped()) return {ErrorCode::kOverloaded, "the aggregator is stopping"};
    return {ErrorCode::kOverloaded, "the call took too long (analysis_timeout_seconds)"};
  }

  Result<http::HttpResponse> list_tasks() const {
    Json listed = Json::array();
    for (const auto& stored : on_.tasks.all()) {
      listed.push_back(task_json(*stored, on_.store.counts(stored->task)));
    }
    return json_response(200, {{"tasks", std::move(listed)}});
  }

  Result<http::HttpResponse> create_task(const Route& route, std::string_view document) {
    const auto task = Task::parse(document);
    if (!task) return note_refusal(route, task.error());
    std::vector<std::string> warnings;
    // Another daemon may have deleted a task that this daemon still knows. Such a task counts as new, so its times are
    // checked.
    const auto known = look_up_.current(task->id());
    if (!known && known.error().code != ErrorCode::kUnrecognizedTask) return note_refusal(route, known.error());
    if (!known) {
      const auto readable = compiler::check_class(*task);
      if (!readable) return note_refusal(route, readable.error());
      auto checked = check_times_of_new(*task, on_.clock.now());
      if (!checked) return note_refusal(route, checked.error());
      warnings = *std::move(checked);
    }
    HEARSAY_TRY(const bool added, admin_log_.recorded(route, task->id(), {}, [&] { return on_.tasks.add(*task); }));
    uploads_.of(task->id());
    const std::string id = task->id().to_string();
    Json answer{{"task", id}, {"closed_at", nullptr}, {"warnings", warnings}};
    const auto stored = on_.tasks.find(task->id());
    if (stored && (*stored)->closed_at) answer["closed_at"] = *(*stored)->closed_at;
    http::HttpResponse response = json_response(added ? 201 : 200, answer);
    response.headers.emplace_back("Location", "/v1/tasks/" + id);
    return response;
  }

  Result<http::HttpResponse> close_task(const Route& route) {
    const TaskId& id = *route.task;
    HEARSAY_TRY(const UnixSeconds at,
                admin_log_.recorded(route, id, {}, [&] { return on_.tasks.close(id, on_.clock.now()); }));
    return json_response(200, {{"closed_at", at}, {"task", id.to_string()}});
  }

  Result<http::HttpResponse> delete_task(const Route& route) {
    HEARSAY_CHECK_OK(admin_log_.recorded(route, route.task, {}, [&] { return on_.tasks.remove(*route.task); }));
    return http::HttpResponse{204, "", "", {}};
  }

  Result<http::HttpResponse> make_backup(const Route& route, std::string_view body) {
    const auto keep = parse_backup_request(body);
    if (!keep) return note_refusal(route, keep.error());
    const Json details = *keep ? Json{{"keep", **keep}} : Json();
    HEARSAY_TRY(const Json made,
                admin_log_.recorded(route, std::nullopt, details, [&] { return on_.operations.backup(*keep); }));
    return json_response(201, made);
  }

  Result<http::HttpResponse> estimate(const TaskId& id, const http::HttpExchange& exchange,
                                      const std::stop_token& stop) const {
    HEARSAY_TRY(const auto stored, look_up_.find(id));
    HEARSAY_TRY(const Json answers,
                answer_queries(on_.store, stored->task, exchange.request().body, bytes_at_work_, stop));
    // If the analysis only ran out of time, the answer has the results that were computed in time.
    if (estimates_.stopped() || exchange.stop_token().stop_requested()) return ended();
    return json_response(200, answers);
  }

  Result<http::HttpResponse> tally(const TaskId& id, const http::HttpRequest& request,
                                   const std::stop_token& stop) const {
    if (stop.stop_requested()) return ended();
    HEARSAY_TRY(const auto stored, look_up_.find(id));
    HEARSAY_TRY(const TallyExport asked, parse_tally_export(request.query, request.accept));
    HEARSAY_CHECK_OK(check_range(stored->task, asked.range));
    return export_tally(on_.store, stored->task, asked);
  }

  ApiDependencies on_;
  CurrentAuthenticator authenticator_;
  const std::uint64_t bytes_at_work_;  // limit on the memory of one estimate
  const std::chrono::milliseconds change_timeout_;
  const AllowedOrigins origins_;
  AdminLog admin_log_;
  UploadMetrics uploads_;
  Worker control_{64, "too many calls are waiting"};  // for status, lists of tasks, timers and records of refusals
  Worker changes_{64, "too many calls are waiting"};  // for changes of tasks, which may wait for the store
  TaskLookUp look_up_;
  Worker backups_{1, "another backup is being made"};  // for backups, which may take minutes
  AnalysisQueue estimates_;
  AnalysisQueue exports_;
};

}  // namespace

std::unique_ptr<Api> Api::create(const ApiDependencies& dependencies, Authenticator authenticator,
                                 const ApiOptions& options) {
  return std::make_unique<ApiImplementation>(dependencies, std::move(authenticator), options);
}

}  // namespace hearsay::api
