#include "aggregator/http/request_parser.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace hearsay::http {
namespace {

using State = HeadScanner::State;

std::pair<State, std::size_t> scan_slowly(std::string_view text) {
  HeadScanner scanner;
  State state = State::kIncomplete;
  for (std::size_t size = 0; size <= text.size() && state == State::kIncomplete; ++size) {
    state = scanner.scan(text.substr(0, size));
  }
  return {state, scanner.end()};
}

std::pair<State, std::size_t> scan_at_once(std::string_view text) {
  HeadScanner scanner;
  const State state = scanner.scan(text);
  return {state, scanner.end()};
}

TEST_CASE("the scanner finds the same end of a head, however the bytes arrive") {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  CHECK(scan_at_once(head + "body") == std::pair(State::kComplete, head.size()));
  CHECK(scan_slowly(head + "body") == std::pair(State::kComplete, head.size()));
  CHECK(scan_at_once("\r\n" + head) == std::pair(State::kComplete, head.size() + 2));
  CHECK(scan_slowly("\r\n" + head) == std::pair(State::kComplete, head.size() + 2));
  for (std::size_t size = 0; size < head.size(); ++size) {
    CHECK(scan_at_once(head.substr(0, size)).first == State::kIncomplete);
  }
  HeadScanner scanner;
  REQUIRE(scanner.scan("\r\n" + head) == State::kComplete);
  CHECK(scanner.head("\r\n" + head) == head);
}

TEST_CASE("the scanner refuses heads that different parsers understand in different ways") {
  const std::vector<std::string> table = {
      "\r\n\r\nGET / HTTP/1.1\r\n",                         // two empty lines before the request
      "\nGET / HTTP/1.1\r\n",                               // LF without CR at the beginning
      "GET / HTTP/1.1\nHost: a\n\n",                        // LF without CR
      "GET / HTTP/1.1\r\nHost: a\r\nX: 1\n\r\n",            // one LF without CR
      "GET / HTTP/1.1\rHost: a\r\n\r\n",                    // CR without LF
      "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",                // two CRs
      "GET / HTTP/1.1\r\nHost: a\r\n b: c\r\n\r\n",         // a line folded with a space
      "GET / HTTP/1.1\r\nHost: a\r\n\tb\r\n\r\n",           // a line folded with a tab
      " GET / HTTP/1.1\r\n",                                // white space at the beginning
      std::string("GET / HTTP/1.1\r\nHost: a\0b\r\n", 26),  // NUL
      "GET / HTTP/1.1\r\nHost: a\x7f\r\n",                  // DEL
      "\x16\x03\x01\x02",                                   // a TLS hello on a plain port
  };
  for (const std::string& text : table) {
    CAPTURE(text);
    CHECK(scan_at_once(text).first == State::kMalformed);
    CHECK(scan_slowly(text).first == State::kMalformed);
  }
}

TEST_CASE("targets are split into a decoded path and a raw query") {
  struct Row {
    const char* target;
    const char* path;
    const char* query;
  };
  const Row table[] = {
      {"/", "/", ""},
      {"/v1/tasks?limit=3&x=%20", "/v1/tasks", "limit=3&x=%20"},
      {"/a%20b%2Dc%c3%a9", "/a b-c\xc3\xa9", ""},
      {"/a?b?c", "/a", "b?c"},
      {"/a?", "/a", ""},
      {"http://host/x?y", "/x", "y"},
      {"HTTPS://host:1", "/", ""},
      {"http://host?q", "/", "q"},
      {"//two", "//two", ""},
  };
  for (const Row& row : table) {
    CAPTURE(row.target);
    const auto target = split_target(row.target);
    REQUIRE(target);
    std::string storage;
    CHECK(percent_decode(target->path, storage) == row.path);
    CHECK(target->query == row.query);
  }
}

TEST_CASE("other request targets are refused") {
  for (const char* target : {"*", "host:443", "a", "/%", "/%2", "/%zz", "/%2g", "/%00", "/%0a", "/%7F", "/a%2Fb",
                             "/a%2fb", "/a#b", "/a?b#c", "http://", "http:///x", "ftp://host/x", "http://host#x", ""}) {
    CAPTURE(target);
    const auto parts = split_target(target);
    std::string storage;
    CHECK_FALSE((parts && percent_decode(parts->path, storage)));
  }
}

TEST_CASE("the parser returns the header fields that handlers need") {
  RequestParser parser(100);
  REQUIRE(
      parser.put_head("HEAD /p?q HTTP/1.1\r\nhOST: a\r\nContent-Type:\t Text/Plain ; charset=\"x\" \r\n"
                      "Accept: a/b\r\naccept: c/d\r\nAuthorization:  Bearer x \r\nContent-Encoding: identity\r\n"
                      "Origin: https://b\r\n\r\n"));
  CHECK(parser.is_done());
  CHECK(parser.is_head_method());
  CHECK(parser.keep_alive());
  CHECK_FALSE(parser.is_http_1_0());
  const HttpRequest& request = parser.request();
  CHECK(request.method == "GET");
  CHECK(request.path == "/p");
  CHECK(request.query == "q");
  CHECK(request.content_type == "Text/Plain ; charset=\"x\"");
  CHECK(request.accept == "a/b, c/d");
  CHECK(request.authorization == "Bearer x");
  CHECK(request.host == "a");
  CHECK(request.origin == "https://b");
}

// Gives the parser `body` in pieces of `step` bytes. Returns the bytes that the parser does not use.
std::string feed_chunked(RequestParser& parser, std::string_view body, std::size_t step) {
  REQUIRE(parser.put_head("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  std::string buffer;
  while (!body.empty() && !parser.is_done() && !parser.refusal()) {
    buffer += body.substr(0, step);
    body.remove_prefix(std::min(step, body.size()));
    buffer.erase(0, parser.put_chunked(buffer));
  }
  return buffer + std::string(body);
}

TEST_CASE("chunked bodies in pieces of any size are read whole, and the bytes after them are left") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"0\r\n\r\n", ""},
      {"5\r\nhello\r\n0\r\n\r\n", "hello"},
      {"1\r\nh\r\n0A\r\nello world\r\n000\r\n\r\n", "hello world"},
      {"3\r\n\r\n\r\r\n0\r\n\r\n", "\r\n\r"},
  };
  for (const auto& row : table) {
    const std::string& text = row.first;
    for (std::size_t step = 1; step <= text.size() + 3; ++step) {
      CAPTURE(text);
      CAPTURE(step);
      RequestParser parser(20);
      const std::string rest = feed_chunked(parser, text + "GET", step);
      REQUIRE_FALSE(parser.refusal());
      CHECK(parser.is_done());
      CHECK(parser.request().body == row.second);
      CHECK(rest == "GET");
    }
  }
}

