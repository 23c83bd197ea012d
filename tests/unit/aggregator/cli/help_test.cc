#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "aggregator/cli/commands.h"
#include "aggregator/console/manual.h"

namespace hearsay::cli {
namespace {

struct Program {
  Program() { add_commands(app, chosen); }
  CLI::App app{"hearsay: a test", "hearsay"};
  console::Action chosen;
};

void for_each_command(const CLI::App& app, const std::function<void(const CLI::App&)>& look) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    look(*command);
    for_each_command(*command, look);
  }
}

bool is_leaf(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; }).empty();
}

// Returns the words after `hearsay` in a line, split like in a shell. Returns nothing if the line does not run
// hearsay.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (const char c : line) {
    if (quote == '\0' && c == '|') {
      words.assign(1, "");
    } else if (quote == '\0' && (c == '>' || c == '#')) {
      break;
    } else if (quote == '\0' && c == ' ') {
      if (!words.back().empty()) words.emplace_back();
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  if (words.empty() || words.front() != "hearsay") return {};
  words.erase(words.begin());
  return words;
}

TEST_CASE("every command has examples, and the examples parse") {
  Program program;
  for_each_command(program.app, [](const CLI::App& command) {
    if (!is_leaf(command)) return;
    const std::string footer = command.get_footer();
    CAPTURE(command.get_name());
    REQUIRE(footer.starts_with("Example"));
    std::size_t examples = 0;
    for (std::size_t begin = 0; begin < footer.size();) {
      const std::size_t end = std::min(footer.find('\n', begin), footer.size());
      const std::string line = footer.substr(begin, end - begin);
      begin = end + 1;
      CHECK(line.size() <= 98);
      std::vector<std::string> words = words_of(line.substr(std::min(line.find_first_not_of(' '), line.size())));
      if (words.empty()) continue;
      ++examples;
      CAPTURE(line);
      Program fresh;
      std::reverse(words.begin(), words.end());
      CHECK_NOTHROW(fresh.app.parse(words));
      const CLI::App* reached = &fresh.app;
      while (!reached->get_subcommands().empty()) reached = reached->get_subcommands().front();
      CHECK(reached->get_name() == command.get_name());
    }
    CHECK(examples > 0);
  });
}

TEST_CASE("every command has a manual page with its options, and a place in the completion") {
  Program program;
  const std::vector<console::ManualPage> pages = console::manual_pages(program.app);
  const std::string completion = console::bash_completion(program.app);
  std::size_t commands = 0;
  for_each_command(program.app, [&](const CLI::App& command) {
    ++commands;
    std::string name = command.get_name();
    for (const CLI::App* above = command.get_parent(); above != nullptr; above = above->get_parent()) {
      name = above->get_name() + "-" + name;
    }
    CAPTURE(name);
    const auto page =
        std::find_if(pages.begin(), pages.end(), [&](const auto& each) { return each.name == name + ".1"; });
    REQUIRE(page != pages.end());
    for (const char* section : {".SH NAME\n", ".SH SYNOPSIS\n", ".SH OPTIONS\n"}) {
      CHECK(page->text.find(section) != std::string::npos);
    }
    if (is_leaf(command)) CHECK(page->text.find(".SH EXAMPLES\n") != std::string::npos);
    std::string path = name;
    std::replace(path.begin(), path.end(), '-', ' ');
    const std::size_t words = completion.find("\"" + path + "\") words=\"");
    REQUIRE(words != std::string::npos);
    const std::string offered = completion.substr(words, completion.find(" ;;", words) - words);
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& word : option->get_lnames()) {
        std::string escaped;
        for (const char c : "--" + word) escaped += c == '-' ? "\\-" : std::string(1, c);
        CHECK(page->text.find(escaped) != std::string::npos);
        CHECK(offered.find("--" + word) != std::string::npos);
      }
    }
  });
  CHECK(commands > 20);
  CHECK(pages.size() == commands + 1);
}

}  // namespace
}  // namespace hearsay::cli
