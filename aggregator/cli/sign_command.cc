#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <vector>

#include "aggregator/cli/commands.h"
#include "aggregator/console/help.h"
#include "common/base/try.h"
#include "common/task_list/sign.h"

namespace hearsay::cli {
namespace {

struct SignFlags {
  std::string key;
  std::uint64_t number = 0;
  UnixSeconds expires = 0;
  std::vector<std::string> files;
};

Result<int> sign(const SignFlags& flags) {
  std::vector<Task> tasks;
  for (const std::string& file : flags.files) {
    HEARSAY_TRY(Task task, read_task(file));
    tasks.push_back(std::move(task));
  }
  HEARSAY_TRY(const SignedTaskList list, sign_task_list({flags.number, flags.expires, tasks}, flags.key));
  std::cout << list.text << '\n';
  std::cerr << "The app needs this key to read the list: " << list.key.to_string() << '\n';
  return 0;
}

}  // namespace

void add_sign_command(CLI::App& task, console::Action& chosen) {
  auto flags = std::make_shared<SignFlags>();
  CLI::App* command = task.add_subcommand("sign", "Print a list of tasks for an app, signed with the author's key");
  command->add_option("files", flags->files, "Task documents")->required();
  command
      ->add_option("--key", flags->key,
                   "PEM file with the author's private key: openssl genpkey -algorithm ed25519 -out KEY.pem")
      ->required();
  command->add_option("--number", flags->number, "Number of the list; must be larger than the previous list's")
      ->required();
  command->add_option("--expires", flags->expires, "Time when apps stop using the list, in seconds since 1970")
      ->required();
  console::set_examples(
      *command, {{"", "hearsay task sign task.json --key author.pem --number 2 --expires 1798761600 >tasks.json"}});
  command->callback([&chosen, flags] { chosen = [flags] { return sign(*flags); }; });
}

}  // namespace hearsay::cli
