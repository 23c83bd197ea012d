// What an app decides about its Hearsay client.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "hearsay/epsilon.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay::sdk {

// How uploads are tried again. The delay before attempt i+1 is uniform in [d/2, d] with d = min(first·2^(i-1),
// largest), on top of what the server asks for in Retry-After, up to `largest`.
struct RetryPolicy {
  unsigned max_attempts = 8;
  std::chrono::milliseconds first{500};
  std::chrono::milliseconds largest{60'000};
};

struct ServerOptions {
  std::string host;  // name or address; the certificate must be for it
  std::uint16_t port = 443;
  std::string ca_file;                        // PEM; empty: the system's roots
  std::chrono::milliseconds timeout{10'000};  // of one connect, handshake or exchange
};

struct ClientOptions {
  TaskId task;                            // the document must hash to it
  Epsilon max_epsilon;                    // tasks with a larger ε are refused
  std::optional<Schema> expected_schema;  // tasks with another schema are refused
  std::string pin_file;  // if set: the id is written there on first use, and another one is refused later
  RetryPolicy retry;
};

}  // namespace hearsay::sdk
