#include "aggregator/api/auth.h"

#include <openssl/crypto.h>

#include <algorithm>

namespace hearsay::api {
namespace {

constexpr std::string_view kScheme = "bearer ";  // in small or capital letters (RFC 9110, section 11.1)

bool names_scheme(std::string_view authorization) {
  const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); };
  return authorization.size() >= kScheme.size() &&
         std::equal(kScheme.begin(), kScheme.end(), authorization.begin(), same);
}

}  // namespace

Authenticator::Authenticator(std::vector<TokenHash> tokens, Uploads uploads)
    : tokens_(std::move(tokens)), uploads_(uploads) {
  for (const TokenHash& token : tokens_) {
    if (token.task) guarded_.push_back(*token.task);
  }
  std::sort(guarded_.begin(), guarded_.end());
}

// `may` returns true if a token allows the call. Every hash is compared, each in constant time, and a match does not
// end the loop.
template <class May>
Result<std::optional<std::size_t>> Authenticator::require_token(std::string_view authorization, May may) const {
  if (!names_scheme(authorization)) return Error{ErrorCode::kUnauthorized, "this call needs a bearer token"};
  const std::string_view token = authorization.substr(kScheme.size());
  const Digest digest = sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});
  bool known = false;
  std::optional<std::size_t> allowed;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const bool equal = CRYPTO_memcmp(tokens_[i].sha256.data(), digest.data(), digest.size()) == 0;
    known |= equal;
    if (equal && may(tokens_[i])) allowed = i;
  }
  if (!known) return Error{ErrorCode::kUnauthorized, "the bearer token is not known"};
  if (!allowed) return Error{ErrorCode::kForbidden, "the bearer token's role does not allow this call"};
  return allowed;
}

Result<std::optional<std::size_t>> Authenticator::require(Role needed, std::string_view authorization) const {
  if (needed == Role::kAnyone) return std::optional<std::size_t>();
  return require_token(authorization,
                       [needed](const TokenHash& token) { return token.role == Role::kAdmin || token.role == needed; });
}

Result<std::optional<std::size_t>> Authenticator::require_upload(const TaskId& task,
                                                                 std::string_view authorization) const {
  if (takes_anybody(task)) return std::optional<std::size_t>();
  return require_token(authorization, [&task](const TokenHash& token) {
    return token.role == Role::kAdmin || (token.role == Role::kUploader && (!token.task || *token.task == task));
  });
}

bool Authenticator::takes_anybody(const TaskId& task) const {
  return uploads_ == Uploads::kOpen && !std::binary_search(guarded_.begin(), guarded_.end(), task);
}

std::string Authenticator::name(std::size_t place) const {
  return tokens_[place].name.empty() ? "tokens[" + std::to_string(place) + "]" : tokens_[place].name;
}

std::optional<std::string> Authenticator::name_of(std::string_view authorization) const {
  const auto known = require_token(authorization, [](const TokenHash&) { return true; });
  return known ? std::optional(name(**known)) : std::nullopt;
}

}  // namespace hearsay::api
