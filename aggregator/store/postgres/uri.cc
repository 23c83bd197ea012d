#include "aggregator/store/postgres/uri.h"

#include <libpq-fe.h>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Settings = std::map<std::string, std::string>;

using OwnedOptions = std::unique_ptr<PQconninfoOption, FreeOptions>;

void add_missing(Settings& settings, const OwnedOptions& options) {
  for (const PQconninfoOption* each = options.get(); each != nullptr && each->keyword != nullptr; ++each) {
    if (each->val != nullptr && each->val[0] != '\0') settings.try_emplace(each->keyword, each->val);
  }
}

Result<Settings> settings_of(const std::string& uri) {
  char* message = nullptr;
  const OwnedOptions parsed(PQconninfoParse(uri.c_str(), &message));
  PQfreemem(message);  // not shown: the message may quote the password
  if (uri.empty() || parsed == nullptr) {
    return Error{ErrorCode::kInvalidArgument,
                 "libpq cannot read the database's URI: write postgresql://USER@HOST/DATABASE, with special "
                 "characters as %XX"};
  }
  Settings settings;
  add_missing(settings, parsed);
  add_missing(settings, OwnedOptions(PQconndefaults()));
  return settings;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    parts.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

// An empty host stands for a socket of this machine.
bool is_local(const std::string& host) {
  if (host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost") return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

}  // namespace

Result<void> check_uri(const std::string& uri, bool allow_unverified) {
  HEARSAY_TRY(Settings settings, settings_of(uri));
  if (!settings["service"].empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the database's URI names a service file, whose contents cannot be checked: write the settings into "
                 "the URI"};
  }
  if (allow_unverified || settings["sslmode"] == "verify-full") return {};
  for (const char* const setting : {"host", "hostaddr"}) {
    for (const std::string& host : split(settings[setting])) {
      if (is_local(host)) continue;
      return Error{ErrorCode::kStoreFailed,
                   "the database's host " + host +
                       " is not on this machine, and sslmode is below verify-full: add sslmode=verify-full and "
                       "sslrootcert=FILE to the URI"};
    }
  }
  return {};
}

std::string database_name(const std::string& uri) {
  const auto read = settings_of(uri);
  Settings settings = read ? *read : Settings();
  const std::vector<std::string> hosts = split(settings[settings["host"].empty() ? "hostaddr" : "host"]);
  const std::vector<std::string> ports = split(settings["port"]);
  std::string name = "database " + settings[settings["dbname"].empty() ? "user" : "dbname"] + " on ";
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& port = ports[std::min(i, ports.size() - 1)];  // one port serves for all hosts
    name += (i == 0 ? "" : ",") + (hosts[i].empty() ? "this machine" : hosts[i]) + (port.empty() ? "" : ":" + port);
  }
  return name;
}

}  // namespace hearsay::store::postgres
