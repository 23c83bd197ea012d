// Tests the examples against a running aggregator, as a person runs them.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>

#include "common/base/strict_json.h"
#include "hearsay/clock.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

using tests::TemporaryFile;

constexpr const char* kHabits = R"([{"name": "smoker", "type": "boolean"},
  {"name": "age", "type": "range", "min": 0, "max": 4}])";
const std::string kTokenVariable = "HEARSAY_TOKEN=" + std::string(kAdminToken);

// An aggregator at the present time, because the examples use the machine's clock. The aggregator's clock is an hour
// ahead, so that reports made after midnight are not too early.
class PresentAggregator : public Aggregator {
 public:
  explicit PresentAggregator(std::function<void(daemon::DaemonConfig&)> adjust = {}) : Aggregator(std::move(adjust)) {
    clock.advance(std::chrono::seconds(make_system_clock()->now() - clock.now()) + std::chrono::hours(1));
  }

  Output simulate(std::vector<std::string> arguments, const std::string& token = kTokenVariable) const {
    const std::vector<std::string> server{"--server",      "https://localhost:" + std::to_string(daemon->port()),
                                          "--ca",          certificate.files().certificate,
                                          "--connections", "2"};
    arguments.insert(arguments.end(), server.begin(), server.end());
    return run(kSimulatePopulation, arguments, {token});
  }

  Json tasks() const { return parse_json(call("GET", "/v1/tasks", "", kAdminToken).body).value().at("tasks"); }
};

TEST_CASE("simulate_population can run twice against one aggregator, since each run makes tasks of its own") {
  const PresentAggregator aggregator;
  for (const char* users : {"40", "30"}) {
    const Output output = aggregator.simulate({"--users", users});
    CAPTURE(output.text);
    // With so few people, perhaps no report answers a question about the query's attributes. Then the program prints an
    // error and has status 1.
    CHECK(output.status < 2);
    CHECK(output.contains("By department they show"));
    CHECK(output.contains("the planner's choice: each person gives "));
    CHECK(output.contains("an error of 0.01 on the hardest query ("));
    CHECK_FALSE(output.contains("That is the paradox"));
  }
  const Json tasks = aggregator.tasks();
  REQUIRE(tasks.size() == 4);
  std::size_t reports = 0;
  for (const Json& task : tasks) {
    CHECK(task.at("title").get<std::string>().starts_with("rehearsal "));
    CHECK_FALSE(task.at("closed_at").is_null());
    reports += task.at("reports").get<std::size_t>();
  }
  CHECK(reports == 2 * (40 + 30));
}

TEST_CASE("simulate_population --task makes a copy of the task, and sends no reports to the task itself") {
  const PresentAggregator aggregator([](daemon::DaemonConfig& config) { config.uploads = api::Uploads::kToken; });
  const TemporaryFile schema(kHabits);
  const TemporaryFile people("age,smoker\n4,yes\n0,no\n");
  const TemporaryFile document("");
  std::filesystem::remove(document.path());
  REQUIRE(run(kHearsay, {"design", schema.path(), "--epsilon", "2", "--conjunctions", "2", "--title", "habits",
                         "--min-batch", "50", "--write", document.path()})
              .status == 0);
  const Task task = Task::parse(tests::read_file(document.path())).value();
  aggregator.create(task);
  const std::vector<std::string> flags{"--task", document.path(), "--csv", people.path(), "--query", "smoker"};
  const auto with_users = [&flags](const char* users) {
    std::vector<std::string> arguments = flags;
    arguments.insert(arguments.end(), {"--users", users});
    return arguments;
  };
  for (int day = 0; day < 2; ++day) {
    const Output output = aggregator.simulate(with_users("60"));
    CAPTURE(output.text);
    CHECK(output.status == 0);
    CHECK(output.contains("epsilon 2"));
    CHECK(output.contains("task: unbiased for every population"));
  }
  const TemporaryFile wider("age,smoker,city\n4,yes,Bern\n0,no,Rome\n");
  std::vector<std::string> with_city{"--task",  document.path(), "--csv",   wider.path(),
                                     "--query", "smoker",        "--users", "60"};
  const Output unknown = aggregator.simulate(with_city);
  CHECK(unknown.status == 2);
  CHECK(unknown.contains("column 3 ('city') names no attribute of the schema"));
  CHECK(unknown.contains("--ignore-unknown-columns"));
  with_city.emplace_back("--ignore-unknown-columns");
  CHECK(aggregator.simulate(with_city).status == 0);
  const TemporaryFile raw("Age;Smoker?\n4,0;Y\n-7;N\n");
  const TemporaryFile companion(R"({"version": 1, "attributes": [
      {"attribute": "smoker", "column": "Smoker?", "kind": "texts", "texts": {"yes": ["Y"], "no": ["N"]}},
      {"attribute": "age", "column": "Age", "kind": "integer", "outside": "clamp", "decimal_mark": ","}]})");
  const Output of_raw = aggregator.simulate({"--task", document.path(), "--csv", raw.path(), "--companion",
                                             companion.path(), "--query", "smoker", "--users", "60"});
  CAPTURE(of_raw.text);
  CHECK(of_raw.status == 0);
  const Output few = aggregator.simulate(with_users("40"));
  CAPTURE(few.text);
  CHECK(few.status == 1);
  CHECK(few.contains("min_batch_size"));
  CHECK_FALSE(few.contains("unbiased"));
  for (const Json& listed : aggregator.tasks()) {
    const bool given = listed.at("task") == task.id().to_string();
    CHECK((listed.at("title") == "habits") == given);
    CHECK((listed.at("reports") == 0) == given);
    CHECK(listed.at("closed_at").is_null() == given);
  }
  CHECK(aggregator.tasks().size() == 6);

  // Without --csv the program uses built-in people, whose attributes are not those of the task.
  const Output misfit = aggregator.simulate({"--task", document.path(), "--query", "smoker"});
  CHECK(misfit.status == 2);
  CHECK(misfit.contains("--csv"));
}

