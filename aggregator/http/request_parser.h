// Reads one HTTP/1.x request strictly. Needs no sockets.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/http/message.h"
#include "hearsay/error.h"

namespace hearsay::http {

// Why the server itself refuses a request, and the status of the answer.
struct Refusal {
  unsigned status;
  Error error;
};

// Finds the end of a request's head in a growing buffer. Refuses bare CR or LF, folded lines and control characters:
// lenient parsers read these differently, and the differences make request smuggling possible. The time is linear in
// the number of bytes, even if the bytes arrive one by one.
class HeadScanner {
 public:
  enum class State { kIncomplete, kComplete, kMalformed };

  // Scans on. `buffer` must hold all bytes since the last request, also the bytes of earlier calls.
  State scan(std::string_view buffer);
  // Returns how many bytes were scanned. After kComplete, this is the position of the head's end.
  std::size_t end() const { return end_; }
  // Returns the head after kComplete, from the request line to the empty line. Skips one empty line before the request
  // line (RFC 9112, 2.2).
  std::string_view head(std::string_view buffer) const { return buffer.substr(begin_, end_ - begin_); }

 private:
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t line_begin_ = 0;
};

// Parses a head, and then a chunked body, into an HttpRequest. The base class, Beast's parser, knows the grammar. This
// class adds rules of RFC 9110 and 9112 that Beast leaves to its caller. One object parses one request. The request's
// views point into the given head and into the object.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  explicit RequestParser(std::size_t max_body_bytes);

  // Takes the complete head that HeadScanner found. Returns false if the request is refused, see refusal().
  bool put_head(std::string_view head);
  // Takes bytes of a chunked body, and returns how many bytes it used. Afterwards is_done() is true if the body is
  // complete, and refusal() is set if the body is malformed or too large.
  std::size_t put_chunked(std::string_view bytes);

  const std::optional<Refusal>& refusal() const { return refusal_; }
  // Returns true if the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  // Returns the value of Content-Length; nothing for a chunked body, and for a request without a body.
  std::optional<std::uint64_t> body_size() const { return request_.body_size; }
  // Returns the part of a chunked body that has come. A complete chunked body becomes the request's body.
  const std::string& chunked_body() const { return chunked_body_; }
  // Releases the body's memory.
  void release_body() {
    std::string().swap(chunked_body_);
    request_.body = {};
  }
  // Returns true for HEAD: the server sends the response without its body.
  bool is_head_method() const { return is_head_method_; }
  bool is_http_1_0() const { return version_ == 10; }
  HttpRequest& request() { return request_; }
  const HttpRequest& request() const { return request_; }

 private:
  using verb = boost::beast::http::verb;
  using field = boost::beast::http::field;
  using string_view = boost::beast::string_view;
  using error_code = boost::beast::error_code;

  void on_request_impl(verb method, string_view method_text, string_view target, int version, error_code& ec) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(field name, string_view name_text, string_view value, error_code& ec) override;
  void on_header_impl(error_code& ec) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  // RequestReader reads a body of known length itself.
  std::size_t on_body_impl(string_view, error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code&) override { chunk_left_ = size; }
  std::size_t on_chunk_body_impl(std::uint64_t remaining, string_view bytes, error_code&) override;
  void on_finish_impl(error_code&) override { request_.body = chunked_body_; }

  void refuse(error_code& ec, unsigned status, ErrorCode code, std::string message);
  void refuse_by(const error_code& ec);

  HttpRequest request_;
  std::optional<Refusal> refusal_;
  std::size_t max_body_bytes_;
  std::string path_;    // the decoded path, if the target has escapes
  std::string accept_;  // the joined values, if there are several Accept fields
  std::string chunked_body_;
  std::uint64_t chunk_left_ = 0;
  // True after the first chunk: a line end must come before the next size.
  bool behind_chunk_ = false;
  int version_ = 11;
  unsigned hosts_ = 0;
  bool is_head_method_ = false;
  bool expects_continue_ = false;
  bool has_coding_ = false;
  bool has_content_type_ = false;
  bool has_authorization_ = false;
  bool has_origin_ = false;
};

// Splits a request target, in origin or absolute form, into the path and the query. Returns nothing for another form,
// and for a target with a fragment.
struct Target {
  std::string_view path;  // not decoded
  std::string_view query;
};
std::optional<Target> split_target(std::string_view target);

// Decodes percent escapes. Returns a text without escapes unchanged. Decodes any other text into `storage`. Returns
// nothing if an escape is invalid, or decodes to '/' or a control character.
std::optional<std::string_view> percent_decode(std::string_view text, std::string& storage);

}  // namespace hearsay::http
