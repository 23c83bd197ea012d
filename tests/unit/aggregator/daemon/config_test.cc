#include "aggregator/daemon/config.h"

#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "tests/support/golden.h"

namespace hearsay::daemon {
namespace {

const std::string kHash(64, 'a');
const std::string kTask(43, 'A');

ErrorCode code_of(const std::string& json) {
  const auto config = parse_config(json);
  return config ? ErrorCode::kInternal : config.error().code;
}

TEST_CASE("the printed default configuration is strict JSON that parses to the defaults") {
  const DaemonConfig defaults;
  const std::string text = render_config(defaults);
  const auto parsed = parse_config(text);
  REQUIRE(parsed);
  CHECK(render_config(*parsed) == text);
  CHECK(render_config(parse_config("{}").value()) == text);
  CHECK(parsed->max_connections == defaults.max_connections);
  CHECK(parsed->uploads == api::Uploads::kOpen);
  CHECK(parsed->drain == defaults.drain);
  CHECK(parsed->tokens.empty());
}

std::set<std::string> documented_keys() {
  std::ifstream in(tests::tests_directory() / "../aggregator/docs/config.md");
  REQUIRE(in);
  std::set<std::string> keys;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string column = line.substr(0, line.find('|', 1));
    const std::regex name("`([a-z_]+)`");
    for (auto i = std::sregex_iterator(column.begin(), column.end(), name); i != std::sregex_iterator(); ++i) {
      keys.insert((*i)[1]);
    }
  }
  return keys;
}

TEST_CASE("the printed configuration has exactly the keys that docs/config.md explains") {
  const Json printed = parse_json(render_config({})).value();
  std::set<std::string> keys;
  for (const auto& [key, value] : printed.items()) keys.insert(key);
  CHECK(keys == documented_keys());
}

TEST_CASE("every key of the configuration is read, and printed again unchanged") {
  Json json = parse_json(render_config({})).value();
  for (auto& [key, value] : json.items()) {
    if (value.is_number()) value = value.get<std::int64_t>() + (key == "min_free_bytes" ? 1 : 7);
    if (value.is_string()) value = "other";
  }
  json["listen"] = "[::1]:1";
  json["operator_listen"] = "0.0.0.0:2";
  json["uploads"] = "token";
  json["allowed_origins"] = {"https://app.example", "http://localhost:8080"};
  json["proxy_protocol_from"] = {"10.0.0.0/8", "::1"};
  json["shared_addresses"] = {"192.0.2.7"};
  json["log_level"] = "warn";
  json["tokens"] = {{{"role", "admin"}, {"name", "alice@a-b.org"}, {"sha256", kHash}},
                    {{"role", "uploader"}, {"sha256", std::string(64, 'b')}, {"task", kTask}}};
  const auto config = parse_config(json.dump());
  REQUIRE(config);
  CHECK(parse_json(render_config(*config)).value() == json);
  CHECK(config->uploads == api::Uploads::kToken);
  REQUIRE(config->tokens.size() == 2);
  CHECK(config->tokens[0].role == api::Role::kAdmin);
  CHECK(config->tokens[0].name == "alice@a-b.org");
  CHECK(config->tokens[1].name.empty());
  CHECK(!config->tokens[0].task);
  CHECK(config->tokens[1].role == api::Role::kUploader);
  CHECK(config->tokens[1].task == TaskId{});
  CHECK(config->proxy_protocol_from.size() == 2);
  CHECK(config->shared_addresses.size() == 1);
  CHECK(config->instance == "other");
  CHECK(config->idle_timeout == std::chrono::seconds(67));
}

TEST_CASE("unknown keys, values of another type and values out of range are refused") {
  const auto token = [](const std::string& members) { return R"({"tokens": [{)" + members + "}]}"; };
  const std::string hash = R"(, "sha256": ")" + kHash + "\"";
  const std::vector<std::pair<std::string, ErrorCode>> cases{
      {R"({"max_conections": 1})", ErrorCode::kUnknownKey},
      {R"({"max_connections": "1"})", ErrorCode::kWrongType},
      {R"({"max_connections": 1.5})", ErrorCode::kWrongType},
      {R"({"max_connections": 0})", ErrorCode::kInvalidArgument},
      {R"({"max_connections": 1, "max_connections": 2})", ErrorCode::kMalformedJson},
      {R"({"idle_timeout_seconds": 0})", ErrorCode::kInvalidArgument},
      {R"({"expiry_interval_seconds": 0})", ErrorCode::kInvalidArgument},
      {R"({"uploads": "closed"})", ErrorCode::kInvalidArgument},
      {R"({"allowed_origins": "https://app.example"})", ErrorCode::kWrongType},
      {R"({"allowed_origins": ["*"]})", ErrorCode::kInvalidArgument},
      {R"({"allowed_origins": ["null"]})", ErrorCode::kInvalidArgument},
      {R"({"proxy_protocol_from": "10.0.0.1"})", ErrorCode::kWrongType},
      {R"({"proxy_protocol_from": ["10.0.0.1/8"]})", ErrorCode::kInvalidArgument},
      {R"({"shared_addresses": ["balancer"]})", ErrorCode::kInvalidArgument},
      {R"({"instance": "two words"})", ErrorCode::kInvalidArgument},
      {R"({"instance": 1})", ErrorCode::kWrongType},
      {R"({"log_level": "loud"})", ErrorCode::kInvalidArgument},
      {R"({"listen": "localhost:8443"})", ErrorCode::kInvalidArgument},
      {R"({"listen": "127.0.0.1:70000"})", ErrorCode::kInvalidArgument},
      {R"({"uploads": true})", ErrorCode::kWrongType},
      {token(R"("role": "king")" + hash), ErrorCode::kInvalidArgument},
      {token(R"("role": "uploader", "sha256": "00")"), ErrorCode::kInvalidArgument},
      {token(R"("role": "uploader", "task": "short")" + hash), ErrorCode::kInvalidArgument},
      {token(R"("role": "analyst", "task": ")" + kTask + "\"" + hash), ErrorCode::kInvalidArgument},
      {token(R"("role": "uploader", "tasks": [])" + hash), ErrorCode::kUnknownKey},
      {token(R"("role": "admin", "name": "")" + hash), ErrorCode::kInvalidArgument},
      {token(R"("role": "admin", "name": "two words")" + hash), ErrorCode::kInvalidArgument},
      {token(R"("role": "admin", "name": ")" + std::string(65, 'a') + "\"" + hash), ErrorCode::kInvalidArgument},
      {R"({"tokens": {}})", ErrorCode::kWrongType},
      {"[]", ErrorCode::kWrongType},
  };
  for (const auto& sample : cases) {
    CAPTURE(sample.first);
    CHECK(code_of(sample.first) == sample.second);
  }
}