TEST_CASE("simulate_population has the same exit statuses as hearsay") {
  const PresentAggregator aggregator;
  const TemporaryFile people("smoker,age\nyes,4\n");
  const TemporaryFile token(kAdminToken);
  const std::vector<std::string> right{"--users", "5", "--token-file", token.path()};
  CHECK(aggregator.simulate(right, "HEARSAY_TOKEN=another").status < 2);  // --token-file beats HEARSAY_TOKEN
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"--epsilon", "0"}, "--epsilon"},
      {{"--users", "0"}, "--users"},
      {{"--usres", "5"}, "--usres"},
      {{"--query", "nobody"}, "unknown_attribute"},
      {{"--csv", people.path(), "--query", "smoker"}, "--schema"},
      {{"--task", "/nonexistent", "--query", "smoker"}, "/nonexistent"},
  };
  for (const auto& sample : cases) {
    CAPTURE(sample.second);
    const Output output = aggregator.simulate(sample.first);
    CHECK(output.status == 2);
    CHECK(output.contains(sample.second));
  }
  const Output unknown = aggregator.simulate({"--users", "5"}, "HEARSAY_TOKEN=another");
  CHECK(unknown.status == 2);
  CHECK(unknown.contains("unauthorized"));
}

TEST_CASE("report_once sends one report, with a token if the aggregator asks for one") {
  const PresentAggregator aggregator([](daemon::DaemonConfig& config) { config.uploads = api::Uploads::kToken; });
  TaskSpec spec = tests::small_task("b").spec();
  spec.task_start = make_system_clock()->now() / tests::kDay * tests::kDay;
  const Task task = Task::create(std::move(spec)).value();
  aggregator.create(task);
  const tests::TemporaryDirectory directory;
  const auto report = [&](const std::string& port, const std::string& record, const std::string& environment,
                          const std::string& ledger = "ledger") {
    return run(kReportOnce,
               {"localhost", port, aggregator.certificate.files().certificate, task.id().to_string(), record,
                directory / ledger},
               {environment});
  };
  const std::string port = std::to_string(aggregator.daemon->port());
  const std::string record = R"({")" + task.schema()[0].name() + R"(": true})";
  const Output reported = report(port, record, kTokenVariable);
  CAPTURE(reported.text);
  CHECK(reported.status == 0);
  CHECK(aggregator.tasks().at(0).at("reports") == 1);
  CHECK(report(port, record, kTokenVariable).status == 0);
  CHECK(aggregator.tasks().at(0).at("reports") == 1);  // the ledger allows no second report
  CHECK(report(port, record, "UNUSED=", "another").status == 2);
  CHECK(report(port, "{}", kTokenVariable).status == 2);
  for (const char* wrong : {"", "x", "65536", "99999999999"})
    CHECK(report(wrong, record, kTokenVariable).contains("PORT"));
  CHECK(run(kReportOnce, {}).status == 2);
}

