// Who may do what: bearer tokens of which only the SHA-256 is known here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/random/hash.h"
#include "hearsay/result.h"

namespace hearsay::aggregator {

// In ascending order of rights: a role may do whatever the ones before it may.
enum class Role : std::uint8_t { kAnyone, kAnalyst, kAdmin };

struct TokenHash {
  Role role;
  Digest sha256;
};

class Authenticator {
 public:
  explicit Authenticator(std::vector<TokenHash> tokens) : tokens_(std::move(tokens)) {}

  // Checks the value of an Authorization header against what a call needs. Errors: kUnauthorized (no such token),
  // kForbidden. The time taken does not depend on how much of a token is right.
  Result<void> require(Role needed, std::string_view authorization) const;

 private:
  std::vector<TokenHash> tokens_;
};

}  // namespace hearsay::aggregator
