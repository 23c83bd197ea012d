#include "aggregator/http/memory_budget.h"

#include <algorithm>

namespace hearsay::http {

namespace {

bool exceeds(std::size_t held, std::size_t bytes, std::size_t limit) { return held > limit || bytes > limit - held; }

bool is_bounded_by_address(const MemoryBudget::Client& client) {
  return !client.trusted && client.address != kUnlimitedAddress;
}

}  // namespace

MemoryBudget::Limit MemoryBudget::limit_against(const Client& client, std::size_t bytes) const {
  const bool full = exceeds(strangers_ + trusted_, bytes, total_);
  if (client.trusted) return full && exceeds(trusted_, bytes, total_ / 4) ? Limit::kTotal : Limit::kNone;
  if (full) return Limit::kTotal;
  if (is_bounded_by_address(client)) {
    const auto address = addresses_.find(client.address);
    if (exceeds(address == addresses_.end() ? 0 : address->second, bytes, per_address_)) return Limit::kAddress;
  }
  return exceeds(strangers_, bytes, strangers_part()) ? Limit::kTotal : Limit::kNone;
}

void MemoryBudget::count(const Client& client, std::size_t bytes, Use use) {
  // This insertion comes first, because only this insertion may throw.
  if (is_bounded_by_address(client)) addresses_[client.address] += bytes;
  (client.trusted ? trusted_ : strangers_) += bytes;
  (use == Use::kBody ? bodies_ : answers_) += bytes;
}

MemoryBudget::Limit MemoryBudget::refused(Limit limit) {
  if (limit == Limit::kTotal) ++total_refusals_;
  if (limit == Limit::kAddress) ++address_refusals_;
  return limit;
}

MemoryBudget::Limit MemoryBudget::take(const Client& client, std::size_t bytes, Use use) {
  const std::lock_guard lock(mutex_);
  const Limit limit = refused(limit_against(client, bytes));
  if (limit == Limit::kNone) count(client, bytes, use);
  return limit;
}

void MemoryBudget::add(const Client& client, std::size_t bytes, Use use) {
  const std::lock_guard lock(mutex_);
  count(client, bytes, use);
}

void MemoryBudget::give_back(const Client& client, std::size_t bytes, Use use) {
  const std::lock_guard lock(mutex_);
  (client.trusted ? trusted_ : strangers_) -= bytes;
  (use == Use::kBody ? bodies_ : answers_) -= bytes;
  if (!is_bounded_by_address(client)) return;
  const auto address = addresses_.find(client.address);
  address->second -= bytes;
  if (address->second == 0) addresses_.erase(address);
}

MemoryBudget::Limit MemoryBudget::beyond(const Client& client) {
  const std::size_t held = strangers_.load(std::memory_order_relaxed) + trusted_.load(std::memory_order_relaxed);
  if (held <= std::min(per_address_, total_ / 4)) return Limit::kNone;
  const std::lock_guard lock(mutex_);
  return refused(limit_against(client, 0));
}

double MemoryBudget::pressure() const {
  const auto part = [](std::size_t held, std::size_t limit) {
    return static_cast<double>(held) / static_cast<double>(std::max<std::size_t>(limit, 1));
  };
  const std::size_t strangers = strangers_.load(std::memory_order_relaxed);
  return std::max(part(strangers, strangers_part()),
                  part(strangers + trusted_.load(std::memory_order_relaxed), total_));
}

void MemoryShare::trust(bool trusted) {
  if (client_.trusted == trusted) return;
  const std::size_t held = held_;
  release();
  client_.trusted = trusted;
  add(held);
}

MemoryBudget::Limit MemoryShare::resize(std::size_t bytes) {
  if (bytes > held_) {
    const auto limit = budget_->take(client_, bytes - held_, use_);
    if (limit != MemoryBudget::Limit::kNone) return limit;
  } else if (bytes < held_) {
    budget_->give_back(client_, held_ - bytes, use_);
  }
  held_ = bytes;
  return MemoryBudget::Limit::kNone;
}

void MemoryShare::add(std::size_t bytes) {
  if (bytes == 0) return;
  budget_->add(client_, bytes, use_);
  held_ += bytes;
}

}  // namespace hearsay::http
