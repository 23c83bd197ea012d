// Decides who may make which call. The daemon knows only the SHA-256 of bearer tokens.
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

// An administrator may do everything. An analyst may list tasks and read estimates and tallies. An uploader may only
// post reports.
enum class Role : std::uint8_t { kAnyone, kUploader, kAnalyst, kAdmin };

struct TokenHash {
  Role role;
  Digest sha256;
  std::optional<TaskId> task{};  // the only task to which an uploader may post; if absent, any task
  std::string name{};            // the name in the log; if empty, the token's place, such as "tokens[0]"
};

enum class Uploads : std::uint8_t {
  kOpen,   // nobody needs a token to report, except to tasks that a token names
  kToken,  // every report needs a token
};

// Checks tokens. Needs only the head of a request. Thread-safe and immutable. A check costs one SHA-256, and one
// comparison for each known token.
class Authenticator {
 public:
  explicit Authenticator(std::vector<TokenHash> tokens, Uploads uploads = Uploads::kOpen);

  // Checks the value of an Authorization header. `needed` is the role that the call needs. Returns the place of the
  // token that allows the call; nothing if the call needs no token. Errors: kUnauthorized (no such token), kForbidden.
  // The time does not depend on how much of a token is right, or on which token it is.
  Result<std::optional<std::size_t>> require(Role needed, std::string_view authorization) const;

  // Checks, as require() does, whether the caller may post reports to `task`. No token is needed if
  // takes_anybody(task). Otherwise the token must be an administrator's, or an uploader's that may post to this task.
  Result<std::optional<std::size_t>> require_upload(const TaskId& task, std::string_view authorization) const;

  bool takes_anybody(const TaskId& task) const;

  // Returns the name of the token at a place that require() returned.
  std::string name(std::size_t place) const;

  // Returns the name of a known token, even if the token does not allow the call. Returns nothing for any other
  // Authorization header.
  std::optional<std::string> name_of(std::string_view authorization) const;

 private:
  template <class May>
  Result<std::optional<std::size_t>> require_token(std::string_view authorization, May may) const;

  std::vector<TokenHash> tokens_;
  std::vector<TaskId> guarded_;  // tasks that a token names, ascending
  Uploads uploads_;
};

// Holds the authenticator that is in use. Thread-safe. A request keeps the authenticator with which it began.
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
