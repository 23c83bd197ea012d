#include "aggregator/store/location/location.h"

#include <doctest/doctest.h>

#include <string>

namespace hearsay::store {
namespace {

TEST_CASE("a directory is a location, whatever its name") {
  for (const char* path : {"store", "/var/lib/hearsay", "./a=b", "C:", "post gres"}) {
    CAPTURE(path);
    CHECK_FALSE(is_database(path));
    CHECK(check_location(path));
  }
}

TEST_CASE("the URI of a database is a location if it has no secret") {
  for (const char* uri :
       {"postgresql://hearsay@db/hearsay", "postgres://db", "postgresql:///hearsay?host=/run/postgresql",
        "postgresql://hearsay@a,b:5433/hearsay?target_session_attrs=read-write&sslmode=verify-full",
        "postgresql://a,b/hearsay?target_session_attrs=primary&passfile=/etc/hearsay/pgpass"}) {
    CAPTURE(uri);
    CHECK(is_database(uri));
    CHECK(check_location(uri));
  }
}

TEST_CASE("a text that may hold a password is refused, and the message does not repeat the text") {
  for (const char* text :
       {"postgresql://hearsay:geheim@db/hearsay", "postgresql://db/hearsay?password=geheim",
        "postgres://db/hearsay?sslpassword=geheim", "postgresql://hearsay:geheim@[db/hearsay",
        "postgresql://db/hearsay?pasword=geheim", "postgresql:/hearsay:geheim@db/hearsay", "postgres:hearsay:geheim@db",
        "POSTGRESQL://hearsay:geheim@db/hearsay", "mysql://hearsay:geheim@db", "https://hearsay:geheim@db",
        "host=db user=hearsay password=geheim", "PASSWORD=geheim", "dbname=hearsay geheim"}) {
    CAPTURE(text);
    const auto checked = check_location(text);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kInvalidArgument);
    CHECK(checked.error().message.find("geheim") == std::string::npos);
  }
}

TEST_CASE("a URI with several hosts must demand the primary server") {
  for (const char* uri : {"postgresql://a,b/hearsay", "postgresql://a,b/hearsay?target_session_attrs=any",
                          "postgresql:///hearsay?hostaddr=127.0.0.1,127.0.0.2",
                          "postgresql:///hearsay?host=a,b&target_session_attrs=prefer-standby"}) {
    CAPTURE(uri);
    CHECK(check_location(uri).error().message.find("target_session_attrs=read-write") != std::string::npos);
  }
  CHECK(check_location("postgresql://db/hearsay?service=x").error().message.find("service file") != std::string::npos);
}

TEST_CASE("a location that is refused or does not exist is not opened") {
  const std::unique_ptr<Clock> clock = make_system_clock();
  CHECK(open_to_read("postgresql://u:geheim@db/x", {}, *clock).error().code == ErrorCode::kInvalidArgument);
  CHECK(open_to_read("/dev/null/none", {}, *clock).error().code == ErrorCode::kStoreFailed);
}

}  // namespace
}  // namespace hearsay::store