// Runs examples/local_aggregator.sh with a folder of its own. The destructor stops the aggregator.
class LocalAggregator {
 public:
  ~LocalAggregator() { (*this)({"--stop"}); }

  Output operator()(std::vector<std::string> options = {}) const {
    options.insert(options.begin(),
                   {(tests::tests_directory() / "../examples/local_aggregator.sh").string(), folder()});
    const auto directory = [](const std::string& program) { return program.substr(0, program.rfind('/') + 1); };
    return run("/bin/bash", options, {"PATH=" + directory(kHearsayd) + ":" + directory(kHearsay) + ":/usr/bin:/bin"});
  }

  std::string folder() const { return directory_ / "trial"; }
  std::string ready() const { return tests::read_file(folder() + "/ready.json"); }
  pid_t pid() const { return parse_json(ready()).value().at("pid"); }
  std::string variables() const { return tests::read_file(folder() + "/variables"); }
  // Returns the aggregator's answer to a browser that asks whether a page of this origin may report.
  std::string preflight(const std::string& origin) const {
    const Output output =
        run("/bin/bash", {"-c", ". " + folder() + "/variables; curl -sS -D- -X OPTIONS -H 'Origin: " + origin +
                                    "' -H 'Access-Control-Request-Method: POST' --cacert " + folder() +
                                    "/certificate.pem https://localhost:$PORT/v1/tasks/$(printf %043d 0)/reports"});
    return output.text;
  }

 private:
  tests::TemporaryDirectory directory_;
};

TEST_CASE("local_aggregator.sh: a second start and a second stop do no harm, and the ports stay") {
  const LocalAggregator aggregator;
  const Output nowhere = aggregator({"--stop"});
  CHECK(nowhere.status == 2);
  CHECK(nowhere.contains("there is no folder"));

  const Output first = aggregator();
  REQUIRE_MESSAGE(first.status == 0, first.text);
  CHECK(first.contains("The aggregator serves https://localhost:"));
  const std::string ready = aggregator.ready();
  const std::string variables = aggregator.variables();
  const Output second = aggregator();
  CHECK(second.status == 0);
  CHECK(second.contains("The aggregator already runs: https://localhost:"));
  CHECK(aggregator.ready() == ready);

  CHECK(aggregator({"--stop"}).status == 0);
  const Output stopped = aggregator({"--stop"});
  CHECK(stopped.status == 0);
  CHECK(stopped.contains("No aggregator runs in "));

  REQUIRE(aggregator().status == 0);
  CHECK(aggregator.variables() == variables);
  REQUIRE(::kill(aggregator.pid(), SIGKILL) == 0);
  CHECK(http::eventually([&] { return aggregator({"--stop"}).contains("No aggregator runs in "); }));
  const Output after_kill = aggregator();
  CHECK(after_kill.status == 0);
  CHECK(after_kill.contains("The aggregator serves https://localhost:"));
  CHECK(aggregator.variables() == variables);
}

TEST_CASE("local_aggregator.sh --origin: the web page of this origin may report, also after the next start") {
  const std::string page = "http://localhost:8080";
  const std::string allowed = "Access-Control-Allow-Origin: " + page;
  const LocalAggregator aggregator;
  for (const std::string& wrong : {page + "/form", std::string("null"), std::string(R"(http://a","http://b)")}) {
    const Output refused = aggregator({"--origin", wrong});
    CHECK(refused.status == 2);
    CHECK(refused.contains(wrong));
  }
  REQUIRE(aggregator().status == 0);
  CHECK_FALSE(aggregator.preflight(page).find(allowed) != std::string::npos);
  const Output running = aggregator({"--origin", page});
  CHECK(running.status == 1);
  CHECK(running.contains("runs without --origin " + page + "; stop it first"));
  CHECK(aggregator({"--stop"}).status == 0);

  for (const std::vector<std::string>& options : {std::vector<std::string>{"--origin", page}, {}}) {
    CHECK(aggregator(options).status == 0);
    CHECK(aggregator({"--origin", page}).contains("already runs"));
    CHECK(aggregator.preflight(page).find(allowed) != std::string::npos);
    CHECK_FALSE(aggregator.preflight("http://localhost:8081").find("Allow-Origin") != std::string::npos);
    CHECK(aggregator({"--stop"}).status == 0);
  }
}

}  // namespace
}  // namespace hearsay::e2e
