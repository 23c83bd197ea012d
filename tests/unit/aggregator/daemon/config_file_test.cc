#include "aggregator/daemon/config_file.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/temporary_directory.h"
#include "tests/support/temporary_file.h"

namespace hearsay::daemon {
namespace {

std::string message_for(const std::string& text) {
  const tests::TemporaryFile file(text);
  const auto config = read_config_file(file.path());
  if (config) return "";
  const std::string& message = config.error().message;
  REQUIRE(message.starts_with(file.path()));
  return message.substr(file.path().size());
}

TEST_CASE("the error about a wrong key names the file and the line") {
  CHECK(message_for("{\n \"store\": \"x\",\n \"max_connections\": 0\n}")
            .starts_with(", line 3: max_connections must be"));
  CHECK(message_for("{\"store\": 5}") == ", line 1: store must be a string");
  CHECK(message_for("{\n\n\"max_conections\"\n: 1}") == ", line 3: max_conections is no key of the configuration");
  CHECK(message_for("{\n\"log_level\": \"loud\"}") == ", line 2: log_level must be debug, info, warn or error");
  CHECK(message_for("{\n\"certificate\": \"server.pem\\u0000.der\"}") == ", line 2: certificate has a zero byte in it");
  CHECK(message_for("{\n\"operator_hosts\": [\n1]}") == ", line 2: operator_hosts must hold strings");
  CHECK(message_for("{\n\"listen\": \"localhost:8443\"}")
            .starts_with(", line 2: listen: 'localhost:8443' must be an IP"));
  CHECK(message_for("{\"private_key\": \"store\",\n\"certificate\": \"store:\",\n\"store\": 1}") ==
        ", line 3: store must be a string");
}

TEST_CASE("the error names the line of a key, however the key is spelled in JSON") {
  CHECK(message_for("{\n\"max-threads\": 1}") == ", line 2: max-threads is no key of the configuration");
  CHECK(message_for("{\n\"\": 1}") == ", line 2:  is no key of the configuration");
  CHECK(message_for("{\n\"thr\\u0065ads\": 0}") == ", line 2: threads must be from 1 to 256");
  CHECK(message_for("{\n\"\\\"\\\\\": 1}") == ", line 2: \"\\ is no key of the configuration");
  // A key of a token is also used as a key of the file.
  CHECK(message_for("{\"tokens\": [{\"name\": 1}],\n\"name\": 1}") == ", line 2: name is no key of the configuration");
  CHECK(message_for("{\"max_connections_per_address\": 1,\n\"max_connections\": 0}")
            .starts_with(", line 2: max_connections must be"));
}

TEST_CASE("long keys and long white space do not prevent an exact error") {
  const std::string much(1'000'000, 'a');
  CHECK(message_for("{\n\"" + much + "\": 1}") == ", line 2: " + much + " is no key of the configuration");
  CHECK(message_for("{\n\"threads\"" + std::string(1'000'000, ' ') + ": 0}") ==
        ", line 2: threads must be from 1 to 256");
}

TEST_CASE("a configuration has at most 1 MiB, and a file without an end such as /dev/zero is refused") {
  const std::string most = "{\"threads\": 0}" + std::string((1U << 20U) - 14, ' ');
  CHECK(message_for(most) == ", line 1: threads must be from 1 to 256");
  const tests::TemporaryFile longer(most + ' ');
  CHECK(read_config_file(longer.path()).error().code == ErrorCode::kLimitExceeded);
  CHECK(read_config_file("/dev/zero").error().message.starts_with("'/dev/zero' has more than 1,048,576 bytes"));
}

TEST_CASE("the error about one of several tokens names the line of this token") {
  const std::string good = R"({"role": "analyst", "sha256": ")" + std::string(64, 'a') + "\"}";
  const auto tokens = [&](const std::string& third) {
    return message_for("{\"uploads\": \"open\",\n\"tokens\": [\n" + good + ",\n" + good + ",\n\n" + third + "]}");
  };
  CHECK(tokens(good).empty());
  CHECK(tokens(R"({"role": "king", "sha256": ""})").starts_with(", line 6: tokens[2].sha256 is not"));
  CHECK(tokens(R"({"rule": "admin"})").starts_with(", line 6: tokens[2] has an unknown key"));
  CHECK(tokens(R"({"role": "admin"})") == ", line 6: tokens[2].sha256 is missing");
  CHECK(tokens("5,\n6") == ", line 6: tokens[2] must be a JSON object");
  CHECK(tokens("[],\n{}") == ", line 6: tokens[2] must be a JSON object");
  CHECK(tokens(R"("{")") == ", line 6: tokens[2] must be a JSON object");
}

TEST_CASE("if two tokens have one name, the error names the line of the second token") {
  const auto token = [](char digit) {
    return R"({"role": "admin", "name": "eve", "sha256": ")" + std::string(64, digit) + "\"}";
  };
  CHECK(message_for("{\"tokens\": [\n" + token('a') + ",\n" + token('b') + "]}") ==
        ", line 3: tokens[1].name is 'eve', the name of an earlier token: give each token its own name");
}

TEST_CASE("the error about text that is not JSON names the file's line") {
  CHECK(message_for("{\n \"store\": \"x\",\n}\n") == ": not valid JSON in line 3 at byte 18");
  CHECK(message_for("{\n \"store\": \"x\",\n \"store\": \"y\"\n}\n").find("twice in line 3") != std::string::npos);
  CHECK(message_for("[]") == ": the document must be a JSON object");
}

TEST_CASE("the errors about a directory, an empty file and a missing file say so") {
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
