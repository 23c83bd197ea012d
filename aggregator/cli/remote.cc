#include "aggregator/cli/remote.h"

#include <curl/curl.h>

#include <array>
#include <memory>

#include "common/base/strict_json.h"

namespace hearsay::aggregator {
namespace {

constexpr long kTimeoutSeconds = 300;  // a plan of many sampled queries takes its time

std::size_t append(const char* data, std::size_t size, std::size_t count, std::string* out) {
  out->append(data, size * count);
  return size * count;
}

// `details`: what the HTTP library adds, such as the alert of a server that wants a client certificate.
Error transport_error(CURLcode code, const std::string& url, std::string_view details) {
  std::string message = "cannot reach " + url + ": " + curl_easy_strerror(code);
  if (!details.empty()) message.append(": ").append(details);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {ErrorCode::kTimedOut, message};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return {ErrorCode::kInvalidArgument, message};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CONNECT_ERROR:
      return {ErrorCode::kTlsFailed, message};
    default:
      return {ErrorCode::kConnectionFailed, message};
  }
}

Error refusal(long status, const std::string& body) {
  std::string message = "the aggregator answered " + std::to_string(status);
  if (const auto problem = parse_json(body); problem && problem->is_object()) {
    const std::string type = problem->value("type", "");
    message += " (" + type.substr(type.rfind(':') + 1) + "): " + problem->value("detail", "");
  }
  return {ErrorCode::kServerRefused, message};
}

}  // namespace

Result<std::string> call(const Server& server, std::string_view method, std::string_view path,
                         const std::string& body) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), &curl_easy_cleanup);
  if (!curl) return Error{ErrorCode::kInternal, "the HTTP library cannot be initialised"};
  const std::string_view host(server.url);
  const std::string url = std::string(host.substr(0, host.find_last_not_of('/') + 1)).append(path);
  const std::string verb(method);
  std::string answer;
  std::array<char, CURL_ERROR_SIZE> details{};
  curl_slist* list = curl_slist_append(nullptr, "Content-Type: application/json");
  if (!server.token.empty()) list = curl_slist_append(list, ("Authorization: Bearer " + server.token).c_str());
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(list, &curl_slist_free_all);

  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, details.data());
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, verb.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, kTimeoutSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer);
  if (!server.ca_file.empty()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, server.ca_file.c_str());
  if (!server.certificate.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_SSLCERT, server.certificate.c_str());
    const std::string& key = server.private_key.empty() ? server.certificate : server.private_key;
    curl_easy_setopt(curl.get(), CURLOPT_SSLKEY, key.c_str());
  }
  if (!body.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  }
  if (const CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK) {
    return transport_error(code, url, details.data());
  }
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status < 200 || status >= 300) return refusal(status, answer);
  return answer;
}

}  // namespace hearsay::aggregator
