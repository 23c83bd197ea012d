#include <doctest/doctest.h>

#include "aggregator/api/auth.h"
#include "aggregator/api/route.h"

namespace hearsay::api {
namespace {

Digest digest_of(std::string_view token) {
  return sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});
}

TaskId task(std::uint8_t first) {
  TaskId id{};
  id.bytes[0] = first;
  return id;
}

int refusal(const Result<std::optional<std::size_t>>& result) {
  if (result) return 0;
  return result.error().code == ErrorCode::kUnauthorized ? 401
         : result.error().code == ErrorCode::kForbidden  ? 403
                                                         : -1;
}

TEST_CASE("a token gives its role, and an administrator's token gives all roles") {
  const Authenticator authenticator({{Role::kAdmin, digest_of("root")},
                                     {Role::kAnalyst, digest_of("numbers")},
                                     {Role::kUploader, digest_of("relay")}});
  CHECK(authenticator.require(Role::kAnyone, ""));
  CHECK(authenticator.require(Role::kAnyone, "nonsense"));
  struct Case {
    const char* header;
    Role needed;
    int refused;
  };
  for (const Case& c : std::vector<Case>{{"Bearer root", Role::kAdmin, 0},
                                         {"bEARER root", Role::kAdmin, 0},
                                         {"Bearer root", Role::kAnalyst, 0},
                                         {"Bearer root", Role::kUploader, 0},
                                         {"Bearer numbers", Role::kAdmin, 403},
                                         {"Bearer numbers", Role::kAnalyst, 0},
                                         {"Bearer numbers", Role::kUploader, 403},
                                         {"Bearer relay", Role::kAdmin, 403},
                                         {"Bearer relay", Role::kAnalyst, 403},
                                         {"Bearer relay", Role::kUploader, 0}}) {
    CAPTURE(c.header);
    CAPTURE(static_cast<int>(c.needed));
    CHECK(refusal(authenticator.require(c.needed, c.header)) == c.refused);
  }
}

TEST_CASE("the result of a check is the position of the token that allows the call") {
  const Authenticator authenticator({{Role::kAnalyst, digest_of("numbers")},
                                     {Role::kUploader, digest_of("one"), task(1)},
                                     {Role::kAnalyst, digest_of("more numbers")}});
  CHECK(authenticator.require(Role::kAnalyst, "Bearer numbers").value() == 0);
  CHECK(authenticator.require(Role::kAnalyst, "Bearer more numbers").value() == 2);
  CHECK(authenticator.require_upload(task(1), "Bearer one").value() == 1);
  CHECK(!authenticator.require_upload(task(2), "").value());
  CHECK(!authenticator.require(Role::kAnyone, "Bearer numbers").value());
  const auto route =
      authorized_route(authenticator, "GET", "/v1/tasks/" + task(1).to_string() + "/tally", "Bearer more numbers");
  CHECK(route.value().caller == 2);
}

TEST_CASE("a known token has its configured name, or a name from its position, and an unknown token has no name") {
  const Authenticator authenticator(
      {{Role::kAdmin, digest_of("root"), std::nullopt, "alice"}, {Role::kAnalyst, digest_of("numbers")}});
  CHECK(authenticator.name_of("Bearer root") == "alice");
  CHECK(authenticator.name_of("Bearer numbers") == "tokens[1]");
  for (const char* header : {"", "Bearer ", "Bearer roo", "root"}) CHECK(!authenticator.name_of(header));
  CHECK(authorized_route(authenticator, "POST", "/v1/backups", "Bearer root").value().caller_name == "alice");
}

TEST_CASE("a call without a known token is unauthorized, and no message repeats a token") {
  const Authenticator authenticator({{Role::kAdmin, digest_of("root")}});
  for (const std::string header : {"", "Bearer ", "Bearer roo", "Bearer root ", "Bearer  root", "Bearer\troot",
                                   "Basic root", "root", "Bearer Root"}) {
    CAPTURE(header);
    const auto refused = authenticator.require(Role::kAnalyst, header);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kUnauthorized);
    CHECK(refused.error().message.find("oot") == std::string::npos);
  }
  CHECK(!Authenticator({}).require(Role::kAnalyst, "Bearer root"));
}

TEST_CASE("open uploads: a task with a token accepts reports only with this token, and other tasks need no token") {
  const Authenticator authenticator({{Role::kAdmin, digest_of("root")},
                                     {Role::kAnalyst, digest_of("numbers")},
                                     {Role::kUploader, digest_of("one"), task(1)},
                                     {Role::kUploader, digest_of("two"), task(2)},
                                     {Role::kUploader, digest_of("any")}});
  CHECK(authenticator.takes_anybody(task(3)));
  CHECK(!authenticator.takes_anybody(task(1)));
  for (const char* header : {"", "Bearer guess", "Bearer one", "Bearer numbers"}) {
    CHECK(authenticator.require_upload(task(3), header));
  }
  struct Case {
    const char* header;
    int refused;
  };
  for (const Case& c : std::vector<Case>{{"", 401},
                                         {"Bearer guess", 401},
                                         {"Bearer numbers", 403},
                                         {"Bearer one", 0},
                                         {"Bearer two", 403},
                                         {"Bearer any", 0},
                                         {"Bearer root", 0}}) {
    CAPTURE(c.header);
    CHECK(refusal(authenticator.require_upload(task(1), c.header)) == c.refused);
  }
}

TEST_CASE("uploads by token: every task needs a token, and a token may be for several tasks") {
  const Authenticator authenticator(
      {{Role::kUploader, digest_of("relay"), task(1)}, {Role::kUploader, digest_of("relay"), task(2)}},
      Uploads::kToken);
  CHECK(refusal(authenticator.require_upload(task(3), "")) == 401);
  CHECK(refusal(authenticator.require_upload(task(3), "Bearer relay")) == 403);
  CHECK(authenticator.require_upload(task(1), "Bearer relay"));
  CHECK(authenticator.require_upload(task(2), "Bearer relay"));
}

TEST_CASE("if both the path and the token of a request are wrong, the error is about the path") {
  const Authenticator authenticator({{Role::kUploader, digest_of("relay"), task(1)}});
  const std::string reports = "/v1/tasks/" + task(1).to_string() + "/reports";
  const auto code = [&](std::string_view method, std::string_view path, std::string_view authorization) {
    const auto found = authorized_route(authenticator, method, path, authorization);
    return found ? ErrorCode::kInternal : found.error().code;
  };
  CHECK(code("POST", reports, "Bearer relay") == ErrorCode::kInternal);
  CHECK(code("POST", reports, "") == ErrorCode::kUnauthorized);
  CHECK(code("POST", "/v1/tasks/" + task(2).to_string() + "/reports", "") == ErrorCode::kInternal);
  CHECK(code("PUT", reports, "") == ErrorCode::kMethodNotAllowed);
  CHECK(code("POST", "/v1/backups", "Bearer relay") == ErrorCode::kForbidden);
  CHECK(code("GET", "/v1/nothing", "") == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace hearsay::api
