#include <algorithm>
#include <mutex>

#include "common/base/try.h"
#include "common/https/client.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {
namespace {

constexpr std::size_t kMaxAnswerBytes = 8U << 20U;  // above the 4 MiB that a task document may have

class HttpsTransport final : public Transport {
 public:
  HttpsTransport(https::Server server, std::unique_ptr<https::Client> client, std::string upload_token)
      : server_(std::move(server)), idle_(std::move(client)), upload_token_(std::move(upload_token)) {}

  Result<TransportResponse> get(std::string_view path, const ExchangeLimits& limits) override {
    return exchange({.method = "GET", .path = path, .headers = {}, .body = {}}, limits);
  }

  Result<TransportResponse> post(std::string_view path, std::string_view content_type,
                                 std::span<const std::uint8_t> body, const ExchangeLimits& limits) override {
    https::Request request{.method = "POST", .path = path, .headers = {"Prefer: return=minimal"}, .body = body};
    request.headers.push_back(std::string("Content-Type: ").append(content_type));
    if (!upload_token_.empty()) request.headers.push_back("Authorization: Bearer " + upload_token_);
    return exchange(std::move(request), limits);
  }

 private:
  Result<TransportResponse> exchange(https::Request request, const ExchangeLimits& limits) {
    request.timeout = limits.timeout;
    request.cancellation = limits.cancellation;
    HEARSAY_TRY(std::unique_ptr<https::Client> client, take());
    auto answer = client->exchange(request);
    give_back(std::move(client));
    if (!answer) return answer.error();
    return TransportResponse{answer->status, answer->retry_after, answer->date, std::move(answer->body)};
  }

  // Returns the idle client, with its open connection. If another exchange uses the idle client, returns a new client.
  Result<std::unique_ptr<https::Client>> take() {
    {
      const std::lock_guard lock(mutex_);
      if (idle_) return std::move(idle_);
    }
    return https::Client::create(server_);
  }

  void give_back(std::unique_ptr<https::Client> client) {
    const std::lock_guard lock(mutex_);
    if (!idle_) idle_ = std::move(client);
  }

  const https::Server server_;
  std::mutex mutex_;
  std::unique_ptr<https::Client> idle_;
  const std::string upload_token_;
};

Result<void> check(const ServerOptions& options) {
  if (options.host.empty() || options.port == 0 || options.timeout.count() <= 0) {
    return Error{ErrorCode::kInvalidArgument, "a server needs a host, a port and a positive timeout"};
  }
  const auto control_or_space = [](char c) { return (c >= '\0' && c <= ' ') || c == '\x7f'; };
  if (std::any_of(options.host.begin(), options.host.end(), control_or_space)) {
    return Error{ErrorCode::kInvalidArgument, "the host holds a space or a control character"};
  }
  if (options.host.find_first_of("/?#@\\[]") != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, "the host '" + options.host + "' is neither a name nor an address"};
  }
  if (options.client_certificate.empty() != options.client_key.empty()) {
    return Error{ErrorCode::kInvalidArgument, "set both the client's certificate and its key, or neither"};
  }
  for (const std::string* file : {&options.ca_file, &options.client_certificate, &options.client_key}) {
    if (file->find('\0') == std::string::npos) continue;
    return Error{ErrorCode::kInvalidArgument, "a file's name holds a NUL character"};
  }
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::all_of(options.upload_token.begin(), options.upload_token.end(), visible)) {
    return Error{
        ErrorCode::kInvalidArgument,
        "upload_token, the bearer token that goes with each report, has a space, a line end or another character "
        "that no token has: set it to the token alone"};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Transport>> make_https_transport(const ServerOptions& options) {
  HEARSAY_CHECK_OK(check(options));
  const bool literal6 = options.host.find(':') != std::string::npos;
  const std::string host = literal6 ? '[' + options.host + ']' : options.host;
  https::Server server{.url = "https://" + host + ":" + std::to_string(options.port),
                       .ca_file = options.ca_file,
                       .certificate = options.client_certificate,
                       .private_key = options.client_key,
                       .timeout = options.timeout,
                       .max_answer_bytes = kMaxAnswerBytes};
  HEARSAY_TRY(auto client, https::Client::create(server));
  return std::unique_ptr<Transport>(
      std::make_unique<HttpsTransport>(std::move(server), std::move(client), options.upload_token));
}

}  // namespace hearsay::sdk
