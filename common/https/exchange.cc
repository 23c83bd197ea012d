#include "common/https/exchange.h"

#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>
#include <new>

#include "common/https/hanging_lookups.h"

namespace hearsay::https {
namespace {

std::optional<std::string_view> header_of(CURL* easy, const char* name) {
  curl_header* header = nullptr;
  if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return std::nullopt;
  return header->value;
}

std::optional<UnixSeconds> time_of(std::string_view text) {
  const std::time_t time = curl_getdate(std::string(text).c_str(), nullptr);
  if (time < 0) return std::nullopt;
  return static_cast<UnixSeconds>(time);
}

std::optional<std::chrono::seconds> retry_after(CURL* easy, std::optional<UnixSeconds> date) {
  const auto text = header_of(easy, "Retry-After");
  if (!text || text->empty()) return std::nullopt;
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (end == text->data() + text->size()) {
    if (error == std::errc::result_out_of_range) seconds = std::numeric_limits<unsigned>::max();
    return std::chrono::seconds(seconds);
  }
  const auto time = end == text->data() ? time_of(*text) : std::nullopt;  // a date begins with the day of the week
  if (!time || !date) return std::nullopt;
  return std::chrono::seconds(*time > *date ? *time - *date : 0);
}

// Replaces everything but printable ASCII. libcurl's text may quote the server's certificate, and control characters
// must not reach a terminal.
std::string printable(std::string text) {
  const auto unprintable = [](unsigned char c) { return c < 0x20 || c > 0x7e; };
  std::replace_if(text.begin(), text.end(), unprintable, '?');
  return text;
}

}  // namespace

Exchange::Exchange(const Server& server, const Request& request, bool literal)
    : url_(std::string(server.url.substr(0, server.url.find_last_not_of('/') + 1)).append(request.path)),
      max_bytes_(server.max_answer_bytes),
      literal_(literal),
      easy_(curl_easy_init()) {
  if (!easy_) throw std::bad_alloc();
  add_header("Expect:");  // so that libcurl does not ask the server before it sends a large body
  for (const std::string& header : request.headers) add_header(header);
  set_options(server, request);
}

void Exchange::add_header(const std::string& header) {
  curl_slist* longer = curl_slist_append(headers_.get(), header.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  static_cast<void>(headers_.release());  // `longer` owns this list now
  headers_.reset(longer);
}

void Exchange::set_options(const Server& server, const Request& request) {
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, details_.data());
  curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, std::string(request.method).c_str());
  if (request.body) {
    const bool empty = request.body->empty();  // a null pointer would make libcurl ask a callback for the body
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, empty ? "" : reinterpret_cast<const char*>(request.body->data()));
  }
  if (!server.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, server.ca_file.c_str());
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // otherwise libcurl would trust the system's authorities, too
  }
  if (!server.certificate.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERT, server.certificate.c_str());
    curl_easy_setopt(easy, CURLOPT_SSLKEY, server.private_key.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");  // without a passphrase, OpenSSL would ask on the terminal

  // Client keeps the deadline. This option only tells libcurl how to share the time among the server's addresses.
  // kSlack keeps the option from ending a look-up before the client does.
  constexpr std::chrono::milliseconds kSlack{1000};
  const auto timeout = std::min(server.timeout, request.timeout) + kSlack;
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // ending a transfer must not wait for a look-up
  curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, &on_lookup);
  curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, this);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &on_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
}

void Exchange::abandon() {
  constexpr long kDays = 20 * 86'400'000L;  // so that libcurl does not end the exchange before the look-up returns
  abandoned_ = true;
  curl_easy_setopt(easy_.get(), CURLOPT_CONNECTTIMEOUT_MS, kDays);
}

int Exchange::on_lookup(void* /*state*/, void* /*reserved*/, void* exchange) {
  auto* self = static_cast<Exchange*>(exchange);
  self->refused_ = !self->literal_ && HangingLookups::of_process().size() >= HangingLookups::kMax;
  self->looking_up_ = !self->refused_;
  return self->refused_ ? 1 : 0;
}

// libcurl opens the first socket when the look-up has returned.
curl_socket_t Exchange::on_socket(void* exchange, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto* self = static_cast<Exchange*>(exchange);
  self->looking_up_ = false;
  if (self->abandoned_) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Counts all bytes, also the bytes of headers and of every 1xx answer before the final answer.
bool Exchange::count(std::size_t bytes) {
  bytes_ += bytes;
  too_long_ = bytes_ > max_bytes_;
  return !too_long_;
}

std::size_t Exchange::on_header(char* /*data*/, std::size_t size, std::size_t count, void* exchange) {
  return static_cast<Exchange*>(exchange)->count(size * count) ? size * count : 0;
}

std::size_t Exchange::on_body(char* data, std::size_t size, std::size_t count, void* exchange) try {
  auto* self = static_cast<Exchange*>(exchange);
  if (!self->count(size * count)) return 0;
  self->body_.append(data, size * count);
  return size * count;
} catch (const std::bad_alloc&) {
  return 0;
}

bool Exchange::stale(CURLcode code) {
  long opened = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &opened);
  return opened == 0 && (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR);
}

Result<Answer> Exchange::take(CURLcode code) {
  if (code != CURLE_OK) return error(code);
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  const auto text = header_of(easy_.get(), "Date");
  const auto date = text ? time_of(*text) : std::nullopt;
  return Answer{static_cast<unsigned>(status), retry_after(easy_.get(), date), date, std::move(body_)};
}

Error Exchange::error(CURLcode code) const {
  const std::string where = "cannot exchange messages with " + url_ + ": ";
  if (too_long_) {
    return {ErrorCode::kConnectionFailed, where + "the answer has more than " + std::to_string(max_bytes_) + " bytes"};
  }
  if (refused_) {
    return {ErrorCode::kTimedOut, where + std::to_string(HangingLookups::kMax) +
                                      " earlier look-ups of names have not returned; check the system's resolver"};
  }
  const std::string what = where + printable(details_[0] != '\0' ? details_.data() : curl_easy_strerror(code));
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {ErrorCode::kTimedOut, what};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return {ErrorCode::kInvalidArgument, what};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {ErrorCode::kTlsFailed, what};
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
      return {ErrorCode::kIo, what};
    default:
      return {ErrorCode::kConnectionFailed, what};
  }
}

}  // namespace hearsay::https
