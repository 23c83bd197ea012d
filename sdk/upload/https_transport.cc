// <utility> before Asio: Boost 1.74's coroutine headers rely on it.
#include <utility>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/version.hpp>
#include <charconv>
#include <exception>
#include <optional>

#include "common/base/try.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using tcp = asio::ip::tcp;

constexpr std::uint64_t kMaxResponseBytes = 8U << 20U;  // a task document is at most 4 MiB

Error to_error(const boost::system::error_code& code, const std::string& host) {
  if (code == beast::error::timeout) return {ErrorCode::kTimedOut, "no answer from " + host + " in time"};
  if (code.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(code.value())) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return {ErrorCode::kTlsFailed, "the certificate of " + host + " is not accepted: " + code.message()};
  }
  return {ErrorCode::kConnectionFailed, "cannot exchange messages with " + host + ": " + code.message()};
}

std::optional<std::chrono::seconds> parse_retry_after(beast::string_view text) {
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

class HttpsTransport final : public Transport {
 public:
  HttpsTransport(const ServerOptions& options, ssl::context context)
      : options_(options), context_(std::move(context)) {}

  Result<TransportResponse> get(std::string_view path) override {
    Request request{http::verb::get, {path.data(), path.size()}, 11};
    return exchange(request);
  }

  Result<TransportResponse> post(std::string_view path, std::string_view content_type,
                                 std::span<const std::uint8_t> body) override {
    Request request{http::verb::post, {path.data(), path.size()}, 11};
    request.set(http::field::content_type, beast::string_view(content_type.data(), content_type.size()));
    request.set("Prefer", "return=minimal");
    if (!options_.upload_token.empty()) request.set(http::field::authorization, "Bearer " + options_.upload_token);
    request.body().assign(body.begin(), body.end());
    return exchange(request);
  }

 private:
  using Request = http::request<http::vector_body<std::uint8_t>>;
  using Stream = beast::ssl_stream<beast::tcp_stream>;

  // The calls of this class block, but Beast keeps deadlines only for asynchronous operations; so each exchange is a
  // coroutine run to its end on this thread.
  Result<TransportResponse> exchange(Request& request) {
    const bool literal6 = options_.host.find(':') != std::string::npos;
    const std::string host = literal6 ? '[' + options_.host + ']' : options_.host;
    request.set(http::field::host, options_.port == 443 ? host : host + ':' + std::to_string(options_.port));
    request.prepare_payload();
    std::exception_ptr failure;
    std::optional<TransportResponse> response;
    io_.restart();
    asio::co_spawn(io_, exchange_on_connection(request), [&](std::exception_ptr thrown, TransportResponse received) {
      failure = thrown;
      response = std::move(received);
    });
    io_.run();
    if (!failure) return *std::move(response);
    stream_.reset();
    try {
      std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
      return to_error(error.code(), options_.host);
    } catch (const std::exception& error) {
      return Error{ErrorCode::kInternal, std::string("the HTTP library failed: ") + error.what()};
    }
  }

  asio::awaitable<TransportResponse> exchange_on_connection(Request& request) {
    if (stream_) {
      // The server may have closed the idle connection at any time. Resending is safe: reports are idempotent by their
      // id.
      try {
        co_return co_await exchange_once(request);
      } catch (const boost::system::system_error& error) {
        if (error.code() == beast::error::timeout) throw;
        stream_.reset();
      }
    }
    co_await connect();
    co_return co_await exchange_once(request);
  }

  asio::awaitable<void> connect() {
    tcp::resolver resolver(io_);
    const auto endpoints =
        co_await resolver.async_resolve(options_.host, std::to_string(options_.port), asio::use_awaitable);
    Stream& stream = stream_.emplace(io_, context_);
    buffer_.clear();
    // Server name indication, which literal addresses must not use.
    boost::system::error_code is_name;
    asio::ip::make_address(options_.host, is_name);
    if (is_name && SSL_set_tlsext_host_name(stream.native_handle(), options_.host.c_str()) != 1) {
      throw boost::system::system_error(asio::error::invalid_argument);
    }
    auto& socket = beast::get_lowest_layer(stream);
    socket.expires_after(options_.timeout);
    co_await socket.async_connect(endpoints, asio::use_awaitable);
    socket.socket().set_option(tcp::no_delay(true));
    socket.expires_after(options_.timeout);
    co_await stream.async_handshake(ssl::stream_base::client, asio::use_awaitable);
  }

  asio::awaitable<TransportResponse> exchange_once(Request& request) {
    auto& socket = beast::get_lowest_layer(*stream_);
    socket.expires_after(options_.timeout);
    co_await http::async_write(*stream_, request, asio::use_awaitable);
    http::response_parser<http::string_body> parser;
    parser.body_limit(kMaxResponseBytes);
    co_await http::async_read(*stream_, buffer_, parser, asio::use_awaitable);
    socket.expires_never();

    auto message = parser.release();
    TransportResponse response;
    response.status = message.result_int();
    response.retry_after = parse_retry_after(message[http::field::retry_after]);
    response.body = std::move(message.body());
    if (message.need_eof() || !message.keep_alive()) stream_.reset();
    co_return response;
  }

  ServerOptions options_;
  ssl::context context_;
  asio::io_context io_{1};
  std::optional<Stream> stream_;
  beast::flat_buffer buffer_;
};

Result<void> check(const ServerOptions& options) {
  if (options.host.empty() || options.port == 0 || options.timeout.count() <= 0) {
    return Error{ErrorCode::kInvalidArgument, "a server needs a host, a port and a positive timeout"};
  }
  if (options.client_certificate.empty() != options.client_key.empty()) {
    return Error{ErrorCode::kInvalidArgument, "a client's certificate and key go together"};
  }
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::all_of(options.upload_token.begin(), options.upload_token.end(), visible)) {
    return Error{ErrorCode::kInvalidArgument, "the upload token holds characters that no token has"};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Transport>> make_https_transport(const ServerOptions& options) {
  HEARSAY_CHECK_OK(check(options));
  std::string reading = options.ca_file;  // what an error is about
  try {
    ssl::context context(ssl::context::tls_client);
    if (SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION) != 1) {
      return Error{ErrorCode::kInternal, "the TLS library refuses TLS 1.2 as the lowest version"};
    }
    context.set_verify_mode(ssl::verify_peer);
    context.set_verify_callback(ssl::host_name_verification(options.host));
    if (options.ca_file.empty()) {
      context.set_default_verify_paths();
    } else {
      context.load_verify_file(options.ca_file);
    }
    if (!options.client_certificate.empty()) {
      reading = options.client_certificate;
      context.use_certificate_chain_file(options.client_certificate);
      reading = options.client_key;
      context.use_private_key_file(options.client_key, ssl::context::pem);
    }
    return std::unique_ptr<Transport>(std::make_unique<HttpsTransport>(options, std::move(context)));
  } catch (const boost::system::system_error& error) {
    return Error{ErrorCode::kIo, "cannot use the PEM file '" + reading + "': " + error.code().message()};
  }
}

}  // namespace hearsay::sdk
