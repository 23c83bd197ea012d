// Reads a connection's requests, one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "aggregator/http/request_buffer.h"
#include "aggregator/http/request_parser.h"

namespace hearsay::http {

// Collects bytes until a head, and then a body, is complete, and holds both against the server's limits. A connection
// calls, for each request: read_head() until complete, begin_body(), read_body() until complete, release_body(),
// next_request(). Thread-safety: the worker's thread only; the destructor may run anywhere.
class RequestReader {
 public:
  struct Complete {};
  // Complete: the head or body is there. Refusal: the request must not go on. IoResult: more bytes are needed; kDone
  // means that some have come.
  using Step = std::variant<IoResult, Complete, Refusal>;

  // `worker` outlives the last call, `transport` the object.
  RequestReader(Worker& worker, Transport& transport) : options_(worker.state().options), buffer_(worker, transport) {}

  Step read_head();
  // Complete if the whole body is here already, or there is none.
  Step begin_body();
  Step read_body();
  // Bytes of the body so far.
  std::size_t body_received() const;

  // Absent until a head is complete.
  const std::optional<RequestParser>& parser() const { return parser_; }
  // Returns true if nothing of a next request, or of a body, is here.
  bool empty() const { return buffer_.empty(); }

  // Reads and forgets some of `left` bytes of a refused request's body, and counts them down.
  IoResult discard(std::size_t& left) { return buffer_.discard(left); }
  // Gives up the body's memory: its answer is here.
  void release_body() { buffer_.release_body(); }
  // Forgets the request. Bytes that came behind it stay.
  void next_request();
  // Returns the buffer to the worker, while nothing is in it.
  void release_buffer() { buffer_.give_back(); }

 private:
  Step read_sized();
  Step read_chunked();

  const HttpServerOptions& options_;
  RequestBuffer buffer_;
  HeadScanner scanner_;
  std::optional<RequestParser> parser_;  // its views are into the buffer and into itself
};

}  // namespace hearsay::http
