#include "aggregator/api/auth.h"

#include <openssl/crypto.h>

#include <algorithm>

namespace hearsay::aggregator {
namespace {

constexpr std::string_view kScheme = "Bearer ";

}  // namespace

Result<void> Authenticator::require(Role needed, std::string_view authorization) const {
  if (needed == Role::kAnyone) return {};
  if (!authorization.starts_with(kScheme)) return Error{ErrorCode::kUnauthorized, "this call needs a bearer token"};
  const std::string_view token = authorization.substr(kScheme.size());
  const Digest digest = sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});

  // Every hash is compared, each in constant time.
  Role held = Role::kAnyone;
  for (const TokenHash& known : tokens_) {
    if (CRYPTO_memcmp(known.sha256.data(), digest.data(), digest.size()) == 0) held = std::max(held, known.role);
  }
  if (held == Role::kAnyone) return Error{ErrorCode::kUnauthorized, "the bearer token is not known"};
  if (held < needed) return Error{ErrorCode::kForbidden, "the bearer token's role does not allow this call"};
  return {};
}

}  // namespace hearsay::aggregator
