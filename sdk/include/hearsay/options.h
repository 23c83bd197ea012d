// The settings of a Hearsay client: the server, the task, and how to retry.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "hearsay/epsilon.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay::sdk {

// How a client retries an upload, and how often a client sends.
//
// After attempt i the client waits for a random time from d/2 to d, where d = min(first·2^(i-1), largest). If the
// server named a time in Retry-After, the client also waits for that time, but for at most `max_retry_after`. If a wait
// would end after the flush's deadline, the flush ends at once. Retry-After also holds for later flushes of the client:
// a later flush waits if its deadline allows. Otherwise the later flush sends nothing, and its summary has the reason.
struct RetryPolicy {
  unsigned max_attempts = 8;  // times that one flush sends a request before the flush ends
  std::chrono::milliseconds first{500};
  std::chrono::milliseconds largest{60'000};
  std::chrono::seconds max_retry_after{3'600};

  // The largest number of uploads that begin in any minute, at least 1. Failed attempts count, too.
  unsigned max_uploads_per_minute = 60;

  // If a report's time is ahead of the server's clock by more than `max_ahead`, the client gives the report up: the
  // device's clock was wrong when the report was made. Otherwise the client keeps the report. If the report's time
  // comes within `largest`, the same flush sends the report again; otherwise a later flush does.
  std::chrono::seconds max_ahead{2 * 86'400};
};

// The aggregator's address, and the app's credentials.
struct ServerOptions {
  std::string host{};  // name or IP address; the server's certificate must be for this host
  std::uint16_t port = 443;
  std::string ca_file{};                      // PEM file of trusted authorities; empty: the system's authorities
  std::chrono::milliseconds timeout{10'000};  // for one exchange, from the look-up of the name to the last byte

  // The token that some aggregators ask for with each report, in visible ASCII characters; empty: no token. The client
  // sends the token with reports only. Keep the token out of command lines and logs.
  std::string upload_token{};

  // PEM files of the client's certificate and its key, for aggregators that ask for a certificate. Set both or neither.
  // The key must not be encrypted: the client does not ask for a passphrase.
  std::string client_certificate{};
  std::string client_key{};
};

// The task that the app reports to, and the app's own limits.
struct ClientOptions {
  TaskId task;                              // id of the task; the client refuses a document with another id
  Epsilon max_epsilon;                      // the client refuses tasks with a larger ε
  std::optional<Schema> expected_schema{};  // if set, the client refuses tasks whose records differ

  // If not empty, a file that remembers the task. The first client writes the task's id to the file, whole or not at
  // all. Every other client refuses a task with another id, even if both clients start at the same time.
  std::string pin_file{};

  RetryPolicy retry{};
};

}  // namespace hearsay::sdk
