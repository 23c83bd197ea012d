#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/task_names.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/output.h"
#include "aggregator/measures/times.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct WatchFlags {
  ServerFlags server;
  std::string task;
  bool once = false;
  unsigned every = 2;  // seconds
  console::OutputFormat format = console::OutputFormat::kText;
};

struct Count {
  Json task;
  Clock::time_point at;
  std::uint64_t reports() const { return task.at("reports").get<std::uint64_t>(); }
};

Result<Count> count_of(const Server& server, const std::string& id) {
  HEARSAY_TRY(const std::string answer, call(server, "GET", "/v1/tasks", ""));
  HEARSAY_TRY(const Json listed, parse_json(answer));
  for (const Json& task : listed.at("tasks")) {
    if (task.at("task") == id) return Count{task, Clock::now()};
  }
  return Error{ErrorCode::kUnrecognizedTask, "the aggregator has no task " + id + " any more"};
}

double rate(const Count& first, const Count& last) {
  const double seconds = std::chrono::duration<double>(last.at - first.at).count();
  const double more = static_cast<double>(last.reports()) - static_cast<double>(first.reports());
  return seconds > 0 ? more / seconds : 0;
}

// Prints the numbers as one line. On a terminal, the line replaces the previous line, unless --once or another format
// is given.
Result<void> show(const WatchFlags& flags, const Count& count, double per_second) {
  Json json = count.task;
  if (!flags.once) json["reports_per_second"] = per_second;
  const bool is_closed = !json.at("closed_at").is_null();
  if (flags.format == console::OutputFormat::kJson) {
    std::cout << json.dump() << '\n';
  } else if (flags.format == console::OutputFormat::kCsv) {
    std::cout << count.reports() << ',' << json.at("windows").dump() << ',' << (is_closed ? "yes" : "no") << ','
              << console::exact_number(per_second) << "\r\n";
  } else {
    const bool replaces = !flags.once && ::isatty(STDOUT_FILENO) == 1;
    std::cout << (replaces ? "\r\x1b[K" : "") << counted(count.reports(), "report") << " in "
              << counted(json.at("windows").get<std::uint64_t>(), "window");
    if (!flags.once) std::cout << ", " << console::short_number(per_second, 3) << " a second";
    std::cout << (is_closed ? ", closed" : "") << (replaces ? "" : "\n");
  }
  return console::flush_output();
}

Result<int> watch(const WatchFlags& flags) {
  HEARSAY_TRY(const Server server, flags.server.resolve());
  HEARSAY_TRY(const std::string id, resolve_task(server, flags.task));
  HEARSAY_TRY(Count before, count_of(server, id));
  if (flags.format == console::OutputFormat::kCsv) std::cout << "reports,windows,closed,reports_per_second\r\n";
  HEARSAY_CHECK_OK(show(flags, before, 0));
  while (!flags.once && before.task.at("closed_at").is_null()) {
    std::this_thread::sleep_for(std::chrono::seconds(flags.every));
    HEARSAY_TRY(const Count now, count_of(server, id));
    HEARSAY_CHECK_OK(show(flags, now, rate(before, now)));
    before = now;
  }
  if (!flags.once && flags.format == console::OutputFormat::kText && ::isatty(STDOUT_FILENO) == 1) std::cout << '\n';
  return 0;
}

}  // namespace

void add_watch_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<WatchFlags>();
  CLI::App* command = app.add_subcommand(
      "watch", "Show how many reports a task has, and how many arrive per second, until the task is closed");
  flags->server.add_to(*command);
  add_task_option(*command, flags->task);
  command->add_flag("--once", flags->once, "Print the present numbers once, and end");
  console::require_whole(
      *command->add_option("--every", flags->every, "Seconds between two updates")->capture_default_str(), 1, 3600);
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"until Ctrl-C", "hearsay watch \"commuting habits\""},
                                   {"for a script", "hearsay watch 8mYk --once -o json"}});
  command->callback([&chosen, flags] { chosen = [flags] { return watch(*flags); }; });
}

}  // namespace hearsay::cli
