#include "aggregator/console/manual.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace hearsay::console {
namespace {

struct Program {
  Program() {
    CLI::App* task = app.add_subcommand("task", "Tasks");
    CLI::App* list = task->add_subcommand("list", "List -- \\ and 'quotes'");
    list->add_option("-o,--output", format, "csv");
    list->add_option("file", file, ".dots begin this")->required();
    app.add_subcommand("talk", "Talk");
  }
  CLI::App app{"prog: a program", "prog"};
  std::string format;
  std::string file;
};

std::string completed(const std::string& script, const std::string& line) {
  const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + line +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _prog; echo \"${COMPREPLY[*]}\"'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  CHECK(::pclose(pipe) == 0);
  return text.substr(0, text.find('\n'));
}

TEST_CASE("bash completes commands, options and formats, and completes other arguments as file names") {
  const tests::TemporaryDirectory directory;
  Program program;
  REQUIRE(write_manual(program.app, directory.path()));
  const std::string script = directory.path().string() + "/completions/prog";
  CHECK(completed(script, "prog ta") == "task talk");
  CHECK(completed(script, "prog task l") == "list");
  CHECK(completed(script, "prog task list --o") == "--output");
  CHECK(completed(script, "prog task list -o c") == "csv");
  CHECK(completed(script, "prog task list na").empty());
}

TEST_CASE("a manual page shows names, options and text unchanged, because roff's special characters are escaped") {
  Program program;
  const auto pages = manual_pages(program.app);
  REQUIRE(pages.size() == 4);
  CHECK(pages[0].name == "prog.1");
  CHECK(pages[2].name == "prog-task-list.1");
  const std::string& text = pages[2].text;
  CHECK(text.find("prog\\-task\\-list \\- List \\-\\- \\e and 'quotes'\n") != std::string::npos);
  CHECK(text.find(".B prog task list file [OPTIONS]\n") != std::string::npos);
  CHECK(text.find("\n\\&.dots begin this\n") != std::string::npos);
  CHECK(text.find(".BR prog\\-task (1)\n") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::console
