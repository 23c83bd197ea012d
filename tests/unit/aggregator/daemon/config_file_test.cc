#include "aggregator/daemon/config_file.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/temporary_directory.h"
#include "tests/support/temporary_file.h"

namespace hearsay::daemon {
namespace {

// What is said of a file with this text, without the file's name before it.
std::string message_for(const std::string& text) {
  const tests::TemporaryFile file(text);
  const auto config = read_config_file(file.path());
  if (config) return "";
  const std::string& message = config.error().message;
  REQUIRE(message.starts_with(file.path()));
  return message.substr(file.path().size());
}

TEST_CASE("a wrong key is told with its file and line") {
  CHECK(message_for("{\n \"store\": \"x\",\n \"max_connections\": 0\n}")
            .starts_with(", line 3: max_connections must be"));
  CHECK(message_for("{\"store\": 5}") == ", line 1: store must be a string");
  CHECK(message_for("{\n\n\"max_conections\"\n: 1}") == ", line 3: max_conections is no key of the configuration");
  CHECK(message_for("{\n\"log_level\": \"loud\"}") == ", line 2: log_level must be debug, info, warn or error");
  CHECK(message_for("{\n\"operator_hosts\": [\n1]}") == ", line 2: operator_hosts must hold strings");
  CHECK(message_for("{\n\"listen\": \"localhost:8443\"}")
            .starts_with(", line 2: listen: 'localhost:8443' must be an IP"));
  // The key of one name as another one's value.
  CHECK(message_for("{\"private_key\": \"store\",\n\"certificate\": \"store:\",\n\"store\": 1}") ==
        ", line 3: store must be a string");
}

TEST_CASE("of several tokens the line of the one at fault is told") {
  const std::string good = R"({"role": "analyst", "sha256": ")" + std::string(64, 'a') + "\"}";
  const auto tokens = [&](const std::string& third) {
    return message_for("{\"uploads\": \"open\",\n\"tokens\": [\n" + good + ",\n" + good + ",\n\n" + third + "]}");
  };
  CHECK(tokens(good).empty());
  CHECK(tokens(R"({"role": "king", "sha256": ""})").starts_with(", line 6: tokens[2].sha256 is not"));
  CHECK(tokens(R"({"rule": "admin"})").starts_with(", line 6: tokens[2] has an unknown key"));
  CHECK(tokens(R"({"role": "admin"})") == ", line 6: tokens[2].sha256 is missing");
}

TEST_CASE("a text that is no JSON is told with its line") {
  CHECK(message_for("{\n \"store\": \"x\",\n}\n") == ": not valid JSON in line 3 at byte 18");
  CHECK(message_for("{\n \"store\": \"x\",\n \"store\": \"y\"\n}\n").find("twice in line 3") != std::string::npos);
  CHECK(message_for("[]") == ": the document must be a JSON object");
}

TEST_CASE("a directory, an empty file and a missing one are called what they are") {
  const tests::TemporaryDirectory directory;
  const auto error_of = [](const std::string& path) { return read_config_file(path).error(); };
  CHECK(error_of(directory.path()).message.find("is a directory") != std::string::npos);
  CHECK(error_of(directory / "absent").code == ErrorCode::kIo);
  for (const std::string text : {"", " \n\n"}) {
    const tests::TemporaryFile empty(text);
    CHECK(error_of(empty.path()).message.find("is empty") != std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::daemon
