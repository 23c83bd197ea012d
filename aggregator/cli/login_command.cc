#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/profile.h"
#include "aggregator/console/bearer_token.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/terminal.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

Result<std::string> path_of_profile() {
  const std::string path = profile_path();
  if (!path.empty()) return path;
  return Error{ErrorCode::kInvalidArgument,
               "there is no place for a profile: set HOME or XDG_CONFIG_HOME to an absolute path"};
}

// The profile has absolute paths, because later commands may run in another directory.
Result<void> make_absolute(std::string& path) {
  if (path.empty()) return {};
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::canonical(path, failed);
  if (failed) return Error{ErrorCode::kIo, "cannot read '" + path + "': " + failed.message()};
  path = absolute.string();
  return {};
}

Result<std::string> token_of(const ServerFlags& flags) {
  if (flags.token_file.empty()) {
    HEARSAY_TRY(const std::string text, console::read_secret("Token (not shown): "));
    return console::parse_bearer_token(text, "standard input");
  }
  HEARSAY_TRY(const std::string text, console::read_file(flags.token_file));
  return console::parse_bearer_token(text, "the token file '" + flags.token_file + "'");
}

Result<int> login(const ServerFlags& flags) {
  HEARSAY_TRY(const std::string path, path_of_profile());
  Server server = flags.said();
  if (server.url.empty()) {
    return Error{ErrorCode::kInvalidArgument, "--server is missing: give the URL of the aggregator"};
  }
  for (std::string* file : {&server.ca_file, &server.certificate, &server.private_key}) {
    HEARSAY_CHECK_OK(make_absolute(*file));
  }
  HEARSAY_TRY(server.token, token_of(flags));
  // This call checks whether the aggregator knows the token. An uploader's token may not list tasks. The aggregator
  // answers "forbidden" for such a token, and so knows it.
  const auto listed = call(server, "GET", "/v1/tasks", "");
  if (!listed && !is_refusal(listed.error(), ErrorCode::kForbidden)) return listed.error();
  HEARSAY_CHECK_OK(write_profile(path, server));
  std::cout << "Logged in to " << server.url << ". The token is in " << path << ", which only you can read.\n";
  return 0;
}

Result<int> logout() {
  HEARSAY_TRY(const std::string path, path_of_profile());
  std::error_code failed;
  const bool was_there = std::filesystem::remove(path, failed);
  if (failed) return Error{ErrorCode::kIo, "cannot remove '" + path + "': " + failed.message()};
  std::cout << (was_there ? "Logged out: " + path + " is gone.\n" : "There was no profile.\n");
  return 0;
}

}  // namespace

void add_login_commands(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<ServerFlags>();
  CLI::App* command =
      app.add_subcommand("login", "Save the server, certificate authorities and token for later commands");
  flags->add_to(*command);
  // `login` does not read the profile, so these descriptions do not name the profile.
  command->get_option("--server")->description("URL of the aggregator; default: HEARSAY_SERVER");
  command->get_option("--ca")->description(
      "PEM file with the certificate authorities to trust; default: HEARSAY_CA, else the system's");
  command->get_option("--token-file")->description("File with the bearer token; default: standard input");
  console::set_examples(*command,
                        {{"type the token at the prompt", "hearsay login --server https://aggregator.example"},
                         {"from a password store",
                          "pass show hearsay | hearsay login --server "
                          "https://aggregator.example --ca ca.pem"}});
  command->callback([&chosen, flags] { chosen = [flags] { return login(*flags); }; });
  CLI::App* end = app.add_subcommand("logout", "Delete what `hearsay login` saved");
  console::set_examples(*end, {{"", "hearsay logout"}});
  end->callback([&chosen] { chosen = [] { return logout(); }; });
}

}  // namespace hearsay::cli
