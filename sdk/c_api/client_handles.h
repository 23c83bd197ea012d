// What the handles of ledgers and clients hold.
#pragma once

#include <memory>
#include <optional>

#include "hearsay/client.h"
#include "hearsay/clock.h"
#include "hearsay/ledger.h"
#include "hearsay/transport.h"

struct hearsay_ledger {
  static constexpr std::uint64_t kKind = 0x51c2de897b40f36a;
  std::uint64_t kind = kKind;
  std::unique_ptr<hearsay::sdk::RollbackCounter> counter;
  std::unique_ptr<hearsay::sdk::Ledger> ledger;
};

struct hearsay_client {
  static constexpr std::uint64_t kKind = 0xe06b94a12d7c5f38;
  std::uint64_t kind = kKind;
  bool has_server = false;
  std::unique_ptr<hearsay::Clock> clock;
  std::unique_ptr<hearsay::sdk::Transport> transport;
  hearsay::sdk::Ledger* ledger = nullptr;
  std::optional<hearsay::sdk::Client> client;
};
