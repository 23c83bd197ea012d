// Bounds the memory that clients can make the server hold.
#pragma once

#include "aggregator/http/address_key.h"  // first, because Asio needs <utility> before it

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace hearsay::http {

// Counts the bytes of bodies and answers while the server holds them. Clients that are not trusted are called
// strangers. There are three limits:
//
// - All clients together hold at most `total` bytes.
// - A quarter of `total` is kept for trusted clients. All strangers together hold at most three quarters.
// - The strangers of one address hold at most `per_address`. kUnlimitedAddress has no such limit.
//
// take() refuses bodies beyond a limit. An answer exists already when it is counted, so answers may exceed a limit.
// Then beyond() returns this limit, and the server should handle no new request of the client.
//
// Thread-safe. beyond() takes no lock while all clients together hold at most the smaller of `per_address` and a
// quarter of `total`.
class MemoryBudget {
 public:
  enum class Limit { kNone, kTotal, kAddress };
  enum class Use { kBody, kAnswer };
  struct Client {
    AddressKey address{};
    bool trusted = false;
  };

  MemoryBudget(std::size_t total, std::size_t per_address) : total_(total), per_address_(per_address) {}

  // Counts the bytes until give_back(). If a limit is reached, counts nothing and returns the limit.
  Limit take(const Client& client, std::size_t bytes, Use use);
  // Counts bytes that are in memory already, until give_back().
  void add(const Client& client, std::size_t bytes, Use use);
  void give_back(const Client& client, std::size_t bytes, Use use);

  // Returns the limit that the client has exceeded, or kNone. Only add() can exceed a limit.
  Limit beyond(const Client& client);

  // Returns the bytes held now.
  std::size_t held(Use use) const { return (use == Use::kBody ? bodies_ : answers_).load(std::memory_order_relaxed); }
  // Returns the larger of two ratios: the bytes of strangers to their three quarters, and the bytes of all clients to
  // `total`.
  double pressure() const;
  // Returns how often take() and beyond() returned `limit`.
  std::uint64_t refusals(Limit limit) const {
    return (limit == Limit::kAddress ? address_refusals_ : total_refusals_).load(std::memory_order_relaxed);
  }

 private:
  std::size_t strangers_part() const { return total_ - total_ / 4; }
  // The following three functions need mutex_.
  Limit limit_against(const Client& client, std::size_t bytes) const;
  void count(const Client& client, std::size_t bytes, Use use);
  Limit refused(Limit limit);

  const std::size_t total_;
  const std::size_t per_address_;
  std::mutex mutex_;
  // How many bytes the strangers of each address hold.
  std::map<AddressKey, std::size_t> addresses_;
  // These counters are written only with mutex_ held.
  std::atomic<std::size_t> strangers_ = 0;
  std::atomic<std::size_t> trusted_ = 0;
  std::atomic<std::size_t> bodies_ = 0;
  std::atomic<std::size_t> answers_ = 0;
  std::atomic<std::uint64_t> total_refusals_ = 0;
  std::atomic<std::uint64_t> address_refusals_ = 0;
};

// The part of a budget that one connection holds for one use. The destructor gives the part back.
//
// Thread-safety: one thread at a time.
class MemoryShare {
 public:
  MemoryShare(std::shared_ptr<MemoryBudget> budget, const AddressKey& address, MemoryBudget::Use use)
      : budget_(std::move(budget)), client_{address}, use_(use) {}
  ~MemoryShare() { release(); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  const MemoryBudget::Client& client() const { return client_; }
  // Sets the address for which the share counts. Call this while the share holds nothing.
  void set_address(const AddressKey& address) { client_.address = address; }
  // Makes the share count for a trusted client or for a stranger.
  void trust(bool trusted);
  // Makes the share hold `bytes` bytes. If a limit is reached, returns the limit and leaves the share as it is.
  MemoryBudget::Limit resize(std::size_t bytes);
  // Adds bytes that are in memory already, even beyond a limit.
  void add(std::size_t bytes);
  void release() { resize(0); }

 private:
  const std::shared_ptr<MemoryBudget> budget_;
  MemoryBudget::Client client_;
  const MemoryBudget::Use use_;
  std::size_t held_ = 0;
};

}  // namespace hearsay::http
