// Reads a connection's requests, one after the other.
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

// Returns 503, for a request that the budget has no room for.
Refusal no_room(MemoryBudget::Limit limit);

// Collects bytes until a head, and then a body, is complete, and checks both against the server's limits. For each
// request a connection calls read_head() until complete, begin_body(), read_body() until complete, release_body(),
// next_request().
//
// A head, and a body that fits behind it, stay in one buffer that the worker lends while a request is under way. A
// larger body gets memory of its own, which counts against the server's budget as its bytes arrive. So does a buffer
// that had to grow. The request's views are valid until release_body().
//
// Thread-safety: the worker's thread only. The destructor may run anywhere, also after the worker is gone.
class RequestReader {
 public:
  struct Complete {};
  // Complete: the head or body is there. Refusal: the request must not go on. IoResult: more bytes are needed; kDone
  // means that some have come.
  using Step = std::variant<IoResult, Complete, Refusal>;

  // `worker` must outlive the last call, `transport` this object.
  RequestReader(Worker& worker, Transport& transport, const AddressKey& address)
      : worker_(worker),
        options_(worker.state().options),
        transport_(transport),
        share_(worker.state().memory, address, MemoryBudget::Use::kBody) {}
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  Step read_head();
  // Says which address bodies count for. Call this before the first byte is read.
  void set_address(const AddressKey& address) { share_.set_address(address); }
  // Says whether the request's body is a trusted client's.
  void trust(bool trusted) { share_.trust(trusted); }
  const MemoryBudget::Client& client() const { return share_.client(); }
  // Begins the body. Returns Complete if the whole body is here already, or if there is none.
  Step begin_body();
  Step read_body();
  // Returns the bytes of the body so far.
  std::size_t body_received() const;

  // Absent until a head is complete.
  const std::optional<RequestParser>& parser() const { return parser_; }
  // Returns true if no byte of a further request, or of a body, is here.
  bool empty() const { return begin_ == end_; }

  // Reads and drops some of the `left` bytes of a refused request's body. Subtracts them from `left`.
  IoResult discard(std::size_t& left);
  // Releases the body's memory. Call this when the answer is here.
  void release_body();
  // Forgets the request. Keeps bytes that came behind it.
  void next_request();
  // Returns the buffer to the worker, if nothing is in it.
  void release_buffer();

 private:
  std::string_view unused() const { return {input_.data() + begin_, end_ - begin_}; }
  Step read_sized();
  Step read_chunked();
  IoResult read_input();
  IoResult append_to(std::string& bytes, std::size_t most);
  std::size_t buffered() const;  // without a body and a buffer of up to Worker::kInputBytes each
  // Counts what is buffered against the budget. Returns the refusal if there is no room.
  std::optional<Refusal> count();

  Worker& worker_;
  const HttpServerOptions& options_;
  Transport& transport_;
  MemoryShare share_;

  std::vector<char> input_;  // lent by the worker; the bytes [begin_, end_) are not yet used up
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  HeadScanner scanner_;
  std::optional<RequestParser> parser_;  // its views are into input_ and into itself

  // True if the body is in body_, not in input_.
  bool large_ = false;
  std::string body_;  // of known size
  // Bytes of a chunked body, and of what follows it, that the parser has not used yet.
  std::string chunks_;
};

}  // namespace hearsay::http
