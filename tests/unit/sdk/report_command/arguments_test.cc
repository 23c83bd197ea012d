#include "sdk/report_command/arguments.h"

#include <doctest/doctest.h>

#include <vector>

namespace hearsay::sdk {
namespace {

using Words = std::vector<std::string>;

Result<ReportArguments> parse(Words words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return parse_report_arguments(pointers);
}

Words with(const Words& more) {
  Words words{"--host", "h", "--ledger", "l", "TASK", "RECORD"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_CASE("a report has required and optional arguments") {
  const auto read = parse(with({}));
  REQUIRE(read);
  CHECK(read->verb == ReportVerb::kReport);
  CHECK(read->server.host == "h");
  CHECK(read->server.port == 443);
  CHECK(read->ledger.file == "l");
  CHECK_FALSE(read->ledger.policy.period);
  CHECK_FALSE(read->ledger.policy.budget);
  CHECK(read->max_epsilon.to_string() == "1");
  CHECK(read->timeout == std::chrono::seconds(30));
  CHECK(read->task == "TASK");
  CHECK(read->record == "RECORD");
  CHECK(read->companion.empty());
  CHECK(parse(with({"--companion", "c.json"}))->companion == "c.json");
}

TEST_CASE("every option is read") {
  const auto read = parse(with({"--port", "8443", "--ca", "ca.pem", "--certificate", "c.pem", "--key", "k.pem",
                                "--max-epsilon", "0.5", "--timeout", "5", "--period", "7d", "--budget", "2.5"}));
  REQUIRE(read);
  CHECK(read->server.port == 8443);
  CHECK(read->server.ca_file == "ca.pem");
  CHECK(read->server.client_certificate == "c.pem");
  CHECK(read->server.client_key == "k.pem");
  CHECK(read->max_epsilon.to_string() == "0.5");
  CHECK(read->timeout == std::chrono::seconds(5));
  CHECK(read->ledger.policy.period == std::chrono::hours(7 * 24));
  CHECK(read->ledger.policy.budget == Epsilon::parse("2.5").value());
  const std::vector<std::pair<std::string, int>> periods{{"90", 90}, {"90s", 90}, {"5m", 300}, {"12h", 43'200}};
  for (const auto& [text, seconds] : periods) {
    CHECK(parse(with({"--period", text}))->ledger.policy.period == std::chrono::seconds(seconds));
  }
}

TEST_CASE("the other verbs need only a ledger") {
  const std::vector<std::pair<std::string, ReportVerb>> verbs{
      {"--log", ReportVerb::kLog}, {"--opt-out", ReportVerb::kOptOut}, {"--opt-in", ReportVerb::kOptIn}};
  for (const auto& [word, verb] : verbs) {
    CHECK(parse({"--ledger", "l", word})->verb == verb);
    CHECK_FALSE(parse({word}));
    CHECK_FALSE(parse({"--ledger", "l", "--period", "7d", word}));
    CHECK_FALSE(parse({"--ledger", "l", "--budget", "1", word}));
    CHECK_FALSE(parse({"--ledger", "l", word, "TASK", "RECORD"}));
  }
  CHECK(parse({"--help"})->verb == ReportVerb::kHelp);
  CHECK(parse({"--version"})->verb == ReportVerb::kVersion);
}

TEST_CASE("arguments that make no sense are refused, and the message says what to change") {
  struct Case {
    Words words;
    std::string part;
  };
  for (const Case& sample : {Case{{}, "--ledger FILE is missing"},
                             {{"--ledger", "l", "TASK", "RECORD"}, "--host HOST is missing"},
                             {{"--ledger", "l", "--host", "h", "TASK"}, "a task and a record"},
                             {with({"third"}), "a task and a record"},
                             {with({"--port"}), "--port needs a value"},
                             {with({"--port", "0"}), "--port takes a number from 1 to 65535"},
                             {with({"--port", "65536"}), "--port takes"},
                             {with({"--port", "44x"}), "--port takes"},
                             {with({"--timeout", "-1"}), "--timeout takes"},
                             {with({"--period", ""}), "--period takes"},
                             {with({"--period", "d"}), "--period takes"},
                             {with({"--period", "7w"}), "--period takes"},
                             {with({"--period", "99999999999999999999"}), "--period takes"},
                             {with({"--budget", "much"}), "--budget: "},
                             {with({"--max-epsilon", "-1"}), "--max-epsilon: "},
                             {with({"--frequency", "1"}), "there is no option --frequency"},
                             {{"--ledger", "l", "--log", "--opt-out"}, "--opt-out is the second"}}) {
    const auto read = parse(sample.words);
    REQUIRE_FALSE(read);
    CAPTURE(read.error().message);
    CHECK(read.error().code == ErrorCode::kInvalidArgument);
    CHECK(read.error().message.find(sample.part) != std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::sdk
