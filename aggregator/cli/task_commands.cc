#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/layout.h"
#include "aggregator/cli/task_names.h"
#include "aggregator/console/confirm.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/measures/times.h"
#include "aggregator/planner/starved.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

struct TaskFlags {
  ServerFlags server;
  std::string file;
  std::string query_file;
  std::string task;
  bool yes = false;
  console::OutputFormat format = console::OutputFormat::kText;
};

// Performs a subcommand of `hearsay task`: calls the server and prints the result. Returns the exit status.
using Perform = Result<int> (*)(const Server& server, const TaskFlags& flags);

int print(const std::string& answer) {
  if (!answer.empty()) std::cout << answer << '\n';
  return 0;
}

struct TaskCommand {
  CLI::App* command;
  std::shared_ptr<TaskFlags> flags;
};

TaskCommand add(CLI::App& parent, console::Action& chosen, const std::string& name, const std::string& what,
                Perform perform) {
  auto flags = std::make_shared<TaskFlags>();
  CLI::App* command = parent.add_subcommand(name, what);
  flags->server.add_to(*command);
  command->callback([&chosen, flags, perform] {
    chosen = [flags, perform]() -> Result<int> {
      HEARSAY_TRY(const Server server, flags->server.resolve());
      if (!flags->task.empty()) {
        HEARSAY_TRY(flags->task, resolve_task(server, flags->task));
      }
      return perform(server, *flags);
    };
  });
  return {command, flags};
}

Result<int> create(const Server& server, const TaskFlags& flags) {
  // Parses the document before sending it, so that an invalid document is an error even without a server.
  HEARSAY_TRY(const Task task, read_task(flags.file));
  if (!flags.query_file.empty()) {
    HEARSAY_TRY(const auto texts, console::collect_queries({}, flags.query_file));
    HEARSAY_TRY(const std::vector<Query> queries, console::parse_queries(task.schema(), texts));
    HEARSAY_CHECK_OK(planner::check_answers(task, queries));
  } else {
    HEARSAY_TRY(const std::vector<std::string> warnings, planner::check_some_fit(task));
    for (const std::string& warning : warnings) std::cerr << "warning: " << warning << '\n';
  }
  HEARSAY_TRY(const std::string answer, call(server, "POST", "/v1/tasks", task.canonical_json()));
  HEARSAY_TRY(const Json created, parse_json(answer));
  for (const Json& warning : created.at("warnings")) std::cerr << "warning: " << warning.get<std::string>() << '\n';
  print(created.value("task", ""));
  const auto closed = created.find("closed_at");
  if (closed == created.end() || closed->is_null()) return 0;
  std::cerr << "hearsay: the aggregator has this task already, closed since "
            << measures::time_text(closed->get<UnixSeconds>())
            << ", so the task takes no reports; `hearsay design --write` makes a document of a new task\n";
  return 1;
}

Result<int> show(const Server& server, const TaskFlags& flags) {
  HEARSAY_TRY(const std::string document, call_for_json(server, "GET", "/v1/tasks/" + flags.task, ""));
  return print(document);
}

Result<int> list(const Server& server, const TaskFlags& flags) {
  HEARSAY_TRY(const std::string answer, call(server, "GET", "/v1/tasks", ""));
  HEARSAY_TRY(const Json tasks, parse_json(answer));
  console::Table table{{"task", "reports", "windows", "closed_at", "title"}, {}};
  for (const Json& task : tasks.at("tasks")) {
    const Json& closed = task.at("closed_at");
    table.rows.push_back({task.at("task").get<std::string>(), task.at("reports").dump(), task.at("windows").dump(),
                          closed.is_null() ? "" : measures::time_text(closed.get<UnixSeconds>()),
                          task.at("title").get<std::string>()});
  }
  if (flags.format != console::OutputFormat::kText) {
    console::print(table, tasks, flags.format);
  } else {
    std::cout << (table.rows.empty() ? "There is no task.\n" : to_text(table));
  }
  return 0;
}

Result<int> close(const Server& server, const TaskFlags& flags) {
  HEARSAY_TRY(const std::string answer, call(server, "POST", "/v1/tasks/" + flags.task + "/close", ""));
  return print(answer);
}

Result<int> remove(const Server& server, const TaskFlags& flags) {
  if (!flags.yes) {
    HEARSAY_CHECK_OK(
        console::confirm("The task " + flags.task + " and all its reports and tallies will be deleted.", "--yes"));
  }
  HEARSAY_TRY(const std::string answer, call(server, "DELETE", "/v1/tasks/" + flags.task, ""));
  return print(answer);
}

void add_id_command(CLI::App& parent, console::Action& chosen) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = parent.add_subcommand("id", "Print the id of a task document; needs no server");
  command->add_option("file", *file, "Task document")->required();
  console::set_examples(*command, {{"", "hearsay task id task.json"}});
  command->callback([&chosen, file] {
    chosen = [file]() -> Result<int> {
      HEARSAY_TRY(const Task task, read_task(*file));
      std::cout << task.id().to_string() << '\n';
      return 0;
    };
  });
}

}  // namespace

void add_task_commands(CLI::App& app, console::Action& chosen) {
  CLI::App* task = app.add_subcommand("task", "Create, show, list, close, delete and sign tasks");
  task->require_subcommand(1);
  const auto created = add(*task, chosen, "create", "Create a task from its document and print its id", &create);
  created.command->add_option("file", created.flags->file, "Task document")->required();
  created.command->add_option("--queries", created.flags->query_file,
                              "File with one query a line. No task is created if the task cannot answer one of the "
                              "queries, or needs far more people for it than the best task");
  console::set_examples(*created.command, {{"", "hearsay task create task.json --queries queries.txt"}});
  add_id_command(*task, chosen);
  add_sign_command(*task, chosen);
  const auto shown = add(*task, chosen, "show", "Print a task's document", &show);
  add_task_option(*shown.command, shown.flags->task);
  console::set_examples(*shown.command, {{"", "hearsay task show \"commuting habits\""}});
  const auto listed = add(*task, chosen, "list", "List the tasks and how many reports each has", &list);
  console::add_output_flag(*listed.command, listed.flags->format);
  console::set_examples(*listed.command, {{"", "hearsay task list"}});
  const auto closed = add(*task, chosen, "close", "Close a task, so that it takes no more reports", &close);
  add_task_option(*closed.command, closed.flags->task);
  console::set_examples(*closed.command, {{"", "hearsay task close 8mYk"}});
  const auto deleted = add(*task, chosen, "delete", "Delete a task with its reports and tallies", &remove);
  add_task_option(*deleted.command, deleted.flags->task);
  console::set_examples(*deleted.command, {{"", "hearsay task delete 8mYk"}});
  deleted.command->add_flag("--yes", deleted.flags->yes,
                            "Do not ask for confirmation; needed where there is no terminal");
}

}  // namespace hearsay::cli
