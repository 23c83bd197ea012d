// Opens the store that the configuration names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "aggregator/daemon/config.h"
#include "aggregator/store/store.h"
#include "hearsay/clock.h"

namespace hearsay::daemon {

// Opens the store. `clock` must outlive the store. `stopping`: see store::postgres::Options. Errors: those of
// rocks::open() and spread::open_databases().
Result<std::unique_ptr<store::Store>> open_store(const DaemonConfig& config, Clock& clock,
                                                 const std::stop_token& stopping);

// Returns the free bytes on the disk of a store in a directory. Returns nothing for a database.
std::optional<std::uint64_t> free_store_bytes(const DaemonConfig& config);

}  // namespace hearsay::daemon
