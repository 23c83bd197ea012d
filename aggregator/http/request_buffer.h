// What a connection has received and not yet used up: a request's head, its body, and what came behind them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/http/transport.h"
#include "aggregator/http/worker.h"

namespace hearsay::http {

// Heads, and bodies that fit behind them, stay in one buffer that the worker lends while a request is under way. Larger
// bodies get memory of their own, for which a share of the server's budget is taken first. Views into the object hold
// until next_request(). The worker's thread only; the destructor may run anywhere, also after the worker is gone.
class RequestBuffer {
 public:
  // `worker` outlives the last call, `transport` the object.
  RequestBuffer(Worker& worker, Transport& transport)
      : worker_(worker), transport_(transport), bodies_(worker.state().bodies) {}
  ~RequestBuffer() { bodies_->give_back(reserved_); }
  RequestBuffer(const RequestBuffer&) = delete;
  RequestBuffer& operator=(const RequestBuffer&) = delete;

  std::string_view unused() const { return {input_.data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  void use_up(std::size_t bytes) { begin_ += bytes; }

  // Reads behind what is there, growing the buffer. Only while nobody has views into it: before a head is taken.
  IoResult read_head();

  // A body of so many bytes follows. False if the budget has no room for it.
  bool expect_body(std::size_t size);
  // Bytes of it that are here, up to its size and possibly, in the shared buffer, beyond.
  std::size_t body_received() const { return large_ ? body_.size() : end_ - begin_; }
  bool has_body() const { return body_received() >= body_size_; }
  IoResult read_body();
  // The whole body, used up.
  std::string_view take_body();
  // Reads and forgets some of `left` bytes of a body that nobody wants, and counts them down.
  IoResult discard(std::size_t& left);

  // A chunked body follows; its bytes as they travel go through chunks(), from which the parser takes them away.
  void expect_chunks();
  std::string& chunks() { return chunks_; }
  IoResult read_chunks();
  // Takes a share of the budget for `size` bytes parsed so far. False if there is no room.
  bool reserve(std::size_t size);

  // After the answer: forgets the body, moves what came behind it to the front.
  void release_body();
  void next_request();
  // Nobody has views into it.
  void give_back();

 private:
  IoResult read_input();

  Worker& worker_;
  Transport& transport_;
  const std::shared_ptr<BodyBudget> bodies_;

  std::vector<char> input_;  // lent by the worker; the bytes [begin_, end_) are not yet used up
  std::size_t begin_ = 0;
  std::size_t end_ = 0;

  std::size_t body_size_ = 0;  // as announced
  bool large_ = false;         // the body is in body_, not in input_
  std::string body_;
  std::string chunks_;
  std::size_t reserved_ = 0;  // of the budget
};

}  // namespace hearsay::http
