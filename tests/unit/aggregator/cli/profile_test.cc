#include "aggregator/cli/profile.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "aggregator/cli/commands.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::cli {
namespace {

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

const Server kServer{"https://aggregator.example", "/ca.pem", "a-token", "/client.pem", "/client.key"};

TEST_CASE("a profile is read as written, and only its owner can read it") {
  const tests::TemporaryDirectory directory;
  const std::string path = directory.path().string() + "/hearsay/profile.json";
  CHECK_FALSE(read_profile(path).value().has_value());
  REQUIRE(write_profile(path, kServer));
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600U);
  const auto read = read_profile(path);
  REQUIRE(read);
  CHECK((*read)->url == kServer.url);
  CHECK((*read)->ca_file == kServer.ca_file);
  CHECK((*read)->token == kServer.token);
  CHECK((*read)->certificate == kServer.certificate);
  CHECK((*read)->private_key == kServer.private_key);
  for (const mode_t mode : {0640U, 0604U, 0660U, 0601U}) {
    ::chmod(path.c_str(), mode);
    const auto refused = read_profile(path);
    REQUIRE(!refused);
    CHECK(refused.error().message.find("chmod 600") != std::string::npos);
    CHECK(refused.error().message.find("a-token") == std::string::npos);
  }
  // write_profile() restores the file's permissions.
  REQUIRE(write_profile(path, kServer));
  CHECK(read_profile(path));
}

TEST_CASE("the error about a malformed profile names the file and does not show its content") {
  const tests::TemporaryDirectory directory;
  const std::string path = directory.path().string() + "/profile.json";
  for (const char* text : {"", "secret", "{}", R"({"server": "https://a", "token": 5})",
                           R"({"server": "https://a", "token": "secret", "x": 1})"}) {
    std::ofstream(path) << text;
    ::chmod(path.c_str(), 0600);
    const auto refused = read_profile(path);
    REQUIRE(!refused);
    CHECK(refused.error().message.find(path) != std::string::npos);
    CHECK(refused.error().message.find("secret") == std::string::npos);
  }
}

TEST_CASE("options override variables, and variables override the profile") {
  const tests::TemporaryDirectory directory;
  const Variable config("XDG_CONFIG_HOME", directory.path().string());
  ::unsetenv("HEARSAY_TOKEN");
  ::unsetenv("HEARSAY_SERVER");
  ::unsetenv("HEARSAY_CA");
  CHECK(ServerFlags().resolve()->url == "https://127.0.0.1:8443");
  REQUIRE(write_profile(profile_path(), kServer));
  const Server kept = ServerFlags().resolve().value();
  CHECK(kept.url == kServer.url);
  CHECK(kept.token == "a-token");
  CHECK(kept.ca_file == "/ca.pem");
  CHECK(kept.private_key == "/client.key");

  ServerFlags flags;
  flags.given.ca_file = "/other.pem";
  CHECK(flags.resolve()->ca_file == "/other.pem");
  CHECK(flags.resolve()->token == "a-token");
  {
    const Variable token("HEARSAY_TOKEN", "of-the-variable");
    CHECK(flags.resolve()->token == "of-the-variable");
    const Variable ca("HEARSAY_CA", "/variable.pem");
    CHECK(ServerFlags().resolve()->ca_file == "/variable.pem");
    CHECK(ServerFlags().said().ca_file == "/variable.pem");
    CHECK(ServerFlags().said().url.empty());
    CHECK(flags.resolve()->ca_file == "/other.pem");
  }
  {
    // The profile's token is only for the profile's own server.
    const Variable server("HEARSAY_SERVER", "https://elsewhere.example");
    const Server elsewhere = ServerFlags().resolve().value();
    CHECK(ServerFlags().said().url == "https://elsewhere.example");
    CHECK(elsewhere.url == "https://elsewhere.example");
    CHECK(elsewhere.token.empty());
    CHECK(elsewhere.ca_file.empty());
    CHECK(elsewhere.certificate.empty());
  }
  flags.given.url = "https://elsewhere.example";
  CHECK(flags.resolve()->token.empty());
}

}  // namespace
}  // namespace hearsay::cli
