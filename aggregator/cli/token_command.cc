#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
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
};

// What the daemon takes as a name, see aggregator/docs/config.md.
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
  if (flags.role != "uploader") return Error{ErrorCode::kInvalidArgument, "only an uploader's token may name a task"};
  HEARSAY_TRY(const TaskId task, TaskId::parse(flags.task));
  line["task"] = task.to_string();
  return line;
}

}  // namespace

void add_token_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<TokenFlags>();
  CLI::App* command = app.add_subcommand("token", "Make a bearer token and the line for the daemon's configuration");
  command->add_option("role,--role", flags->role, "admin, analyst or uploader")
      ->required()
      ->check(CLI::IsMember({"admin", "analyst", "uploader"}));
  command->add_option("--name", flags->name, "Who holds the token, for the daemon's log");
  command->add_option("--task", flags->task, "An uploader's: the only task it may post reports to");
  command->callback([&chosen, flags] {
    chosen = [flags]() -> Result<int> {
      HEARSAY_TRY(Json line, token_line(*flags));
      std::array<std::uint8_t, 32> secret{};
      system_bit_source().fill(secret);
      const std::string token = base64url_encode(secret);
      const Digest digest = sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});
      std::cout << token << '\n';
      line["sha256"] = hex_encode(digest);
      std::cerr << line.dump() << '\n';
      return 0;
    };
  });
}

}  // namespace hearsay::cli
