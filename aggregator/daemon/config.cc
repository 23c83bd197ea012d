#include "aggregator/daemon/config.h"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <concepts>
#include <filesystem>
#include <system_error>
#include <utility>

#include "aggregator/store/location/location.h"
#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::daemon {
namespace {

// Functions that read and write the values of each type. kKeys lists the keys that use these functions.
Result<void> read(const ObjectReader& reader, std::string_view key, std::string& out) {
  HEARSAY_TRY(out, reader.get_string(key));
  // The system would cut a path at the zero byte, and open another file.
  if (out.find('\0') != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, reader.path(key) + " has a zero byte in it"};
  }
  return {};
}
Json written(const std::string& value) { return value; }

Result<void> read(const ObjectReader& reader, std::string_view key, std::vector<std::string>& out) {
  HEARSAY_TRY(const Json* list, reader.get_array(key));
  for (const Json& element : *list) {
    if (!element.is_string()) return Error{ErrorCode::kWrongType, reader.path(key) + " must hold strings"};
    out.push_back(element.get<std::string>());
  }
  return {};
}
Json written(const std::vector<std::string>& values) { return values; }

Result<void> read(const ObjectReader& reader, std::string_view key, api::AllowedOrigins& out) {
  std::vector<std::string> origins;
  HEARSAY_CHECK_OK(read(reader, key, origins));
  auto allowed = api::AllowedOrigins::parse(origins);
  if (!allowed) return Error{ErrorCode::kInvalidArgument, reader.path(key) + ": " + allowed.error().message};
  out = *std::move(allowed);
  return {};
}
Json written(const api::AllowedOrigins& value) { return value.list(); }

Result<void> read(const ObjectReader& reader, std::string_view key, http::AddressRanges& out) {
  std::vector<std::string> texts;
  HEARSAY_CHECK_OK(read(reader, key, texts));
  for (const std::string& text : texts) {
    auto range = http::AddressRange::parse(text);
    if (!range) return Error{ErrorCode::kInvalidArgument, reader.path(key) + ": " + range.error().message};
    out.push_back(*std::move(range));
  }
  return {};
}
Json written(const http::AddressRanges& ranges) {
  Json list = Json::array();
  for (const http::AddressRange& range : ranges) list.push_back(range.to_string());
  return list;
}

Result<void> read(const ObjectReader& reader, std::string_view key, Endpoint& out) {
  HEARSAY_TRY(const std::string text, reader.get_string(key));
  const auto endpoint = Endpoint::parse(text);
  if (!endpoint) return Error{ErrorCode::kInvalidArgument, reader.path(key) + ": " + endpoint.error().message};
  out = *endpoint;
  return {};
}
Json written(const Endpoint& value) { return value.to_string(); }

Result<void> read(const ObjectReader& reader, std::string_view key, api::Uploads& out) {
  HEARSAY_TRY(const std::string text, reader.get_string(key));
  if (text != "open" && text != "token") {
    return Error{ErrorCode::kInvalidArgument, reader.path(key) + " must be open or token"};
  }
  out = text == "open" ? api::Uploads::kOpen : api::Uploads::kToken;
  return {};
}
Json written(api::Uploads value) { return value == api::Uploads::kOpen ? "open" : "token"; }

Result<void> read(const ObjectReader& reader, std::string_view key, LogLevel& out) {
  HEARSAY_TRY(const std::string text, reader.get_string(key));
  const auto level = parse_log_level(text);
  if (!level) return Error{ErrorCode::kInvalidArgument, reader.path(key) + " must be debug, info, warn or error"};
  out = *level;
  return {};
}
Json written(LogLevel value) { return log_level_name(value); }

Result<void> read(const ObjectReader& reader, std::string_view key, bool& out) {
  HEARSAY_TRY(out, reader.get_bool(key));
  return {};
}
Json written(std::same_as<bool> auto value) { return value; }  // a template, so integers do not become bool

Json written(std::uint64_t value) { return value; }
Json written(std::chrono::seconds value) { return value.count(); }

