#include "aggregator/cli/profile.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 10U;

Error unsafe(const std::string& path, const std::string& what) {
  return {ErrorCode::kInvalidArgument,
          "the profile '" + path + "' " + what + ", and holds a token: run chmod 600 on it, or `hearsay login` again"};
}

Result<void> check_owner(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return unsafe(path, "is no regular file");
  if (status.st_uid != ::geteuid()) return unsafe(path, "belongs to somebody else");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) return unsafe(path, "is open to others");
  return {};
}

}  // namespace

std::string profile_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path directory;
  if (config != nullptr && *config == '/') {  // the XDG specification says to ignore relative paths
    directory = config;
  } else if (home != nullptr && *home == '/') {
    directory = std::filesystem::path(home) / ".config";
  } else {
    return "";
  }
  return directory / "hearsay" / "profile.json";
}

Result<std::optional<Server>> read_profile(const std::string& path) {
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return std::optional<Server>();
  HEARSAY_CHECK_OK(check_owner(path, status));
  HEARSAY_TRY(const std::string text, console::read_file(path, kMostBytes));
  const auto read = [&]() -> Result<Server> {
    HEARSAY_TRY(const Json json, parse_json(text));
    HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(json, "profile"));
    HEARSAY_CHECK_OK(reader.allow_only({"server", "ca", "token", "certificate", "private_key"}));
    Server server;
    HEARSAY_TRY(server.url, reader.get_string("server"));
    HEARSAY_TRY(server.token, reader.get_string("token"));
    const std::pair<const char*, std::string*> files[] = {
        {"ca", &server.ca_file}, {"certificate", &server.certificate}, {"private_key", &server.private_key}};
    for (const auto& [key, member] : files) {
      if (!reader.has(key)) continue;
      HEARSAY_TRY(*member, reader.get_string(key));
    }
    return server;
  };
  HEARSAY_TRY(Server server, console::named("the profile '" + path + "'", read()));
  return std::optional<Server>(std::move(server));
}

Result<void> write_profile(const std::string& path, const Server& server) {
  Json json{{"server", server.url}, {"token", server.token}};
  if (!server.ca_file.empty()) json["ca"] = server.ca_file;
  if (!server.certificate.empty()) json["certificate"] = server.certificate;
  if (!server.private_key.empty()) json["private_key"] = server.private_key;
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (failed) return Error{ErrorCode::kIo, "cannot make the directory of '" + path + "': " + failed.message()};
  const std::string fresh = path + "." + std::to_string(::getpid());
  HEARSAY_CHECK_OK((console::OutputFile{fresh, true}.write(json_text(json, 2) + '\n', S_IRUSR | S_IWUSR)));
  std::filesystem::rename(fresh, path, failed);
  if (!failed) return {};
  ::unlink(fresh.c_str());
  return Error{ErrorCode::kIo, "cannot write '" + path + "': " + failed.message()};
}

}  // namespace hearsay::cli
