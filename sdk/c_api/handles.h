// The objects behind the opaque handles of ledgers, clients and companions.
#pragma once

#include <memory>
#include <optional>

#include "hearsay/client.h"
#include "hearsay/clock.h"
#include "hearsay/companion.h"
#include "hearsay/hearsay.h"
#include "hearsay/ledger.h"
#include "hearsay/transport.h"
#include "sdk/c_api/task_handles.h"

namespace hearsay::c_api {

struct OpenLedger {
  std::unique_ptr<sdk::RollbackCounter> counter;  // outlives the ledger
  std::unique_ptr<sdk::Ledger> ledger;
};

// The client is the last member, so every other part outlives the client.
struct OpenClient {
  bool has_server = false;
  std::shared_ptr<OpenLedger> ledger;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<sdk::Transport> transport;
  std::optional<sdk::Client> client;
};

HandleTable<hearsay_ledger, OpenLedger>& ledgers();
HandleTable<hearsay_client, OpenClient>& clients();
HandleTable<hearsay_companion, const Companion>& companions();

}  // namespace hearsay::c_api
