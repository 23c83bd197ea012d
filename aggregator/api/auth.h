// Who may do what: bearer tokens of which only the SHA-256 is known here.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/random/hash.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::api {

// An administrator may do everything; an analyst reads estimates and tallies; an uploader posts reports, nothing else.
enum class Role : std::uint8_t { kAnyone, kUploader, kAnalyst, kAdmin };

struct TokenHash {
  Role role;
  Digest sha256;
  std::optional<TaskId> task{};  // an uploader's: the only task it may post to; absent: any
  std::string name{};            // by which the log calls whoever holds the token; empty: its place, "tokens[0]"
};

enum class Uploads : std::uint8_t {
  kOpen,   // anybody may report, except to tasks that a token names
  kToken,  // every report needs a token
};

// Needs no more of a request than its head. Thread-safe, immutable. A check of a token costs one SHA-256 and one
// comparison a known token.
class Authenticator {
 public:
  explicit Authenticator(std::vector<TokenHash> tokens, Uploads uploads = Uploads::kOpen);

  // Checks the value of an Authorization header against what a call needs. Returns which of the tokens allows the call,
  // by its place among them; nothing if the call needs none. Errors: kUnauthorized (no such token), kForbidden. The
  // time taken does not depend on how much of a token is right, nor on which one it is.
  Result<std::optional<std::size_t>> require(Role needed, std::string_view authorization) const;

  // The same for reports to `task`: free if it takes them from anybody; else an uploader's token for it, or an
  // administrator's.
  Result<std::optional<std::size_t>> require_upload(const TaskId& task, std::string_view authorization) const;

  bool takes_anybody(const TaskId& task) const;

  // The name of the token at a place that require() returned.
  std::string name(std::size_t place) const;

  // The name of a known token, whatever it allows; nothing for any other Authorization header.
  std::optional<std::string> name_of(std::string_view authorization) const;

 private:
  template <class May>
  Result<std::optional<std::size_t>> require_token(std::string_view authorization, May may) const;

  std::vector<TokenHash> tokens_;
  std::vector<TaskId> guarded_;  // tasks that a token names, in order
  Uploads uploads_;
};

// The authenticator of the moment. Thread-safe. A request keeps the one that it began with.
class CurrentAuthenticator {
 public:
  explicit CurrentAuthenticator(Authenticator authenticator) { replace(std::move(authenticator)); }

  std::shared_ptr<const Authenticator> get() const {
    const std::lock_guard lock(mutex_);
    return authenticator_;
  }
  void replace(Authenticator authenticator) {
    auto made = std::make_shared<const Authenticator>(std::move(authenticator));
    const std::lock_guard lock(mutex_);
    authenticator_.swap(made);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Authenticator> authenticator_;
};

}  // namespace hearsay::api