TEST_CASE("two tokens must not share a name, and all lines of one token must have one name") {
  const auto tokens = [](std::string second_hash) {
    return Json{{"tokens",
                 {{{"role", "uploader"}, {"name", "relay"}, {"sha256", kHash}, {"task", kTask}},
                  {{"role", "uploader"}, {"name", "relay"}, {"sha256", std::move(second_hash)}}}}}
        .dump();
  };
  CHECK(parse_config(tokens(kHash)));
  const auto refused = parse_config(tokens(std::string(64, '1')));
  REQUIRE(!refused);
  CHECK(refused.error().message.find("tokens[1].name is 'relay'") != std::string::npos);
  // Otherwise the log would show two names for the holder of this token.
  for (const Json& other :
       {Json{{"role", "uploader"}, {"name", "other"}, {"sha256", kHash}}, Json{{"role", "admin"}, {"sha256", kHash}}}) {
    const Json first{{"role", "uploader"}, {"name", "relay"}, {"sha256", kHash}};
    const auto twins = parse_config(Json{{"tokens", {first, other}}}.dump());
    REQUIRE(!twins);
    CHECK(twins.error().message.find("tokens[1].sha256 is the hash of an earlier token") != std::string::npos);
  }
}

TEST_CASE("listening addresses are read back as written") {
  for (const std::string text : {"127.0.0.1:8443", "[::1]:0", "0.0.0.0:65535"}) {
    CHECK(Endpoint::parse(text).value().to_string() == text);
  }
}

TEST_CASE("the required keys may come from options, and a missing key is an error") {
  DaemonConfig config;
  for (std::string* key : {&config.store, &config.certificate, &config.private_key}) {
    CHECK(check_config(config).error().code == ErrorCode::kMissingKey);
    *key = "x";
  }
  CHECK(check_config(config));
  config.backup_directory = "./x/";
  CHECK(check_config(config).error().code == ErrorCode::kInvalidArgument);
  config.backup_directory = "x/../x/inner";
  CHECK(check_config(config).error().message.find("in the store's") != std::string::npos);
  config.backup_directory = "xy";
  CHECK(check_config(config));
  config.backup_directory = "y";
  CHECK(check_config(config));
}

TEST_CASE(
    "a store in a database needs a name for the daemon, refuses backup_directory, and refuses a URI with a password") {
  DaemonConfig config;
  config.certificate = config.private_key = "x";
  config.store = "postgresql://hearsay@localhost/hearsay";
  CHECK(check_config(config).error().code == ErrorCode::kMissingKey);
  config.instance = "a";
  CHECK(check_config(config));
  config.backup_directory = "y";
  CHECK(check_config(config).error().message.find("PostgreSQL's own means") != std::string::npos);
  config.backup_directory.clear();
  config.store = "postgresql://hearsay:geheim@localhost/hearsay";
  const auto refused = check_config(config);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.starts_with("store: "));
  CHECK(refused.error().message.find("geheim") == std::string::npos);
}

}  // namespace
}  // namespace hearsay::daemon
