#include "hearsay/client.h"

#include "common/base/try.h"
#include "sdk/c_api/boundary.h"
#include "sdk/c_api/handles.h"
#include "sdk/c_api/limits.h"

namespace {

using namespace hearsay;         // this file defines functions of the global namespace
using namespace hearsay::c_api;  // NOLINT(google-build-using-namespace)

// The transport of a client without a server: every exchange fails.
class NoTransport final : public sdk::Transport {
 public:
  Result<sdk::TransportResponse> get(std::string_view, const sdk::ExchangeLimits&) override { return none(); }
  Result<sdk::TransportResponse> post(std::string_view, std::string_view, std::span<const std::uint8_t>,
                                      const sdk::ExchangeLimits&) override {
    return none();
  }

 private:
  static Error none() { return {ErrorCode::kInvalidArgument, "this client was made without a server"}; }
};

Result<std::unique_ptr<sdk::Transport>> transport_of(const hearsay_server* server) {
  if (server == nullptr) return std::unique_ptr<sdk::Transport>(std::make_unique<NoTransport>());
  HEARSAY_TRY(const hearsay_server given, struct_of(server, "server"));
  if (given.port > 65'535) return Error{ErrorCode::kInvalidArgument, "server.port is above 65535"};
  sdk::ServerOptions ours;
  HEARSAY_TRY(ours.host, required_text(given.host, given.host_size, "server.host"));
  if (given.port != 0) ours.port = static_cast<std::uint16_t>(given.port);
  if (given.timeout_ms != 0) ours.timeout = std::chrono::milliseconds(given.timeout_ms);
  HEARSAY_TRY(ours.ca_file, text_of(given.ca_file, given.ca_file_size, "server.ca_file"));
  HEARSAY_TRY(ours.upload_token, text_of(given.upload_token, given.upload_token_size, "server.upload_token"));
  HEARSAY_TRY(ours.client_certificate,
              text_of(given.client_certificate, given.client_certificate_size, "server.client_certificate"));
  HEARSAY_TRY(ours.client_key, text_of(given.client_key, given.client_key_size, "server.client_key"));
  return sdk::make_https_transport(ours);
}

// Returns the client's options from those of the host. `task` is null if the client must fetch the task.
Result<sdk::ClientOptions> options_of(const hearsay_client_options& given, const Task* task) {
  HEARSAY_TRY(TaskLimits limits, limits_of(given.limits));
  TaskId id{};
  if (task != nullptr) {
    id = task->id();
  } else {
    HEARSAY_TRY(const std::string_view text, required_text(given.task_id, given.task_id_size, "options.task_id"));
    HEARSAY_TRY(id, TaskId::parse(text));
  }
  HEARSAY_TRY(const std::string_view pin, text_of(given.pin_file, given.pin_file_size, "options.pin_file"));
  sdk::ClientOptions ours{id, limits.max_epsilon, {}, std::string(pin), {}};
  if (!limits.schemas.empty()) ours.expected_schema = std::move(limits.schemas.front());
  return ours;
}

Result<void> check_has_server(const OpenClient& client) {
  if (client.has_server) return {};
  return Error{ErrorCode::kInvalidArgument,
               "this client was made without a server: your program must send its reports"};
}

template <class Call>
hearsay_code on_client(hearsay_client* client, hearsay_error* error, const Call& call) noexcept {
  return guarded(error, [&]() -> Result<void> {
    HEARSAY_TRY(const auto found, find(clients(), client, "client"));
    return call(*found);
  });
}

void write_summary(const sdk::FlushSummary& summary, hearsay_flush_summary* out) {
  hearsay_flush_summary ours{};
  std::memcpy(&ours.size, out, sizeof ours.size);
  ours.delivered = summary.delivered;
  ours.dropped = summary.dropped;
  ours.pending = summary.pending;
  ours.problem.size = sizeof ours.problem;
  if (summary.problem) report(*summary.problem, &ours.problem);
  std::memcpy(out, &ours, std::min(ours.size, sizeof ours));
}

}  // namespace

hearsay_code hearsay_client_create(const hearsay_client_options* options, hearsay_ledger* ledger,
                                   hearsay_client** client, hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (client == nullptr) return null_argument("client");
    *client = nullptr;
    HEARSAY_TRY(const hearsay_client_options given, struct_of(options, "options"));
    auto made = std::make_shared<OpenClient>();
    HEARSAY_TRY(made->ledger, find(ledgers(), ledger, "ledger"));
    std::shared_ptr<const Task> task;
    if (given.task != nullptr) {
      HEARSAY_TRY(task, find(tasks(), given.task, "options.task"));
    }
    HEARSAY_TRY(const sdk::ClientOptions ours, options_of(given, task.get()));
    made->has_server = given.server != nullptr;
    made->clock = make_system_clock();
    HEARSAY_TRY(made->transport, transport_of(given.server));
    const sdk::ClientDependencies with{*made->transport, *made->ledger->ledger, *made->clock};
    auto created = task ? sdk::Client::create(ours, *task, with) : sdk::Client::create(ours, with);
    if (!created) return created.error();
    made->client.emplace(std::move(*created));
    *client = clients().add(std::move(made));
    return {};
  });
}

