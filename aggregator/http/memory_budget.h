// One bound on the memory that clients can make the server hold.
#pragma once

#include "aggregator/http/address_key.h"  // first: see there

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace hearsay::http {

// Counts the bytes of bodies and answers while the server holds them. Three limits:
//
// - All clients together hold at most `total` bytes.
// - A quarter of them is kept for trusted clients, whatever strangers hold: these get at most three quarters.
// - The strangers of one address hold at most `per_address`, except those of kUnlimitedAddress.
//
// Bodies are refused beyond a limit. Answers exist when they are counted, so they are counted beyond it too, and no new
// request is then handled.
//
// Thread-safety: all functions. While less than `per_address` and than a quarter is held, beyond() takes no lock.
class MemoryBudget {
 public:
  enum class Limit { kNone, kTotal, kAddress };
  enum class Use { kBody, kAnswer };
  struct Client {
    AddressKey address{};
    bool trusted = false;
  };

  MemoryBudget(std::size_t total, std::size_t per_address) : total_(total), per_address_(per_address) {}

  // Counts the bytes, until give_back(), unless a limit is against them. Returns that limit.
  Limit take(const Client& client, std::size_t bytes, Use use);
  // Counts the bytes of something that exists, until give_back().
  void add(const Client& client, std::size_t bytes, Use use);
  void give_back(const Client& client, std::size_t bytes, Use use);

  // Returns the limit that is exceeded already. Only what was added brings a client there.
  Limit beyond(const Client& client);

  // Bytes held now.
  std::size_t held(Use use) const { return (use == Use::kBody ? bodies_ : answers_).load(std::memory_order_relaxed); }
  // How much of their part strangers hold, or all clients of the whole, whichever is more: 1 is all of it.
  double pressure() const;
  // How often take() and beyond() returned the limit.
  std::uint64_t refusals(Limit limit) const {
    return (limit == Limit::kAddress ? address_refusals_ : total_refusals_).load(std::memory_order_relaxed);
  }

 private:
  std::size_t strangers_part() const { return total_ - total_ / 4; }
  // Need mutex_.
  Limit limit_against(const Client& client, std::size_t bytes) const;
  void count(const Client& client, std::size_t bytes, Use use);
  Limit refused(Limit limit);

  const std::size_t total_;
  const std::size_t per_address_;
  std::mutex mutex_;
  std::map<AddressKey, std::size_t> addresses_;  // strangers' that hold something
  // Written with mutex_ held.
  std::atomic<std::size_t> strangers_ = 0;
  std::atomic<std::size_t> trusted_ = 0;
  std::atomic<std::size_t> bodies_ = 0;
  std::atomic<std::size_t> answers_ = 0;
  std::atomic<std::uint64_t> total_refusals_ = 0;
  std::atomic<std::uint64_t> address_refusals_ = 0;
};

// What one connection holds of a budget for one use. Gives it back when destroyed.
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
  // Whose share it is, while it holds nothing.
  void set_address(const AddressKey& address) { client_.address = address; }
  // From now on the share is a trusted client's, or a stranger's.
  void trust(bool trusted);
  // Grows or shrinks to so many bytes. If a limit is against it, returns the limit, and the share stays as it is.
  MemoryBudget::Limit resize(std::size_t bytes);
  // Adds the bytes of something that exists.
  void add(std::size_t bytes);
  void release() { resize(0); }

 private:
  const std::shared_ptr<MemoryBudget> budget_;
  MemoryBudget::Client client_;
  const MemoryBudget::Use use_;
  std::size_t held_ = 0;
};

}  // namespace hearsay::http
