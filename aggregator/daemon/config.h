// The daemon's configuration; aggregator/docs/config.md lists the keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "aggregator/api/auth.h"
#include "hearsay/result.h"

namespace hearsay::aggregator {

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;

  // "127.0.0.1:8443" or "[::1]:8443". Errors: kInvalidArgument.
  static Result<Endpoint> parse(std::string_view text);
};

struct DaemonConfig {
  std::string store;
  std::string certificate;
  std::string private_key;
  Endpoint listen{"127.0.0.1", 8443};
  Endpoint operator_listen{"127.0.0.1", 9443};
  std::string ready_file;
  std::vector<TokenHash> tokens;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::size_t max_connections = 10'000;
  std::size_t max_body_bytes = 8U << 20U;
  std::size_t max_queued_bytes = 64U << 20U;
  std::uint64_t clock_skew_seconds = 300;
  std::chrono::seconds drain{10};
  std::string log_level = "info";
};

// Errors: kMalformedJson, kUnknownKey, kWrongType, kInvalidArgument; the message names the key. Whether the required
// keys are there is for check_config() to say, since flags may still supply them.
Result<DaemonConfig> parse_config(std::string_view json);

// Errors: kMissingKey for a required setting that neither file nor flags gave.
Result<void> check_config(const DaemonConfig& config);

}  // namespace hearsay::aggregator