void hearsay_client_free(hearsay_client* client) noexcept { remove(clients(), client); }

hearsay_code hearsay_client_submit_json(hearsay_client* client, const char* record_json, size_t record_json_size,
                                        int32_t* already_reported, hearsay_error* error) noexcept {
  return on_client(client, error, [&](OpenClient& of) -> Result<void> {
    HEARSAY_TRY(const std::string_view json, text_of(record_json, record_json_size, "record_json"));
    HEARSAY_TRY(const sdk::Payment payment, of.client->submit_json(json));
    if (already_reported != nullptr) *already_reported = payment == sdk::Payment::kAlreadyReported ? 1 : 0;
    return {};
  });
}

hearsay_code hearsay_client_flush(hearsay_client* client, uint32_t deadline_ms, hearsay_flush_summary* summary,
                                  hearsay_error* error) noexcept {
  return on_client(client, error, [&](OpenClient& of) -> Result<void> {
    HEARSAY_CHECK_OK(check_has_server(of));
    if (summary != nullptr) HEARSAY_CHECK_OK(struct_of(summary, "summary"));
    HEARSAY_TRY(const sdk::FlushSummary done, of.client->flush(std::chrono::milliseconds(deadline_ms)));
    if (summary != nullptr) write_summary(done, summary);
    return {};
  });
}

hearsay_code hearsay_client_cancel(hearsay_client* client, hearsay_error* error) noexcept {
  return on_client(client, error, [](OpenClient& of) -> Result<void> {
    of.client->cancel();
    return {};
  });
}

hearsay_code hearsay_client_opt_out(hearsay_client* client, hearsay_error* error) noexcept {
  return on_client(client, error, [](OpenClient& of) { return of.client->opt_out(); });
}

hearsay_code hearsay_client_next_report(hearsay_client* client, int64_t* number, hearsay_buffer** report,
                                        hearsay_error* error) noexcept {
  return on_client(client, error, [&](OpenClient& of) -> Result<void> {
    if (number == nullptr) return null_argument("number");
    if (report == nullptr) return null_argument("report");
    *report = nullptr;
    HEARSAY_TRY(std::vector<sdk::PendingReport> waiting,
                of.ledger->ledger->outbox().pending(of.client->task().id(), of.clock->now(), 1));
    if (waiting.empty()) return {};
    *report = make_buffer(std::move(waiting.front().bytes));
    *number = waiting.front().number;
    return {};
  });
}

hearsay_code hearsay_client_settle_report(hearsay_client* client, int64_t number, int32_t delivered, const char* reason,
                                          size_t reason_size, uint64_t server_time, hearsay_error* error) noexcept {
  return on_client(client, error, [&](OpenClient& of) -> Result<void> {
    HEARSAY_TRY(const std::string_view why, text_of(reason, reason_size, "reason"));
    if (delivered != 0 && delivered != 1) return Error{ErrorCode::kInvalidArgument, "delivered is neither 0 nor 1"};
    if (server_time != 0) HEARSAY_CHECK_OK(of.ledger->ledger->note_server_time(server_time));
    const auto state = delivered == 1 ? sdk::ReportState::kDelivered : sdk::ReportState::kDropped;
    return of.ledger->ledger->outbox().settle(number, state, of.clock->now(), std::string(why));
  });
}
