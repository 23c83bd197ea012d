#include <doctest/doctest.h>

#include "aggregator/api/auth.h"

namespace hearsay::aggregator {
namespace {

Digest digest_of(std::string_view token) {
  return sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});
}

TEST_CASE("a token gives its role and those below it") {
  const Authenticator authenticator({{Role::kAdmin, digest_of("root")}, {Role::kAnalyst, digest_of("numbers")}});
  CHECK(authenticator.require(Role::kAnyone, ""));
  CHECK(authenticator.require(Role::kAnyone, "nonsense"));
  CHECK(authenticator.require(Role::kAdmin, "Bearer root"));
  CHECK(authenticator.require(Role::kAnalyst, "Bearer root"));
  CHECK(authenticator.require(Role::kAnalyst, "Bearer numbers"));
  const auto forbidden = authenticator.require(Role::kAdmin, "Bearer numbers");
  REQUIRE(!forbidden);
  CHECK(forbidden.error().code == ErrorCode::kForbidden);
}

TEST_CASE("anything but a known token is unauthorized, and no message repeats it") {
  const Authenticator authenticator({{Role::kAdmin, digest_of("root")}});
  for (const std::string header : {"", "Bearer ", "Bearer roo", "Bearer root ", "Bearer  root", "bearer root",
                                   "Basic root", "root", "Bearer Root"}) {
    CAPTURE(header);
    const auto refused = authenticator.require(Role::kAnalyst, header);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kUnauthorized);
    CHECK(refused.error().message.find("oot") == std::string::npos);
  }
  CHECK(!Authenticator({}).require(Role::kAnalyst, "Bearer root"));
}

}  // namespace
}  // namespace hearsay::aggregator