Result<Digest> parse_digest(std::string_view hex) {
  Digest digest{};
  bool valid = hex.size() == 2 * digest.size();
  for (std::size_t i = 0; valid && i < digest.size(); ++i) {
    const char* first = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(first, first + 2, digest[i], 16);
    valid = error == std::errc{} && end == first + 2;
  }
  if (!valid) return Error{ErrorCode::kInvalidArgument, "not a SHA-256 in hexadecimal"};
  return digest;
}

constexpr std::array<std::pair<api::Role, std::string_view>, 3> kRoles{
    {{api::Role::kAdmin, "admin"}, {api::Role::kAnalyst, "analyst"}, {api::Role::kUploader, "uploader"}}};

// Reads a name for the log or for metrics. The name must be short, and must have no characters that could mislead a
// reader.
Result<std::string> parse_name(const ObjectReader& reader, std::string_view key) {
  constexpr std::size_t kMost = 64;
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
  HEARSAY_TRY(std::string name, reader.get_string(key));
  if (name.empty() || name.size() > kMost || name.find_first_not_of(kAllowed) != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument,
                 reader.path(key) + " must have 1 to 64 characters: letters a-z and A-Z, digits, and . _ @ -"};
  }
  return name;
}

Result<api::TokenHash> parse_token(const Json& json, const std::string& where) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(json, where));
  HEARSAY_CHECK_OK(reader.allow_only({"name", "role", "sha256", "task"}));
  HEARSAY_TRY(const std::string role, reader.get_string("role"));
  HEARSAY_TRY(const std::string hex, reader.get_string("sha256"));
  const auto digest = parse_digest(hex);
  if (!digest) return Error{ErrorCode::kInvalidArgument, reader.path("sha256") + " is " + digest.error().message};
  const auto known = std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& r) { return r.second == role; });
  if (known == kRoles.end()) {
    return Error{ErrorCode::kInvalidArgument, reader.path("role") + " must be admin, analyst or uploader"};
  }
  api::TokenHash token{known->first, *digest, std::nullopt, ""};
  if (reader.has("name")) {
    HEARSAY_TRY(token.name, parse_name(reader, "name"));
  }
  if (!reader.has("task")) return token;
  if (token.role != api::Role::kUploader) {
    return Error{ErrorCode::kInvalidArgument, reader.path("task") + " is only for uploaders"};
  }
  HEARSAY_TRY(const std::string task, reader.get_string("task"));
  const auto id = TaskId::parse(task);
  if (!id) return Error{ErrorCode::kInvalidArgument, reader.path("task") + " is not a task id"};
  token.task = *id;
  return token;
}

Result<void> read(const ObjectReader& reader, std::string_view key, std::vector<api::TokenHash>& out) {
  HEARSAY_TRY(const Json* tokens, reader.get_array(key));
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    HEARSAY_TRY(const api::TokenHash token,
                parse_token((*tokens)[i], reader.path("tokens[" + std::to_string(i) + "]")));
    // If one token had two names, or two tokens had one name, the log would not show who did what.
    const auto twin = std::find_if(out.begin(), out.end(), [&](const api::TokenHash& other) {
      const bool same_name = !token.name.empty() && other.name == token.name;
      return other.sha256 == token.sha256 ? other.name != token.name : same_name;
    });
    if (twin != out.end()) {
      const std::string where = reader.path("tokens[" + std::to_string(i) + "]");
      return Error{
          ErrorCode::kInvalidArgument,
          twin->sha256 == token.sha256
              ? where + ".sha256 is the hash of an earlier token with another name: give the token one name"
              : where + ".name is '" + token.name + "', the name of an earlier token: give each token its own name"};
    }
    out.push_back(token);
  }
  return {};
}
Json written(const std::vector<api::TokenHash>& tokens) {
  Json list = Json::array();
  for (const api::TokenHash& token : tokens) {
    const auto role = std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& r) { return r.first == token.role; });
    Json line{{"role", role->second}, {"sha256", hex_encode(token.sha256)}};
    if (!token.name.empty()) line["name"] = token.name;
    if (token.task) line["task"] = token.task->to_string();
    list.push_back(std::move(line));
  }
  return list;
}

