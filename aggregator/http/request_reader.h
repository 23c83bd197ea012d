// Reads the requests of a connection, one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "aggregator/http/memory_budget.h"
#include "aggregator/http/request_parser.h"
#include "aggregator/http/transport.h"
#include "aggregator/http/worker.h"

namespace hearsay::http {

// Returns the 503 for a request for which the budget has no room.
Refusal no_room(MemoryBudget::Limit limit);

// Collects bytes until a head, and then a body, is complete. Checks head and body against the server's limits. For each
// request, call read_head() until Complete, begin_body(), read_body() until Complete, release_body(), and
// next_request().
//
// The worker lends a buffer for each request. A head, and a body that fits behind it, stay in this buffer. A larger
// body gets memory of its own, which counts against the server's budget as its bytes arrive. A buffer that has grown
// counts, too. The request's views are valid until release_body().
//
// Thread-safety: the worker's thread only. The destructor may run on any thread, even after the worker is gone.
class RequestReader {
 public:
  struct Complete {};
  // Complete: the head or body is complete. Refusal: the server must refuse the request. IoResult: more bytes are
  // needed; kDone means that some have come.
  using Step = std::variant<IoResult, Complete, Refusal>;

  // `worker` must outlive the last call, and `transport` must outlive this object.
  RequestReader(Worker& worker, Transport& transport, const AddressKey& address)
      : worker_(worker),
        options_(worker.state().options),
        transport_(transport),
        share_(worker.state().memory, address, MemoryBudget::Use::kBody) {}
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  Step read_head();
  // Sets the address for which bodies count. Call this before the first byte is read.
  void set_address(const AddressKey& address) { share_.set_address(address); }
  // Sets whether the client of the request is trusted.
  void trust(bool trusted) { share_.trust(trusted); }
  const MemoryBudget::Client& client() const { return share_.client(); }
  // Begins to read the body. Returns Complete if the whole body was read with the head, or if the request has no body.
  Step begin_body();
  Step read_body();
  // Returns how many bytes of the body have come.
  std::size_t body_received() const;

  // Returns nothing until a head is complete.
  const std::optional<RequestParser>& parser() const { return parser_; }
  // Returns true if there are no unused bytes.
  bool empty() const { return begin_ == end_; }

  // Reads and drops bytes of a refused request's body. `left` is the number of bytes that are still to be dropped;
  // discard() reduces `left`.
  IoResult discard(std::size_t& left);
  // Releases the body's memory. Call this when the request is answered.
  void release_body();
  // Makes the reader ready for the next request. Keeps the bytes that came behind the answered request.
  void next_request();
  // Gives the buffer back to the worker. Unused bytes are lost.
  void release_buffer();

 private:
  std::string_view unused() const { return {input_.data() + begin_, end_ - begin_}; }
  Step read_sized();
  Step read_chunked();
  IoResult read_input();
  IoResult append_to(std::string& bytes, std::size_t most);
  std::size_t buffered() const;  // a body or buffer of at most Worker::kInputBytes does not count
  // Counts buffered() against the budget. Returns the refusal if there is no room.
  std::optional<Refusal> count();

  Worker& worker_;
  const HttpServerOptions& options_;
  Transport& transport_;
  MemoryShare share_;

  std::vector<char> input_;  // lent by the worker; the bytes in [begin_, end_) are not used yet
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  HeadScanner scanner_;
  std::optional<RequestParser> parser_;  // has views into input_ and into itself

  // True if the body is in body_, not in input_.
  bool large_ = false;
  std::string body_;  // a large body of known size
  // Bytes of a chunked body, or behind this body, that the parser has not used yet.
  std::string chunks_;
};

}  // namespace hearsay::http
