#include "sdk/client/flushes.h"

#include <algorithm>

namespace hearsay::sdk {

Flushes& Flushes::of_process() {
  static auto& flushes = *new Flushes;
  return flushes;
}

Flushes::Entry::Entry(const void* client, const Ledger& ledger, Cancellation& cancellation)
    : client_(client), ledger_(&ledger), cancellation_(&cancellation) {
  Flushes& flushes = of_process();
  const std::lock_guard lock(flushes.mutex_);
  flushes.entries_.push_back(this);
}

Flushes::Entry::~Entry() {
  Flushes& flushes = of_process();
  const std::lock_guard lock(flushes.mutex_);
  std::erase(flushes.entries_, this);
}

void Flushes::cancel(const void* client) {
  const std::lock_guard lock(mutex_);
  for (const Entry* entry : entries_) {
    if (entry->client_ == client) entry->cancellation_->request();
  }
}

void Flushes::cancel(const Ledger& ledger) {
  const std::lock_guard lock(mutex_);
  for (const Entry* entry : entries_) {
    if (entry->ledger_ == &ledger) entry->cancellation_->request();
  }
}

}  // namespace hearsay::sdk
