#include "common/https/client.h"

#include <arpa/inet.h>
#include <curl/curl.h>

#include <algorithm>

#include "common/base/try.h"
#include "common/https/exchange.h"
#include "common/https/hanging_lookups.h"
#include "common/pem/pem.h"

namespace hearsay::https {
namespace {

Error internal() { return {ErrorCode::kInternal, "the HTTP library cannot be initialised"}; }

// Checks the files before libcurl reads them, since libcurl's errors say less about a bad file.
Result<void> check_files(const Server& server) {
  using pem::PemFile;
  if (!server.ca_file.empty()) {
    HEARSAY_TRY(const auto authorities, pem::read_certificates({PemFile::Role::kAuthorities, server.ca_file}));
  }
  if (server.certificate.empty()) return {};
  const PemFile certificate_file{PemFile::Role::kCertificate, server.certificate};
  const PemFile key_file{PemFile::Role::kPrivateKey, server.private_key};
  HEARSAY_TRY(const auto chain, pem::read_certificates(certificate_file));
  HEARSAY_TRY(const pem::PrivateKey key, pem::read_private_key(key_file));
  return pem::check_pair(certificate_file, chain, key_file, *key);
}

// Returns the host of an https URL (an IPv6 address in brackets). Refuses a URL with a user, a query or a fragment.
// These parts would stand between the host and a request's path, or send a password beside the request's own headers.
Result<std::string> host_of(const std::string& text) {
  const Url url(curl_url());
  if (!url) return internal();
  char* scheme = nullptr;
  char* host = nullptr;
  std::optional<std::string> found;
  if (text.find('\0') == std::string::npos &&  // libcurl would end the text at a zero byte
      curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) == CURLUE_OK &&
      curl_url_get(url.get(), CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
      curl_url_get(url.get(), CURLUPART_HOST, &host, 0) == CURLUE_OK && std::string_view(scheme) == "https" &&
      text.find_first_of("@?#") == std::string::npos) {
    found = host;
  }
  curl_free(scheme);
  curl_free(host);
  if (!found) return Error{ErrorCode::kInvalidArgument, "'" + text + "' is not a URL like https://host:port"};
  return *std::move(found);
}

// Refuses a path or header that libcurl or the server could read as another path or as two headers.
Result<void> check(const Request& request) {
  const auto visible = [](char c) { return c > ' ' && c < '\x7f' && c != '#' && c != '\\'; };
  const std::string path = std::string(request.path.substr(0, request.path.find('?'))) + '/';
  const bool absolute = request.path.empty() || request.path.starts_with('/');
  if (!absolute || !std::all_of(request.path.begin(), request.path.end(), visible) ||
      path.find("/./") != std::string::npos || path.find("/../") != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, "'" + std::string(request.path) + "' is not a path like /v1/tasks"};
  }
  const auto control = [](char c) { return (c >= '\0' && c < ' ' && c != '\t') || c == '\x7f'; };
  for (const std::string& header : request.headers) {
    if (std::none_of(header.begin(), header.end(), control)) continue;
    return Error{ErrorCode::kInvalidArgument, "the header " + header.substr(0, header.find(':')) +
                                                  " holds a line break or another control character"};
  }
  return {};
}

bool is_address(const std::string& host) {
  in_addr ignored{};
  return host.front() == '[' || inet_pton(AF_INET, host.c_str(), &ignored) == 1;
}

}  // namespace

Result<std::unique_ptr<Client>> Client::create(const Server& server) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) return internal();
  HEARSAY_TRY(const std::string host, host_of(server.url));
  HEARSAY_CHECK_OK(check_files(server));
  std::unique_ptr<Client> client(new Client(server, is_address(host)));
  HEARSAY_CHECK_OK(client->open());
  return client;
}

Client::~Client() = default;

Result<void> Client::open() {
  const std::lock_guard lock(mutex_);
  multi_.reset(curl_multi_init());
  if (!multi_) return internal();
  return {};
}

Result<Answer> Client::exchange(const Request& request) {
  HEARSAY_CHECK_OK(check(request));
  const Deadline deadline = std::chrono::steady_clock::now() + std::min(server_.timeout, request.timeout);
  const Cancellation::Hook hook(request.cancellation, [this] {
    const std::lock_guard lock(mutex_);
    if (multi_) curl_multi_wakeup(multi_.get());
  });
  HangingLookups::of_process().sweep();
  for (;;) {
    bool again = false;
    auto answer = attempt(request, deadline, again);
    if (!again) return answer;
  }
}

// Sets `again` if the kept connection was dead. The next attempt opens another connection.
Result<Answer> Client::attempt(const Request& request, Deadline deadline, bool& again) {
  if (!multi_) HEARSAY_CHECK_OK(open());
  auto exchange = std::make_unique<Exchange>(server_, request, literal_);
  if (curl_multi_add_handle(multi_.get(), exchange->handle()) != CURLM_OK) return internal();
  const std::optional<Error> stopped = drive(deadline, request.cancellation);
  if (stopped && exchange->looking_up()) {
    const std::lock_guard lock(mutex_);
    HangingLookups::of_process().keep(std::move(multi_), std::move(exchange));
    return *stopped;
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
  const CURLcode code = message != nullptr ? message->data.result : CURLE_FAILED_INIT;
  curl_multi_remove_handle(multi_.get(), exchange->handle());
  if (stopped) return *stopped;
  again = exchange->stale(code);
  return exchange->take(code);
}

// Runs the transfer. Returns nothing once the transfer has ended. Returns an error if the transfer must stop early.
std::optional<Error> Client::drive(Deadline deadline, const Cancellation* cancellation) {
  constexpr std::chrono::milliseconds kLongest{60'000};
  for (int running = 1;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (cancellation != nullptr && cancellation->requested()) {
      return Error{ErrorCode::kCancelled, "the exchange with " + server_.url + " was cancelled"};
    }
    if (left.count() <= 0) return Error{ErrorCode::kTimedOut, "no answer from " + server_.url + " in time"};
    if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) return internal();
    if (running == 0) return std::nullopt;
    curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(std::min(left, kLongest).count()), nullptr);
  }
}

}  // namespace hearsay::https
