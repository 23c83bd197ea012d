// Tests the command line as a person meets it: output that cannot be written, misspelt words, tokens, ids,
// confirmations.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>

#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

using tests::TemporaryFile;
using Words = std::vector<std::string>;

// Runs a shell script in which "$0" is the program and "$@" are its arguments.
Output in_shell(const std::string& script, const std::string& program, const Words& arguments) {
  Words words{"-c", script, program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run("/bin/sh", words);
}

TEST_CASE("output that cannot be written is an error: a full device, a closed descriptor, a pipe without a reader") {
  const tests::TemporaryDirectory directory;
  const TemporaryFile task(tests::small_task("b b", "0.5").canonical_json());
  const TemporaryFile schema(R"([{"name": "a", "type": "boolean"}])");
  const std::vector<std::pair<std::string, Words>> commands{
      {kHearsay, {"token", "admin"}},
      {kHearsay, {"--help"}},
      {kHearsay, {"--version"}},
      {kHearsay, {"task", "id", task.path()}},
      {kHearsay, {"plan", task.path(), "a0"}},
      {kHearsay, {"audit", task.path(), "-o", "json"}},
      {kHearsay, {"audit", task.path(), "-o", "csv", "--scale", "7"}},
      {kHearsay, {"design", schema.path(), "--epsilon", "1", "a"}},
      {kHearsayCentral, {"audit", "--list"}},
      {kHearsayCentral, {"--version"}},
      {kHearsayd, {"--print-default-config"}},
      {kHearsayd, {"--help"}},
      {kHearsayd, {"--version"}},
  };
  // Opens the pipe for reading and writing, so that opening it for writing does not wait. Then closes the reading end.
  const std::string pipe = directory / "pipe";
  const std::string without_reader = "mkfifo '" + pipe + "' && exec 3<>'" + pipe + "' 4>'" + pipe + "' 3<&- && rm '" +
                                     pipe + "' && trap '' PIPE && exec \"$0\" \"$@\" >&4";
  for (const auto& [program, arguments] : commands) {
    CAPTURE(program);
    CAPTURE(arguments.front());
    for (const std::string script : {R"(exec "$0" "$@" >/dev/full)", R"(exec "$0" "$@" >&-)", without_reader.c_str()}) {
      const Output output = in_shell(script, program, arguments);
      CAPTURE(output.text);
      CHECK((program == kHearsayd ? output.status != 0 : output.status == 2));
      CHECK(output.contains("cannot write to standard output"));
    }
    CHECK(in_shell(R"(exec "$0" "$@" >/dev/null)", program, arguments).status < 2);
  }
  // The message holds the system's reason.
  const Output lost = in_shell(R"(exec "$0" "$@" >/dev/full)", kHearsay, {"token", "admin"});
  CHECK(lost.contains("No space left on device"));
  CHECK(!lost.contains("tokens"));  // without the token, the line for the configuration is useless
}

TEST_CASE("an error names a misspelt command or option and the nearest right one, or the value that is not accepted") {
  const std::vector<std::pair<Words, std::string>> cases{
      {{"plann", "x"}, "hearsay: there is no command 'plann'; did you mean 'plan'?"},
      {{"task", "shwo", "x"}, "hearsay task: there is no command 'shwo'; did you mean 'show'?"},
      {{"frobnicate"},
       "hearsay: there is no command 'frobnicate'; the commands are login, logout, task, schema, design,"},
      {{}, "hearsay: a command is missing; the commands are login, logout, task, schema, design,"},
      {{"plan", "x", "--quries", "y"}, "hearsay plan: unexpected argument '--quries'; did you mean '--queries'?"},
      {{"audit", "x", "-o", "xml"}, "hearsay audit: --output: 'xml' is not text, json or csv"},
      {{"audit", "x", "-o", "1"}, "'1' is not text, json or csv"},
      {{"design", "x", "--epsilon", "1", "--alpha", "-1"}, "--alpha: '-1' is not a number strictly between 0 and 1"},
      {{"design", "x", "--epsilon", "1", "--strategy", "--users", "9"}, "--users excludes --strategy"},
      {{"plan", "x", "--beta", "nan"}, "--beta: 'nan' is not"},
      {{"restore", "x", "y", "--number", "-1"}, "--number: '-1' is not a whole number from 1 to"},
      {{"backup", "--keep", "0"}, "--keep: '0' is not a whole number from 1 to 10000"},
      {{"plan", "/", "x"}, "cannot read '/': Is a directory"},
      {{"status", "--ca", ""}, "--ca: the value is empty"},
      {{"status", "--token-file", ""}, "--token-file: the value is empty"},
      {{"status", "--private-key", "x"}, "--private-key requires --certificate"},
      {{"token", "uploader", "--task", "short"}, "--task: a task id is"},
  };
  for (const auto& [arguments, text] : cases) {
    const Output output = run(kHearsay, arguments);
    CAPTURE(text);
    CAPTURE(output.text);
    CHECK(output.status == 2);
    CHECK(output.contains(text));
  }
  CHECK(run(kHearsayCentral, {"audti"}).contains("did you mean 'audit'?"));
  CHECK(run(kHearsayCentral, {"audit", "sum", "--epsilon", "-1"}).contains("--epsilon: not a plain decimal number"));
  CHECK(run(kHearsayCentral, {"audit", "sum", "--scale-factor", "x"}).contains("--scale-factor: not a positive"));
  CHECK(run(kHearsayd, {"--confg", "x"}).contains("unexpected argument '--confg'; did you mean '--config'?"));
}

TEST_CASE("an error of `design` names the option or file at fault") {
  const TemporaryFile schema(R"([{"name": "a", "type": "boolean"}, {"name": "b", "type": "boolean"}])");
  const std::vector<std::pair<Words, std::string>> cases{
      {{"--epsilon", "-1", "a"}, "--epsilon: not a plain decimal number"},
      {{"--epsilon", "1", "--functions", "9"}, "--functions must be from 1 to"},
      {{"--epsilon", "1", "--conjunctions", "3"}, "--conjunctions must be from 1 to"},
      {{"--epsilon", "1", "--duration", "86401", "a"}, "--duration must be a multiple of --precision"},
      {{"--epsilon", "1", "--start", "1", "a"}, "--start must be a multiple of --precision"},
      {{"--epsilon", "1", "--min-batch", "0", "a"}, "--min-batch: "},
      {{"--epsilon", "1", "--duration", "0", "a"}, "--duration: "},
      {{"--epsilon", "1", "--start", "-1", "a"}, "--start: '-1' is not a whole number of at least 0"},
      {{"--epsilon", "1", "--start", "1795910400000", "a"}, "--start is 1795910400000, which looks like milliseconds"},
      {{"--epsilon", "1", "--conjunctions", "0"}, "--conjunctions: '0' is not a whole number from 1 to 4096"},
      {{"--epsilon", "1", "--functions", "99999999999"}, "--functions: '99999999999' is not a whole number from 1 to"},
      {{"--epsilon", "1"}, "no query given: name queries, a file of them by --queries, or a class by --conjunctions"},
      // If the same error stops all mechanisms, `design` prints it once, without a table.
      {{"--epsilon", "1", "--title", "\xff", "a"}, "hearsay: invalid_task: title is not UTF-8"},
      {{"--epsilon", "1", "--precision", "40000000", "--duration", "40000000", "a"}, "hearsay: invalid_task: time_"},
  };
  for (const auto& [arguments, text] : cases) {
    Words words{"design", schema.path()};
    words.insert(words.end(), {"--write", "/dev/null"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Output output = run(kHearsay, words);
    CAPTURE(text);
    CAPTURE(output.text);
    CHECK(output.status == 2);
    CHECK(output.contains(text));
    CHECK(!output.contains("rank"));
  }
  for (const char* option : {"--choice", "--title", "--start", "--duration", "--precision", "--min-batch"}) {
    const Output output = run(kHearsay, {"design", schema.path(), "--epsilon", "1", "a", option, "86400"});
    CHECK(output.status == 2);
    CHECK(output.contains(std::string(option) + " requires --write"));
  }
  CHECK(run(kHearsay, {"plan", schema.path(), "a"}).contains(schema.path() + ": "));
}

TEST_CASE("the help names each argument once, and every program prints its version") {
  for (const auto& arguments : {Words{"estimate", "--help"}, {"task", "show", "--help"}, {"token", "--help"}}) {
    const std::string help = run(kHearsay, arguments).text;
    const std::string name = arguments.front() == "token" ? "role" : "task";
    CAPTURE(help);
    CHECK(help.find("  " + name + " TEXT") != std::string::npos);
    CHECK(help.find("also as --" + name) != std::string::npos);
    CHECK(help.find("\n  --" + name) == std::string::npos);
  }
  for (const auto& [program, name] :
       {std::pair{kHearsay, "hearsay"}, {kHearsayCentral, "hearsay-central"}, {kHearsayd, "hearsayd"}}) {
    const Output version = run(program, {"--version"});
    CHECK(version.status == 0);
    CHECK(version.text.starts_with(std::string(name) + " 0."));
  }
}

TEST_CASE("text that is no task's id does not go into a URL: the command looks for a task of this name first") {
  for (const std::string id : {"../status", "../backups?", "..", "%2e%2e/status", "a b", "short", "x\r\ny"}) {
    for (const auto& command :
         {Words{"task", "show", id}, {"task", "close", id}, {"task", "delete", id, "--yes"}, {"estimate", id, "a"}}) {
      Words arguments = command;
      arguments.insert(arguments.end(), {"--server", "https://127.0.0.1:1"});
      const Output output = run(kHearsay, arguments);
      CAPTURE(output.text);
      CHECK(output.status == 2);
      CHECK(output.contains("connection_failed"));
    }
  }
}

TEST_CASE("the command trims a token, or refuses it before anything is sent, and names its file or variable") {
  const Words status{"status", "--server", "https://127.0.0.1:1"};
  // The command accepts these tokens, and then fails to connect, since no server listens on this port.
  for (const std::string token : {"abc", "abc\n", "abc\r\n", " abc \n\n",
                                  "\xEF\xBB\xBF"
                                  "abc\n"}) {
    CAPTURE(token);
    const TemporaryFile file(token);
    Words with_file = status;
    with_file.insert(with_file.end(), {"--token-file", file.path()});
    CHECK(run(kHearsay, with_file).contains("connection_failed"));
    CHECK(run(kHearsay, status, {"HEARSAY_TOKEN=" + token}).contains("connection_failed"));
  }
  for (const std::string token : {"", "\n", " ", "\xEF\xBB\xBF", "secret\r\nX-A: 1", "sec ret", "secret\nsecond",
                                  "\xFF\xFEs", "secr\xC3\xA9t", "secret\x01"}) {
    CAPTURE(token);
    const TemporaryFile file(token);
    Words with_file = status;
    with_file.insert(with_file.end(), {"--token-file", file.path()});
    const Output of_file = run(kHearsay, with_file);
    CHECK(of_file.status == 2);
    CHECK(of_file.contains("invalid_argument: "));
    CHECK(of_file.contains(file.path()));
    const Output of_variable = run(kHearsay, status, {"HEARSAY_TOKEN=" + token});
    CHECK(of_variable.status == 2);
    CHECK(of_variable.contains("invalid_argument: the environment variable HEARSAY_TOKEN"));
    for (const Output& output : {of_file, of_variable}) CHECK(!output.contains("sec"));
  }
  Words of_directory = status;
  of_directory.insert(of_directory.end(), {"--token-file", "/"});
  CHECK(run(kHearsay, of_directory).contains("'/'"));
}

TEST_CASE("task delete asks on a terminal, and needs --yes where there is none") {
  const std::string id(43, 'A');
  const Words command{"task", "delete", id, "--server", "https://127.0.0.1:1"};
  CHECK(in_shell(R"(exec "$0" "$@" </dev/null)", kHearsay, command).contains("confirm with --yes"));
  Words sure = command;
  sure.emplace_back("--yes");
  CHECK(run(kHearsay, sure).contains("connection_failed"));

  // The test writes `answer` to the terminal's other end, where the command reads it.
  for (const auto& [answer, outcome] : {std::pair<std::string, std::string>{"yes\n", "connection_failed"},
                                        {"y\n", "cancelled"},
                                        {"\n", "cancelled"},
                                        {"\x04", "cancelled"}}) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(terminal >= 0);
    REQUIRE(grantpt(terminal) == 0);
    REQUIRE(unlockpt(terminal) == 0);
    const std::string name = ptsname(terminal);
    const int kept_open = open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(write(terminal, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()));
    const Output output = in_shell("exec \"$0\" \"$@\" <" + name + " 2>" + name, kHearsay, command);
    CHECK(output.status == 2);
    close(kept_open);  // closes the last descriptor of the command's end, so that read() ends
    std::string text;
    std::array<char, 4096> shown{};
    for (ssize_t length = 0; (length = read(terminal, shown.data(), shown.size())) > 0;) {
      text.append(shown.data(), static_cast<std::size_t>(length));
    }
    CAPTURE(text);
    CHECK(text.find("The task " + id + " and all its reports and tallies will be deleted.") != std::string::npos);
    CHECK(text.find(outcome) != std::string::npos);
    close(terminal);
  }
}

TEST_CASE("--write replaces no file, and leaves no incomplete file behind") {
  const tests::TemporaryDirectory directory;
  const TemporaryFile schema(R"([{"name": "a", "type": "boolean"}])");
  const std::string path = directory / "task.json";
  const auto design = [&](const std::string& file, const Words& more = {}) {
    Words arguments{"design", schema.path(), "--epsilon", "1", "a", "-o", "csv", "--write", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(kHearsay, arguments);
  };
  CHECK(design(path).status == 0);
  const std::string first = tests::read_file(path);
  CHECK(Task::parse(first));
  const Output again = design(path, {"--title", "second"});
  CHECK(again.status == 2);
  CHECK(again.contains("the file '" + path + "' exists; write to another file, or replace this file with --overwrite"));
  CHECK(!again.contains("rank,"));  // the command refuses before it ranks the mechanisms
  CHECK(tests::read_file(path) == first);
  CHECK(design(path, {"--title", "second", "--overwrite"}).status == 0);
  CHECK(Task::parse(tests::read_file(path))->spec().title == "second");
  CHECK(design("/dev/full").contains("cannot write '/dev/full': No space left on device"));
  CHECK(design("/dev/full").status == 2);

  const std::string token = directory / "token";
  const Output made = run(kHearsay, {"token", "admin", "--write", token});
  CHECK(made.status == 0);
  CHECK(made.contains("The token is in " + token));
  CHECK(!made.contains(tests::read_file(token)));
  struct stat status {};
  REQUIRE(stat(token.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(run(kHearsay, {"token", "admin", "--write", token}).status == 2);
  REQUIRE(chmod(token.c_str(), 0644) == 0);
  CHECK(run(kHearsay, {"token", "admin", "--write", token, "--overwrite"}).status == 0);
  REQUIRE(stat(token.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

}  // namespace
}  // namespace hearsay::e2e
