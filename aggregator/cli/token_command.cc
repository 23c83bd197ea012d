#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/random/bit_source.h"
#include "common/random/hash.h"

namespace hearsay::cli {

namespace {

struct TokenFlags {
  std::string role;
  std::string name;
  std::string task;
  console::OutputFile file;
};

// Returns true for an empty text, and for a name that the daemon's configuration accepts, see
// aggregator/docs/config.md.
bool is_token_name(const std::string& name) {
  return name.size() <= 64 && name.find_first_not_of(
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._@-") == std::string::npos;
}

Result<Json> token_line(const TokenFlags& flags) {
  Json line{{"role", flags.role}};
  if (!is_token_name(flags.name)) {
    return Error{ErrorCode::kInvalidArgument, "--name takes 1 to 64 of the letters a-z and A-Z, digits and . _ @ -"};
  }
  if (!flags.name.empty()) line["name"] = flags.name;
  if (flags.task.empty()) return line;
  if (flags.role != "uploader") return Error{ErrorCode::kInvalidArgument, "--task is only for an uploader's token"};
  HEARSAY_TRY(const TaskId task, console::named("--task", TaskId::parse(flags.task)));
  line["task"] = task.to_string();
  return line;
}

// Prints only the values to standard output, so that a script can use them. Explanations go to standard error.
Result<int> make_token(const TokenFlags& flags) {
  HEARSAY_TRY(Json line, token_line(flags));
  std::array<std::uint8_t, 32> secret{};
  system_bit_source().fill(secret);
  const std::string token = base64url_encode(secret);
  const Digest digest = sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});
  line["sha256"] = hex_encode(digest);
  if (flags.file.path.empty()) {
    std::cerr << "The token is a secret, and there is no other copy of it:\n";
    std::cout << token << '\n';
    HEARSAY_CHECK_OK(console::flush_output());
  } else {
    HEARSAY_CHECK_OK(flags.file.write(token + '\n', S_IRUSR | S_IWUSR));
    std::cerr << "The token is in " << flags.file.path << ".\n";
  }
  std::cerr << "The token's line for \"tokens\" in the daemon's configuration:\n";
  std::cout << line.dump() << '\n';
  return 0;
}

}  // namespace

void add_token_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<TokenFlags>();
  CLI::App* command = app.add_subcommand("token", "Make a bearer token, and its line for the daemon's configuration");
  command->add_option("role,--role", flags->role, "admin, analyst or uploader")
      ->required()
      ->check(CLI::IsMember({"admin", "analyst", "uploader"}));
  command->add_option("--name", flags->name, "Who holds the token, for the daemon's log");
  command->add_option("--task", flags->task, "For an uploader's token: the only task to which it may post reports");
  flags->file.add_to(*command, "Write the token to this file, readable only by its owner, instead of to the screen");
  console::set_examples(*command, {{"a token for an analyst", "hearsay token analyst --name ana --write ana.token"}});
  command->callback([&chosen, flags] { chosen = [flags] { return make_token(*flags); }; });
}

}  // namespace hearsay::cli
