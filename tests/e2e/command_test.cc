// Tests `hearsayd` and `hearsay` as a person runs them.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

using tests::TemporaryFile;

TEST_CASE("the daemon says what is wrong with its configuration") {
  CHECK(run(kHearsayd, {"--help"}).status == 0);
  CHECK(run(kHearsayd, {}).contains(R"("error":"missing_key")"));
  CHECK(run(kHearsayd, {"--config", "/nonexistent"}).contains("cannot read '/nonexistent'"));
  const std::vector<std::pair<const char*, const char*>> cases{
      {"{", "malformed_json"},
      {R"({"stor": "x"})", "unknown_key"},
      {R"({"store": 1})", "wrong_type"},
      {R"({"threads": 0})", "invalid_argument"},
      {R"({"listen": "localhost"})", ", line 1: listen: "},
      {R"({"listen": "127.0.0.1:65536"})", ", line 1: listen: "},
      {R"({"tokens": [{"role": "king", "sha256": ""}]})", ", line 1: tokens[0].sha256"},
      {R"({"store": "x", "certificate": "x", "private_key": "x", "log_level": "loud"})", "log_level"},
  };
  for (const auto& sample : cases) {
    CAPTURE(sample.first);
    const TemporaryFile file(sample.first);
    const Output output = run(kHearsayd, {"--config", file.path()});
    CHECK(output.status == 2);
    CHECK(output.contains(sample.second));
  }
}

TEST_CASE("hearsay token prints the secret and the daemon's line, each after its description") {
  const Output first = run(kHearsay, {"token", "analyst"});
  CHECK(first.status == 0);
  std::istringstream lines(first.text);
  std::string label;
  std::string token;
  std::string line;
  std::getline(lines, label);
  CHECK(label.starts_with("The token"));
  std::getline(lines, token);
  std::getline(lines, label);
  CHECK(label.starts_with("The token's line for \"tokens\""));
  std::getline(lines, line);
  CHECK(base64url_decode(token)->size() == 32);
  const Json entry = parse_json(line).value();
  CHECK(entry.at("role") == "analyst");
  CHECK(entry.at("sha256") ==
        hex_encode(sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()})));
  CHECK(run(kHearsay, {"token", "analyst"}).text != first.text);
  CHECK(run(kHearsay, {"token", "king"}).status != 0);
}

TEST_CASE("hearsay token makes tokens for uploaders, also for one task whose id begins with a dash") {
  const auto entry_of = [](const std::vector<std::string>& arguments) {
    const Output output = run(kHearsay, arguments);
    CHECK(output.status == 0);
    const std::size_t first = output.text.find('{');
    return parse_json(output.text.substr(first, output.text.find('\n', first) - first)).value();
  };
  CHECK(entry_of({"token", "--role", "uploader"}).at("role") == "uploader");
  CHECK(!entry_of({"token", "--role", "uploader"}).contains("name"));
  CHECK(entry_of({"token", "admin", "--name", "alice@a-b.org"}).at("name") == "alice@a-b.org");
  CHECK(run(kHearsay, {"token", "admin", "--name", "two words"}).status == 2);
  const std::string dashed = "-" + std::string(42, 'A');
  CHECK(entry_of({"token", "--role", "uploader", "--task", dashed}).at("task") == dashed);
  CHECK(run(kHearsay, {"token", "analyst", "--task", dashed}).status == 2);
  CHECK(run(kHearsay, {"token", "uploader", "--task", "short"}).status == 2);
}

TEST_CASE("hearsay audit confirms a task, and refutes a scale one unit too small") {
  // Two booleans have sensitivity Δ = 4, so at ε = 1/2 the noise has the scale Δ/ε = 8.
  const TemporaryFile file(tests::small_task("b b", "0.5").canonical_json());
  const Output right = run(kHearsay, {"audit", file.path(), "-o", "json"});
  CHECK(right.status == 0);
  const Json result = parse_json(right.text).value();
  CHECK(result.at("claimed") == "1/2");
  CHECK(result.at("actual") == "1/2");
  CHECK(result.at("holds") == true);
  CHECK(run(kHearsay, {"audit", file.path(), "--scale", "8"}).status == 0);
  const Output wrong = run(kHearsay, {"audit", file.path(), "--scale", "7", "-o", "json"});
  CHECK(wrong.status == 1);
  CHECK(parse_json(wrong.text)->at("actual") == "4/7");
  CHECK(run(kHearsay, {"audit", file.path(), "--scale", "0"}).status == 2);
  CHECK(run(kHearsay, {"audit", "/nonexistent"}).status == 2);
}