struct Key {
  std::string_view name;
  Result<void> (*read_into)(const ObjectReader& reader, std::string_view key, DaemonConfig& config);
  Json (*write_from)(const DaemonConfig& config);
};

template <auto Member>
constexpr Key key(std::string_view name) {
  return {name,
          [](const ObjectReader& reader, std::string_view k, DaemonConfig& c) { return read(reader, k, c.*Member); },
          [](const DaemonConfig& c) { return written(c.*Member); }};
}

// Describes a key whose value is an integer or a duration in seconds.
template <auto Member, std::int64_t Min, std::int64_t Max>
constexpr Key number(std::string_view name) {
  return {name,
          [](const ObjectReader& reader, std::string_view k, DaemonConfig& c) -> Result<void> {
            HEARSAY_TRY(const std::int64_t value, reader.get_int(k, Min, Max));
            c.*Member = static_cast<std::remove_reference_t<decltype(c.*Member)>>(value);
            return {};
          },
          [](const DaemonConfig& c) { return written(c.*Member); }};
}

// Unlike other names, the name of the instance may be empty.
Result<void> read_instance(const ObjectReader& reader, std::string_view key, DaemonConfig& config) {
  HEARSAY_TRY(config.instance, reader.get_string(key));
  if (config.instance.empty()) return {};
  HEARSAY_TRY(config.instance, parse_name(reader, key));
  return {};
}

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kTebibyte = std::int64_t{1} << 40;

// The keys have the order of aggregator/docs/config.md.
using C = DaemonConfig;
constexpr std::array kKeys{
    key<&C::store>("store"),
    key<&C::allow_lossy_database>("allow_lossy_database"),
    key<&C::allow_unverified_database>("allow_unverified_database"),
    key<&C::certificate>("certificate"),
    key<&C::private_key>("private_key"),
    key<&C::client_ca>("client_ca"),
    key<&C::listen>("listen"),
    key<&C::operator_listen>("operator_listen"),
    key<&C::operator_hosts>("operator_hosts"),
    key<&C::ready_file>("ready_file"),
    Key{"instance", read_instance, [](const C& config) { return written(config.instance); }},
    key<&C::proxy_protocol_from>("proxy_protocol_from"),
    key<&C::shared_addresses>("shared_addresses"),
    key<&C::tokens>("tokens"),
    key<&C::uploads>("uploads"),
    key<&C::allowed_origins>("allowed_origins"),
    number<&C::threads, 1, 256>("threads"),
    number<&C::max_connections, 1, 1'000'000>("max_connections"),
    number<&C::max_connections_per_address, 1, 1'000'000>("max_connections_per_address"),
    number<&C::max_body_bytes, 1024, 1 << 30>("max_body_bytes"),
    number<&C::max_buffered_bytes, 1024, kTebibyte>("max_buffered_bytes"),
    number<&C::max_buffered_bytes_per_address, 1024, kTebibyte>("max_buffered_bytes_per_address"),
    number<&C::max_queued_bytes, 1024, kTebibyte>("max_queued_bytes"),
    number<&C::max_index_bytes, 0, kTebibyte>("max_index_bytes"),
    number<&C::max_analysis_bytes, 1 << 20, kTebibyte>("max_analysis_bytes"),
    number<&C::max_window_pairs, 1, std::int64_t{1} << 32>("max_window_pairs"),
    number<&C::max_task_windows, 1, std::int64_t{1} << 32>("max_task_windows"),
    number<&C::max_tally_pairs, 1, std::int64_t{1} << 32>("max_tally_pairs"),
    number<&C::handshake_timeout, 1, kDay>("handshake_timeout_seconds"),
    number<&C::first_byte_timeout, 1, kDay>("first_byte_timeout_seconds"),
    number<&C::header_timeout, 1, kDay>("header_timeout_seconds"),
    number<&C::body_timeout, 1, kDay>("body_timeout_seconds"),
    number<&C::idle_timeout, 1, kDay>("idle_timeout_seconds"),
    number<&C::write_timeout, 1, kDay>("write_timeout_seconds"),
    number<&C::analysis_timeout, 1, kDay>("analysis_timeout_seconds"),
    number<&C::clock_skew, 0, 366 * kDay>("clock_skew_seconds"),
    number<&C::clock_settling, 0, 366 * kDay>("clock_settling_seconds"),
    number<&C::drain, 0, 3600>("drain_seconds"),
    number<&C::expiry_interval, 1, 366 * kDay>("expiry_interval_seconds"),
    key<&C::backup_directory>("backup_directory"),
    number<&C::min_free_bytes, 0, 1024 * kTebibyte>("min_free_bytes"),
    key<&C::log_level>("log_level"),
};

