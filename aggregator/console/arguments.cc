#include "aggregator/console/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>

#include "aggregator/console/output.h"
#include "common/base/nearest.h"

namespace hearsay::console {
namespace {

// Formats help. Some arguments can also be given as an option. CLI11 shows such an argument twice; this class shows the
// argument once, and adds the option's name.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const bool shown_elsewhere = !is_positional && option->get_positional();
    return shown_elsewhere ? "" : CLI::Formatter::make_option(option, is_positional);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_desc(option);
    if (!option->get_positional() || option->get_lnames().empty()) return text;
    return text + "; also as --" + option->get_lnames().front();
  }
};

void set_formatter(CLI::App& app, const std::shared_ptr<CLI::FormatterBase>& formatter) {
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) set_formatter(*command, formatter);
}

// The innermost command that the arguments name, and its full name, such as "hearsay task show".
struct Reached {
  const CLI::App* command;
  std::string name;
};

Reached reached(const CLI::App& app) {
  Reached result{&app, app.get_name()};
  while (!result.command->get_subcommands().empty()) {
    result.command = result.command->get_subcommands().front();
    result.name += " " + result.command->get_name();
  }
  return result;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string text_of(const Reached& at, const CLI::ParseError& error) {
  const std::vector<std::string> rest = at.command->remaining();
  if (at.command->get_require_subcommand_min() > 0) {
    const std::vector<std::string> names = command_names(*at.command);
    const std::string hint = rest.empty() ? "" : did_you_mean(rest.front(), names);
    const std::string text = rest.empty() ? "a command is missing" : "there is no command '" + rest.front() + "'";
    return text + (hint.empty() ? "; the commands are " + CLI::detail::join(names, ", ") : hint);
  }
  if (rest.empty()) return error.what();
  return "unexpected argument '" + rest.front() + "'" + did_you_mean(rest.front(), option_names(*at.command));
}

// Refuses an option with an empty value. Most likely such a value comes from an unset variable of a script.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) {
      throw CLI::ValidationError(option->get_name(), "the value is empty");
    }
  }
}

}  // namespace

void require_whole(CLI::Option& option, std::uint64_t least, std::uint64_t most) {
  const bool open = most == std::numeric_limits<std::uint64_t>::max();
  const std::string range =
      (open ? " of at least " : " from ") + std::to_string(least) + (open ? "" : " to " + std::to_string(most));
  option.check([least, most, range](const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    const bool taken = fault == std::errc() && stop == end && value >= least && value <= most;
    return taken ? std::string() : "'" + text + "' is not a whole number" + range;
  });
}

std::optional<int> parse_arguments(CLI::App& app, std::vector<std::string> arguments) {
  app.set_version_flag("--version", app.get_name() + " " + HEARSAY_VERSION, "Print the version and exit");
  set_formatter(app, std::make_shared<HelpFormatter>());
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last argument first
  try {
    app.parse(std::move(arguments));
    refuse_empty_values(*reached(app).command);
    return std::nullopt;
  } catch (const CLI::Success& asked) {
    return finish_output(app.get_name(), app.exit(asked));
  } catch (const CLI::ParseError& error) {
    const Reached at = reached(app);
    std::cerr << at.name << ": " << text_of(at, error) << "\nRun '" << at.name << " --help' for more information.\n";
    return 2;
  }
}

}  // namespace hearsay::console