TEST_CASE("hearsay plan prints guarantee and users of each query, or why the task cannot answer it") {
  const TemporaryFile file(tests::small_task("b b b b b b b b").canonical_json());
  const Output plan =
      run(kHearsay, {"plan", file.path(), "a0", "a0 and a1", "(a0 and not a1) or (a1 and not a0)", "-o", "json"});
  CHECK(plan.status == 1);
  const Json plans = parse_json(plan.text).value().at("plans");
  CHECK(plans[0].at("guarantee") == "worst-case");
  CHECK(plans[1].at("guarantee") == "average-case");
  // At ε = 1, this query on 8 booleans takes 123 times the users of the one-query limit.
  CHECK(plans[1].at("limit_ratio").get<double>() == doctest::Approx(123).epsilon(0.01));
  CHECK(plans[1].at("at_most") == false);
  CHECK(plans[1].at("near_normal") == true);
  CHECK(plans[1].at("remarks").empty());
  CHECK(plans[2].at("error").at("type") == "urn:hearsay:error:query_not_visible");
  CHECK(run(kHearsay, {"plan", file.path(), "a0 and"}).contains("query_syntax: query 'a0 and': line 1, column 7: "));
  const Output csv = run(kHearsay, {"plan", file.path(), "a0", "-o", "csv"});
  CHECK(csv.status == 0);
  CHECK(csv.text.starts_with("query,guarantee,"));
  CHECK(run(kHearsay, {"plan", file.path(), "a0"}).contains("small task\ntask "));
}

TEST_CASE("a task id that begins with a dash is no option") {
  const std::string dashed = "-" + std::string(42, 'A');
  for (const auto& arguments : {std::vector<std::string>{"task", "show", dashed}, {"estimate", dashed, "a0"}}) {
    std::vector<std::string> unreachable = arguments;
    unreachable.insert(unreachable.end(), {"--server", "https://127.0.0.1:1"});
    const Output output = run(kHearsay, unreachable);
    CHECK(output.status == 2);
    CHECK(output.contains("connection_failed"));
  }
}

TEST_CASE("hearsay works with a running aggregator: create, show, list, estimate, close, delete") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  const TemporaryFile document(task.canonical_json());
  const TemporaryFile token(kAdminToken);
  const auto hearsay = [&](std::vector<std::string> arguments) {
    const std::vector<std::string> server{
        "--server",     "https://localhost:" + std::to_string(aggregator.daemon->port()),
        "--ca",         aggregator.certificate.files().certificate,
        "--token-file", token.path()};
    arguments.insert(arguments.end(), server.begin(), server.end());
    return run(kHearsay, arguments);
  };
  const std::string id = task.id().to_string();
  CHECK(hearsay({"task", "create", document.path()}).text == id + "\n");
  CHECK(run(kHearsay, {"task", "id", document.path()}).text == id + "\n");
  CHECK(hearsay({"task", "show", id}).contains("\"small task\""));
  CHECK(hearsay({"task", "list"}).contains(id));
  const Output none = hearsay({"estimate", id, "a0"});
  CHECK(none.status == 1);
  CHECK(none.contains("no_reports"));
  CHECK(parse_json(hearsay({"status", "-o", "json"}).text)->at("tasks") == 1);
  CHECK(hearsay({"backup"}).contains("not_found"));  // the daemon's configuration names no directory for backups
  CHECK(hearsay({"task", "create", document.path()}).status == 0);
  CHECK(hearsay({"task", "close", id}).contains("closed_at"));
  const Output again = hearsay({"task", "create", document.path()});
  CHECK(again.status == 1);
  CHECK(again.contains("the aggregator has this task already, closed since "));
  CHECK(hearsay({"task", "delete", id, "--yes"}).status == 0);
  const Output gone = hearsay({"task", "show", id});
  CHECK(gone.status == 2);
  CHECK(gone.contains("unrecognizedTask"));
}