Result<void> check_backups(const DaemonConfig& config) {
  const auto normal = [](const std::string& path) {
    std::error_code ignored;
    const auto found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    return found.has_filename() ? found : found.parent_path();  // a path such as "store/"
  };
  const std::filesystem::path store = normal(config.store);
  const std::filesystem::path backups = normal(config.backup_directory);
  if (std::mismatch(store.begin(), store.end(), backups.begin(), backups.end()).first == store.end()) {
    return Error{ErrorCode::kInvalidArgument, std::string("backup_directory is ") +
                                                  (backups == store ? "the store's" : "in the store's") +
                                                  "; a backup needs a directory of its own"};
  }
  return {};
}

Result<void> check_database(const DaemonConfig& config) {
  if (!config.backup_directory.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "backup_directory is for a store in a directory; a database is backed up by PostgreSQL's own means "
                 "(pg_basebackup, pg_dump)"};
  }
  if (config.instance.empty()) {
    return Error{ErrorCode::kMissingKey,
                 "'instance' is not set: each daemon of a database needs a name that no other daemon has"};
  }
  return {};
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view text) {
  const Error malformed{
      ErrorCode::kInvalidArgument,
      "'" + std::string(text) + "' must be an IP address and a port, like 127.0.0.1:8443, [::1]:8443 or [::]:8443"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return malformed;
  std::string_view address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  } else if (address.find(':') != std::string_view::npos) {
    return malformed;
  }
  const std::string_view digits = text.substr(colon + 1);
  Endpoint endpoint{std::string(address), 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
  boost::system::error_code no_address;
  boost::asio::ip::make_address(address, no_address);
  if (no_address || error != std::errc{} || end != digits.data() + digits.size()) return malformed;
  return endpoint;
}

std::string Endpoint::to_string() const {
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? '[' + address + ']' : address) + ':' + std::to_string(port);
}

Result<DaemonConfig> parse_config(std::string_view json) {
  HEARSAY_TRY(const Json document, parse_json(json));
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(document, ""));
  for (const auto& [name, value] : document.items()) {
    const auto known = [&name = name](const Key& key) { return key.name == name; };
    if (std::none_of(kKeys.begin(), kKeys.end(), known)) {
      return Error{ErrorCode::kUnknownKey, name + " is no key of the configuration"};
    }
  }
  DaemonConfig config;
  for (const Key& key : kKeys) {
    if (reader.has(key.name)) HEARSAY_CHECK_OK(key.read_into(reader, key.name, config));
  }
  return config;
}

std::string render_config(const DaemonConfig& config) {
  std::string text = "{";
  for (const Key& key : kKeys) {
    if (text.size() > 1) text += ',';
    text += "\n  " + Json(key.name).dump() + ": " + key.write_from(config).dump();
  }
  return text + "\n}\n";
}

Result<void> check_config(const DaemonConfig& config) {
  const auto missing = [](std::string_view key) {
    return Error{ErrorCode::kMissingKey,
                 "'" + std::string(key) + "' is set neither in the configuration nor by a flag"};
  };
  if (config.store.empty()) return missing("store");
  if (config.certificate.empty()) return missing("certificate");
  if (config.private_key.empty()) return missing("private_key");
  if (const auto checked = store::check_location(config.store); !checked) {
    return Error{checked.error().code, "store: " + checked.error().message};
  }
  if (store::is_database(config.store)) return check_database(config);
  return config.backup_directory.empty() ? Result<void>() : check_backups(config);
}

}  // namespace hearsay::daemon
