#include "aggregator/store/location/location.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <sstream>

#include "aggregator/store/postgres/postgres.h"
#include "aggregator/store/rocks/rocks.h"
#include "aggregator/store/spread/postgres_member.h"
#include "common/base/try.h"

namespace hearsay::store {
namespace {

Error refused(const std::string& why) { return {ErrorCode::kInvalidArgument, why}; }

bool contains_case_insensitively(std::string_view text, std::string_view lower_case) {
  const auto equal = [](unsigned char a, unsigned char b) { return std::tolower(a) == b; };
  return std::search(text.begin(), text.end(), lower_case.begin(), lower_case.end(), equal) != text.end();
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Settings = std::map<std::string, std::string>;

Result<Settings> settings_of(const std::string& uri) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> parsed(PQconninfoParse(uri.c_str(), &message));
  PQfreemem(message);  // not shown: the message may quote a password
  if (!parsed) {
    return refused(
        "libpq cannot read the database's URI: write postgresql://USER@HOST:PORT/DATABASE, with special characters as "
        "%XX");
  }
  Settings settings;
  for (const PQconninfoOption* each = parsed.get(); each->keyword != nullptr; ++each) {
    if (each->val != nullptr && each->val[0] != '\0') settings.emplace(each->keyword, each->val);
  }
  return settings;
}

Result<void> check_database(const std::string& uri) {
  HEARSAY_TRY(Settings settings, settings_of(uri));
  for (const char* const secret : {"password", "sslpassword"}) {
    if (!settings.contains(secret)) continue;
    return refused(
        std::string("the database's URI holds a ") + secret +
        ", which others can read there: take it out, and put the password into the file that passfile=FILE in "
        "the URI, PGPASSFILE or ~/.pgpass names");
  }
  if (settings.contains("service")) {
    return refused(
        "the database's URI names a service file, whose contents are not checked: write the settings into the "
        "URI");
  }
  const bool several =
      settings["host"].find(',') != std::string::npos || settings["hostaddr"].find(',') != std::string::npos;
  const std::string& attributes = settings["target_session_attrs"];
  if (several && attributes != "read-write" && attributes != "primary") {
    return refused(
        "the database's URI names several hosts, and libpq would take the first that answers, even a standby: add "
        "target_session_attrs=read-write");
  }
  return {};
}

}  // namespace

std::vector<std::string> databases_of(std::string_view location) {
  std::istringstream words{std::string(location)};
  return {std::istream_iterator<std::string>(words), {}};
}

bool is_database(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

Result<void> check_location(const std::string& location) {
  if (is_database(location)) {
    for (const std::string& database : databases_of(location)) {
      if (!is_database(database)) return refused("each of several databases is named by a URI, postgresql://…");
      HEARSAY_CHECK_OK(check_database(database));
    }
    return {};
  }
  // The following texts are not directories. If these texts counted as directories, messages would show the texts with
  // their secrets.
  if (location.find("://") != std::string::npos) {
    return refused("a store is a directory, or a database whose URI begins with postgresql://");
  }
  constexpr std::array<std::string_view, 5> kSettings{"host=", "dbname=", "password=", "postgres:", "postgresql:"};
  const auto holds = [&](std::string_view setting) { return contains_case_insensitively(location, setting); };
  if (std::any_of(kSettings.begin(), kSettings.end(), holds)) {
    return refused(
        "a store is a directory, or a database: write the database as a URI, postgresql://USER@HOST/DATABASE");
  }
  return {};
}

Result<std::unique_ptr<Store>> open_to_read(const std::string& location, const DatabaseAllowances& allowances,
                                            Clock& clock) {
  HEARSAY_CHECK_OK(check_location(location));
  if (!is_database(location)) return rocks::open({.path = location, .read_only = true});
  std::vector<postgres::Options> databases;
  for (const std::string& uri : databases_of(location)) {
    databases.push_back({.uri = uri,
                         .read_only = true,
                         .allow_lossy_server = allowances.lossy,
                         .allow_unverified_server = allowances.unverified});
  }
  return spread::open_databases(databases, {}, clock);
}

}  // namespace hearsay::store