TEST_CASE("an analyst logs in once, finds tasks by title or the beginning of an id, and draws answers") {
  Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  const tests::TemporaryDirectory home;
  const TemporaryFile token(kAnalystToken);
  const std::string title = task.spec().title;
  const std::string id = task.id().to_string();
  const auto hearsay = [&](const std::vector<std::string>& arguments) {
    return run(kHearsay, arguments, {"XDG_CONFIG_HOME=" + home.path().string()});
  };
  const Output stranger = hearsay({"task", "list", "--server", "https://localhost:1"});
  CHECK(stranger.contains("connection_failed"));
  CHECK(stranger.contains("\nNext: "));
  const std::string server = "https://localhost:" + std::to_string(aggregator.daemon->port());
  const std::string ca = aggregator.certificate.files().certificate;
  const Output login = hearsay({"login", "--server", server, "--ca", ca, "--token-file", token.path()});
  CAPTURE(login.text);
  REQUIRE(login.status == 0);
  CHECK_FALSE(login.contains(kAnalystToken));
  const std::string profile = (home.path() / "hearsay" / "profile.json").string();
  struct stat status {};
  REQUIRE(::stat(profile.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600U);

  CHECK(hearsay({"task", "list"}).contains(id));
  CHECK(parse_json(hearsay({"task", "list", "-o", "json"}).text)->at("tasks").at(0).at("title") == title);
  CHECK(hearsay({"task", "list", "-o", "csv"}).text.starts_with("task,reports,windows,closed_at,title\r\n"));
  CHECK(hearsay({"watch", title, "--once"}).text == "0 reports in 0 windows\n");
  CHECK(parse_json(hearsay({"watch", id.substr(0, 6), "--once", "-o", "json"}).text)->at("task") == id);
  const std::string drawing = (home.path() / "answer.svg").string();
  const Output estimated = hearsay({"estimate", title, "a0", "--svg", drawing});
  CHECK(estimated.status == 1);
  CHECK(estimated.contains("no_reports"));
  CHECK(tests::read_file(drawing).find("no answer: no_reports") != std::string::npos);
  CHECK(hearsay({"estimate", title, "a0", "--svg", drawing}).contains("--overwrite"));
  const Output missing = hearsay({"watch", title + "s", "--once"});
  CHECK(missing.contains("did you mean '" + title + "'?"));
  CHECK(missing.contains("Next: `hearsay task list`"));
  CHECK(hearsay({"task", "close", title}).contains("forbidden"));

  ::chmod(profile.c_str(), 0644);
  CHECK(hearsay({"task", "list"}).contains("chmod 600"));
  CHECK(hearsay({"logout"}).status == 0);
  CHECK(hearsay({"task", "list"}).status == 2);
  // `hearsay login` does not save a token that the aggregator does not know.
  const TemporaryFile wrong("wrong-token");
  CHECK(hearsay({"login", "--server", server, "--ca", ca, "--token-file", wrong.path()}).contains("unauthorized"));
  CHECK(::access(profile.c_str(), F_OK) != 0);
}

// With 400 people at ε = 4, the standard error of the share is below 0.06. An estimate is off by more than 6 standard
// errors with probability 2e-9.
TEST_CASE("rehearse prints the rows of the same measures on this machine and on an aggregator") {
  Aggregator aggregator;
  // The rehearsal uses the machine's time. The aggregator's clock is an hour ahead, so that reports in a window that
  // begins during the rehearsal are not too early.
  aggregator.clock.advance(std::chrono::seconds(make_system_clock()->now() - aggregator.clock.now()) +
                           std::chrono::hours(1));
  const TemporaryFile schema(
      R"([{"name": "smoker", "type": "boolean"}, {"name": "age", "type": "range", "min": 0, "max": 3}])");
  const TemporaryFile task("");
  std::string rows = "age,smoker\n";
  for (int i = 0; i < 400; ++i) rows += std::to_string(i % 4) + (i % 5 == 0 ? ",yes\n" : ",no\n");
  const TemporaryFile people(rows);
  const TemporaryFile token(kAdminToken);
  const Output designed = run(kHearsay, {"design", schema.path(), "--epsilon", "4", "--conjunctions", "2", "--write",
                                         task.path(), "--overwrite", "--min-batch", "1"});
  REQUIRE(designed.status == 0);
  CHECK(designed.contains("hearsay rehearse "));
  const std::vector<std::string> common{
      "rehearse",  task.path(), people.path(), "smoker", "--measure", "mean(age) by smoker",
      "--windows", "2",         "-o",          "json"};
  const std::vector<std::string> there{"--on-aggregator",
                                       "--server",
                                       "https://localhost:" + std::to_string(aggregator.daemon->port()),
                                       "--ca",
                                       aggregator.certificate.files().certificate,
                                       "--token-file",
                                       token.path()};
  std::vector<std::vector<std::string>> names;
  for (const bool on_aggregator : {false, true}) {
    std::vector<std::string> arguments = common;
    if (on_aggregator) arguments.insert(arguments.end(), there.begin(), there.end());
    const Output output = run(kHearsay, arguments);
    CAPTURE(output.text);
    REQUIRE(output.status == 0);
    const Json json = parse_json(output.text).value();
    CHECK(json.at("people") == 400);
    REQUIRE(json.at("measures").size() == 9);
    names.emplace_back();
    for (const Json& row : json.at("measures")) {
      names.back().push_back(row.at("measure").get<std::string>() + row.at("case").get<std::string>());
    }
    const Json& smokers = json.at("measures").at(0);
    CHECK(smokers.at("window").is_null());
    CHECK(smokers.at("true_value") == doctest::Approx(0.2));
    CHECK(smokers.at("standard_error") < 0.06);
    CHECK(std::abs(smokers.at("bias").get<double>()) < 0.36);
    CHECK(json.at("measures").at(3).at("window") == 1);
  }
  CHECK(names[0] == names[1]);
  const Json tasks = parse_json(aggregator.call("GET", "/v1/tasks", "", kAnalystToken).body).value().at("tasks");
  REQUIRE(tasks.size() == 1);
  CHECK(tasks.at(0).at("reports") == 400);
  CHECK(tasks.at(0).at("windows") == 2);
  CHECK_FALSE(tasks.at(0).at("closed_at").is_null());
  CHECK(run(kHearsay, {"rehearse", task.path(), people.path(), "smoker", "--windows", "500"}).contains("--windows"));
  const Output text = run(kHearsay, {"rehearse", task.path(), people.path(), "smoker", "--runs", "3"});
  CHECK(text.contains("3 runs, each with 400 reports in 1 window"));
  CHECK(text.contains(" of 3 "));
  CHECK(text.contains("\nNext:\n"));
  CHECK(run(kHearsay, {"rehearse", task.path(), people.path(), "smoker", "-o", "csv"})
            .text.starts_with("measure,name,case,window,runs,"));

  // A window has reports of 200 of the 400 people.
  REQUIRE(run(kHearsay, {"design", schema.path(), "--epsilon", "4", "--conjunctions", "2", "--write", task.path(),
                         "--overwrite", "--min-batch", "300"})
              .status == 0);
  const Output few = run(kHearsay, {"rehearse", task.path(), people.path(), "smoker", "--windows", "2"});
  CHECK(few.status == 1);
  CHECK(few.contains("there are 200 reports, and the task answers from 300 on, its min_batch_size"));
  CHECK_FALSE(few.contains("Next:"));
  const Output fewer = run(kHearsay, {"rehearse", task.path(), people.path(), "smoker", "--users", "80"});
  CHECK(fewer.status == 2);
  CHECK(
      fewer.contains("80 reports; the task needs at least 300. --users 3000 draws more people from the rows; "
                     "`hearsay design --min-batch` makes a task with another limit"));
}

}  // namespace
}  // namespace hearsay::e2e
