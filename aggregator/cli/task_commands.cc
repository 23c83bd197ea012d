#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/console/output.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct TaskFlags {
  ServerFlags server;
  std::string argument;  // a file or a task id
};

using Perform = Result<std::string> (*)(const Server& server, const std::string& argument);

void add(CLI::App& parent, console::Action& chosen, const std::string& name, const std::string& what,
         const std::string& argument, Perform perform) {
  auto flags = std::make_shared<TaskFlags>();
  CLI::App* command = parent.add_subcommand(name, what);
  flags->server.add_to(*command);
  if (!argument.empty()) command->add_option(argument, flags->argument)->required();
  command->callback([&chosen, flags, perform] {
    chosen = [flags, perform]() -> Result<int> {
      HEARSAY_TRY(const Server server, flags->server.resolve());
      HEARSAY_TRY(const std::string answer, perform(server, flags->argument));
      if (!answer.empty()) std::cout << answer << '\n';
      return 0;
    };
  });
}

Result<std::string> create(const Server& server, const std::string& file) {
  // Parsed here first: an invalid document is refused with the same words, without a server.
  HEARSAY_TRY(const Task task, read_task(file));
  HEARSAY_TRY(const std::string answer, call(server, "POST", "/v1/tasks", task.canonical_json()));
  HEARSAY_TRY(const Json created, parse_json(answer));
  for (const Json& warning : created.at("warnings")) std::cerr << "warning: " << warning.get<std::string>() << '\n';
  return created.value("task", "");
}

Result<std::string> id(const Server&, const std::string& file) {
  HEARSAY_TRY(const Task task, read_task(file));
  return task.id().to_string();
}

Result<std::string> show(const Server& server, const std::string& task) {
  return call_for_json(server, "GET", "/v1/tasks/" + task, "");
}

Result<std::string> list(const Server& server, const std::string&) {
  return call_for_json(server, "GET", "/v1/tasks", "");
}

Result<std::string> close(const Server& server, const std::string& task) {
  return call(server, "POST", "/v1/tasks/" + task + "/close", "");
}

Result<std::string> remove(const Server& server, const std::string& task) {
  return call(server, "DELETE", "/v1/tasks/" + task, "");
}

}  // namespace

void add_task_commands(CLI::App& app, console::Action& chosen) {
  CLI::App* task = app.add_subcommand("task", "Create, show, list, close and delete tasks");
  task->require_subcommand(1);
  add(*task, chosen, "create", "Create a task from its document and print its id", "file", &create);
  add(*task, chosen, "id", "Print the id of a task document without a server", "file", &id);
  add(*task, chosen, "show", "Print a task's document", "task,--task", &show);
  add(*task, chosen, "list", "List all tasks", "", &list);
  add(*task, chosen, "close", "Take no more reports for a task", "task,--task", &close);
  add(*task, chosen, "delete", "Delete a task with its reports and tallies", "task,--task", &remove);
}

}  // namespace hearsay::cli
