// The daemon's configuration; aggregator/docs/config.md lists the keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "aggregator/api/auth.h"
#include "aggregator/api/cross_origin.h"
#include "aggregator/daemon/log.h"
#include "aggregator/daemon/process.h"
#include "aggregator/http/address_range.h"
#include "hearsay/result.h"

namespace hearsay::daemon {

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;

  // Parses "127.0.0.1:8443" or "[::1]:8443". Errors: kInvalidArgument.
  static Result<Endpoint> parse(std::string_view text);
  std::string to_string() const;
};

struct DaemonConfig {
  std::string store;                       // a directory, or the URIs of databases, see store/location
  bool allow_lossy_database = false;       // if true, accepts a database that may lose acknowledged data
  bool allow_unverified_database = false;  // if true, accepts a database on another machine without sslmode=verify-full
  std::string certificate;
  std::string private_key;
  std::string client_ca;  // PEM file of authorities; if set, clients must show a certificate that an authority signed
  Endpoint listen{"127.0.0.1", 8443};
  Endpoint operator_listen{"127.0.0.1", 9443};
  std::vector<std::string> operator_hosts;  // accepted names in the Host field on the operator's port, beside localhost
  std::string ready_file;
  std::string instance;  // the label `instance` of every metric, and the daemon's name in a database; may be empty
  http::AddressRanges proxy_protocol_from;  // balancers that name each client in a PROXY protocol header
  http::AddressRanges shared_addresses;     // addresses that many clients share, without a limit by address
  std::vector<api::TokenHash> tokens;
  api::Uploads uploads = api::Uploads::kOpen;
  api::AllowedOrigins allowed_origins;  // origins whose web pages may report
  unsigned threads = processors();
  std::size_t max_connections = 10'000;
  std::size_t max_connections_per_address = 1'000;
  std::size_t max_body_bytes = 8U << 20U;
  // limit on the memory for bodies and unread answers of all connections
  std::size_t max_buffered_bytes = 256U << 20U;
  std::size_t max_buffered_bytes_per_address = 32U << 20U;
  std::size_t max_queued_bytes = 64U << 20U;     // limit on the memory for bodies that wait for a commit
  std::size_t max_index_bytes = 256U << 20U;     // limit on the memory for report ids
  std::uint64_t max_analysis_bytes = 1U << 31U;  // limit on the memory for estimates and exports, see ApiOptions
  std::chrono::seconds analysis_timeout{60};     // limit on the time of one estimate or export
  std::uint64_t max_window_pairs = 1U << 22U;    // limit on the different (group, answer) pairs in a window of a task
  std::uint64_t max_task_windows = 100'000;      // limit on the windows of a task that are not sealed
  std::uint64_t max_tally_pairs = 1U << 23U;     // limit on the different pairs in the tally of one analysis
  std::chrono::seconds handshake_timeout{10};
  std::chrono::seconds first_byte_timeout{15};
  std::chrono::seconds header_timeout{15};
  std::chrono::seconds body_timeout{5};  // for every 64 KiB of a body
  std::chrono::seconds idle_timeout{60};
  std::chrono::seconds write_timeout{15};
  std::chrono::seconds clock_skew{300};  // how far ahead of the server's clock a report's time may be
  // how long the clock must keep its course after a jump before the daemon trusts the clock
  std::chrono::seconds clock_settling{3600};
  std::chrono::seconds drain{10};
  std::chrono::seconds expiry_interval{3600};
  std::string backup_directory;              // if empty, no backups can be made
  std::uint64_t min_free_bytes = 1U << 30U;  // with less free space on the store's disk, the daemon is not ready
  LogLevel log_level = LogLevel::kInfo;
};

// Parses a configuration. Required keys may be missing here, because flags may supply the values. check_config() looks
// for missing keys. Errors: kMalformedJson, kUnknownKey, kMissingKey (of a token), kWrongType, kInvalidArgument. A
// message about a key begins with the key, or with an element such as "tokens[2]".
Result<DaemonConfig> parse_config(std::string_view json);

// Returns the whole configuration as text for parse_config(), with one key on each line, in the order of
// aggregator/docs/config.md.
std::string render_config(const DaemonConfig& config);

// Checks the configuration as a whole. In a configuration that passes, `store` holds no password. Errors: kMissingKey
// (neither file nor flags gave a required setting), kInvalidArgument (settings that contradict each other).
Result<void> check_config(const DaemonConfig& config);

}  // namespace hearsay::daemon
