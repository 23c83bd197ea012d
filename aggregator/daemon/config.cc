#include "aggregator/daemon/config.h"

#include <array>
#include <charconv>

#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

constexpr std::array<std::string_view, 4> kLogLevels{"debug", "info", "warn", "error"};

Result<void> read_string(const ObjectReader& reader, std::string_view key, std::string& out) {
  if (!reader.has(key)) return {};
  HEARSAY_TRY(out, reader.get_string(key));
  return {};
}

template <class Integer>
Result<void> read_int(const ObjectReader& reader, std::string_view key, std::int64_t min, std::int64_t max,
                      Integer& out) {
  if (!reader.has(key)) return {};
  HEARSAY_TRY(const std::int64_t value, reader.get_int(key, min, max));
  out = static_cast<Integer>(value);
  return {};
}

Result<void> read_endpoint(const ObjectReader& reader, std::string_view key, Endpoint& out) {
  if (!reader.has(key)) return {};
  HEARSAY_TRY(const std::string text, reader.get_string(key));
  const auto endpoint = Endpoint::parse(text);
  if (!endpoint) return Error{ErrorCode::kInvalidArgument, reader.path(key) + ": " + endpoint.error().message};
  out = *endpoint;
  return {};
}

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

Result<TokenHash> parse_token(const Json& json, const std::string& where) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(json, where));
  HEARSAY_CHECK_OK(reader.allow_only({"role", "sha256"}));
  HEARSAY_TRY(const std::string role, reader.get_string("role"));
  HEARSAY_TRY(const std::string hex, reader.get_string("sha256"));
  const auto digest = parse_digest(hex);
  if (!digest) return Error{ErrorCode::kInvalidArgument, reader.path("sha256") + " is " + digest.error().message};
  if (role == "admin") return TokenHash{Role::kAdmin, *digest};
  if (role == "analyst") return TokenHash{Role::kAnalyst, *digest};
  return Error{ErrorCode::kInvalidArgument, reader.path("role") + " must be admin or analyst"};
}

Result<void> read_tokens(const ObjectReader& reader, std::vector<TokenHash>& out) {
  if (!reader.has("tokens")) return {};
  HEARSAY_TRY(const Json* tokens, reader.get_array("tokens"));
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    HEARSAY_TRY(const TokenHash token, parse_token((*tokens)[i], reader.path("tokens[" + std::to_string(i) + "]")));
    out.push_back(token);
  }
  return {};
}

Result<void> read_numbers(const ObjectReader& reader, DaemonConfig& config) {
  std::int64_t drain = config.drain.count();
  HEARSAY_CHECK_OK(read_int(reader, "threads", 1, 256, config.threads));
  HEARSAY_CHECK_OK(read_int(reader, "max_connections", 1, 1'000'000, config.max_connections));
  HEARSAY_CHECK_OK(read_int(reader, "max_body_bytes", 1024, 1 << 30, config.max_body_bytes));
  HEARSAY_CHECK_OK(read_int(reader, "max_queued_bytes", 1024, std::int64_t{1} << 40, config.max_queued_bytes));
  HEARSAY_CHECK_OK(read_int(reader, "clock_skew_seconds", 0, 366 * 86'400, config.clock_skew_seconds));
  HEARSAY_CHECK_OK(read_int(reader, "drain_seconds", 0, 3600, drain));
  config.drain = std::chrono::seconds(drain);
  return {};
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view text) {
  const Error malformed{ErrorCode::kInvalidArgument, "an endpoint is address:port, like 127.0.0.1:8443 or [::1]:8443"};
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
  if (address.empty() || error != std::errc{} || end != digits.data() + digits.size()) return malformed;
  return endpoint;
}

Result<DaemonConfig> parse_config(std::string_view json) {
  HEARSAY_TRY(const Json document, parse_json(json));
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(document, "config"));
  HEARSAY_CHECK_OK(reader.allow_only({"store", "certificate", "private_key", "listen", "operator_listen", "ready_file",
                                      "tokens", "threads", "max_connections", "max_body_bytes", "max_queued_bytes",
                                      "clock_skew_seconds", "drain_seconds", "log_level"}));
  DaemonConfig config;
  HEARSAY_CHECK_OK(read_string(reader, "store", config.store));
  HEARSAY_CHECK_OK(read_string(reader, "certificate", config.certificate));
  HEARSAY_CHECK_OK(read_string(reader, "private_key", config.private_key));
  HEARSAY_CHECK_OK(read_string(reader, "ready_file", config.ready_file));
  HEARSAY_CHECK_OK(read_string(reader, "log_level", config.log_level));
  HEARSAY_CHECK_OK(read_endpoint(reader, "listen", config.listen));
  HEARSAY_CHECK_OK(read_endpoint(reader, "operator_listen", config.operator_listen));
  HEARSAY_CHECK_OK(read_tokens(reader, config.tokens));
  HEARSAY_CHECK_OK(read_numbers(reader, config));
  return config;
}

Result<void> check_config(const DaemonConfig& config) {
  const auto missing = [](std::string_view key) {
    return Error{ErrorCode::kMissingKey,
                 "'" + std::string(key) + "' is set neither in the configuration nor by a flag"};
  };
  if (config.store.empty()) return missing("store");
  if (config.certificate.empty()) return missing("certificate");
  if (config.private_key.empty()) return missing("private_key");
  if (std::find(kLogLevels.begin(), kLogLevels.end(), config.log_level) == kLogLevels.end()) {
    return Error{ErrorCode::kInvalidArgument, "log_level must be debug, info, warn or error"};
  }
  return {};
}

}  // namespace hearsay::aggregator