TEST_CASE("malformed chunks are refused, and too many bytes get a 413") {
  const std::vector<std::pair<std::string, unsigned>> table = {
      {"5\nhello\r\n0\r\n\r\n", 400},
      {"x\r\nhello\r\n", 400},
      {"-1\r\nhello\r\n", 400},
      {"5 \r\nhello\r\n0\r\n\r\n", 400},
      {"0x5\r\nhello\r\n0\r\n\r\n", 400},
      {"5\r\nhelloX\r\n0\r\n\r\n", 400},
      {"5\r\nhello0\r\n\r\n", 400},
      {"FFFFFFFFFFFFFFFFF\r\nhello\r\n", 400},
      {"5;\r\nhello\r\n0\r\n\r\n", 400},
      {"5\r\nhello\r\n0\r\nbad trailer\r\n\r\n", 400},
      {"5\r\nhello\r\n0\r\nAuthorization: Bearer forged\r\n\r\n", 400},
      {"5\r\nhello\r\n0\r\nfolded: a\r\n b\r\n\r\n", 400},
      {"5\r\nhello\r\n0\r\n folded\r\n\r\n", 400},
      {"5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n", 400},
      {"5\rhello\r\n0\r\n\r\n", 400},
      {"00000000000000005\r\nhello\r\n0\r\n\r\n", 400},
      {"5\r\nhello\r\n0\n\r\n", 400},
      {"5\r\nhello\r\n0\r\n\n", 400},
      {"5\r\nhello\n0\r\n\r\n", 400},
      {"15\r\n", 413},
      {"FFFFFFFFFFFFFFFF\r\nhello\r\n", 413},
      {"A\r\n0123456789\r\nB\r\n0123456789a\r\n", 413},
  };
  for (const auto& row : table) {
    const std::string& text = row.first;
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, text.size()}) {
      CAPTURE(text);
      CAPTURE(step);
      RequestParser parser(20);
      feed_chunked(parser, text + "XXXXX", step);
      REQUIRE(parser.refusal());
      CHECK(parser.refusal()->status == row.second);
    }
  }
}

TEST_CASE("chunks have no extensions, and the first wrong byte around a chunk is refused at once") {
  using namespace std::string_literals;
  for (const std::string& size : {"5"s, "0"s}) {
    for (const std::string& before : {""s, "1\r\nx\r\n"s}) {
      for (const std::string& bad : {";"s, ";a"s, ";a=b"s, ";a=\"b\""s, ";a=\"\n\""s, ";a=\"\0\""s, " "s, "\t"s, "\n"s,
                                     "\r\r"s, "\0"s, "\r\0"s}) {
        const std::string body = before + size + bad;
        for (const std::size_t step : {std::size_t{1}, body.size()}) {
          CAPTURE(body);
          RequestParser parser(20);
          feed_chunked(parser, body, step);  // the client sends nothing more
          REQUIRE(parser.refusal());
          CHECK(parser.refusal()->status == 400);
        }
      }
    }
  }
  for (const std::string& trailer : {"\n"s, "\0"s, "X"s, "X: y\r\n\r\n"s, "\r\0"s, "\r\r"s}) {
    CAPTURE(trailer);
    RequestParser parser(20);
    feed_chunked(parser, "0\r\n" + trailer, 1);
    CHECK(parser.refusal());
  }
}

}  // namespace
}  // namespace hearsay::http
