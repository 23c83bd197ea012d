#include "aggregator/http/response_writer.h"

#include <doctest/doctest.h>

namespace hearsay::http {
namespace {

std::string write(const HttpResponse& response, const ResponseFraming& framing = {}) {
  std::string out;
  const auto body = write_head(response, framing, "DATE", out);
  REQUIRE(body);
  return out.append(*body);
}

TEST_CASE("a plain response has exactly the expected bytes") {
  HttpResponse response;
  response.body = "{}";
  response.headers = {{"Retry-After", "3"}};
  CHECK(write(response) ==
        "HTTP/1.1 200 OK\r\nDate: DATE\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
        "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nRetry-After: 3\r\n\r\n{}");
}

TEST_CASE("the writer adds Content-Length, and where needed Connection and Strict-Transport-Security") {
  HttpResponse response;
  response.body = "body";
  CHECK(write(response, {.tls = true}).find("\r\nStrict-Transport-Security: max-age=31536000\r\n") !=
        std::string::npos);
  CHECK(write(response).find("Strict-Transport-Security") == std::string::npos);
  CHECK(write(response, {.keep_alive = false}).find("\r\nConnection: close\r\n") != std::string::npos);
  CHECK(write(response, {.http_1_0 = true}).find("\r\nConnection: keep-alive\r\n") != std::string::npos);
  CHECK(write(response).find("Connection:") == std::string::npos);
  const std::string head = write(response, {.head_method = true});
  CHECK(head.ends_with("\r\n\r\n"));
  CHECK(head.find("\r\nContent-Length: 4\r\n") != std::string::npos);
}

TEST_CASE("answers with status 204 and 304 have neither body nor length") {
  for (const unsigned status : {204U, 304U}) {
    HttpResponse response;
    response.status = status;
    response.body = "ignored";
    const std::string out = write(response);
    CHECK(out.ends_with("\r\n\r\n"));
    CHECK(out.find("Content-") == out.find("Content-Type-Options"));
    CHECK(out.find("ignored") == std::string::npos);
  }
}

TEST_CASE("handlers cannot replace the header fields that the server sets") {
  HttpResponse response;
  response.headers = {{"content-length", "99"}, {"CONNECTION", "upgrade"}, {"Cache-Control", "public"}, {"ETag", "x"}};
  const std::string out = write(response);
  CHECK(out.find("99") == std::string::npos);
  CHECK(out.find("upgrade") == std::string::npos);
  CHECK(out.find("public") == std::string::npos);
  CHECK(out.find("\r\nETag: x\r\n") != std::string::npos);
}

TEST_CASE("an answer that would not be valid HTTP is refused whole") {
  const auto refused = [](const HttpResponse& response) {
    std::string out = "before";
    const bool written = write_head(response, {}, "DATE", out).has_value();
    CHECK(out == (written ? out : "before"));
    return !written;
  };
  for (const unsigned status : {0U, 100U, 199U, 600U}) CHECK(refused({.status = status}));
  CHECK(refused({.content_type = "a\r\nb: c"}));
  CHECK(refused({.headers = {{"Location", "x\r\nSet-Cookie: y"}}}));
  CHECK(refused({.headers = {{"Loc\nation", "x"}}}));
  CHECK(refused({.headers = {{"", "x"}}}));
  CHECK(refused({.headers = {{"a b", "x"}}}));
  CHECK_FALSE(refused({.status = 599}));
}

TEST_CASE("dates in headers have the form of RFC 9110") {
  CHECK(format_http_date(784'111'777) == "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110 has this example
  CHECK(format_http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(format_http_date(1'709'164'800) == "Thu, 29 Feb 2024 00:00:00 GMT");
}

}  // namespace
}  // namespace hearsay::http
