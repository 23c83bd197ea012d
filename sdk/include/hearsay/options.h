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
  // A report whose time is further ahead of the server's is given up: the device's clock was wrong when it was made.
  // One less far ahead is sent again, in a later call if it must wait longer than `largest`.
  std::chrono::seconds max_ahead{2 * 86'400};
};

struct ServerOptions {
  std::string host;  // name or address; the certificate must be for it
  std::uint16_t port = 443;
  std::string ca_file;                        // PEM; empty: the system's roots
  std::chrono::milliseconds timeout{10'000};  // of one connect, handshake or exchange
  // Where the aggregator takes reports only with an uploader's token. Visible ASCII; sent with reports alone. Keep it
  // out of arguments and logs.
  std::string upload_token{};
  // PEM files, both or neither, where it asks for a client's certificate.
  std::string client_certificate{};
  std::string client_key{};
};

struct ClientOptions {
  TaskId task;                            // the document must hash to it
  Epsilon max_epsilon;                    // tasks with a larger ε are refused
  std::optional<Schema> expected_schema;  // tasks with another schema are refused
  std::string pin_file;  // if set: the id is written there on first use, and another one is refused later
  RetryPolicy retry;
};

}  // namespace hearsay::sdk
