// Tests the way from a workload to answers: `hearsay design`, clients, estimates and tables.
#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/estimator/estimate.h"
#include "common/arrangement/arrangement.h"
#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

using tests::TemporaryFile;

constexpr const char* kSchema = R"([{"name": "smoker", "type": "boolean"},
  {"name": "region", "title": "Region of residence", "type": "categorical", "values": ["north", "south", "west"]},
  {"name": "age", "type": "range", "min": 0, "max": 4}])";

class Analyst {
 public:
  explicit Analyst(const Aggregator& aggregator) : aggregator_(aggregator), token_(kAdminToken) {}

  Output hearsay(std::vector<std::string> arguments) const {
    const std::vector<std::string> server{
        "--server",     "https://localhost:" + std::to_string(aggregator_.daemon->port()),
        "--ca",         aggregator_.certificate.files().certificate,
        "--token-file", token_.path()};
    arguments.insert(arguments.end(), server.begin(), server.end());
    return run(kHearsay, arguments);
  }

 private:
  const Aggregator& aggregator_;
  TemporaryFile token_;
};

// The task's duration in seconds. The aggregator's clock stands in 2023, and `design` refuses a task that is over by
// the machine's clock. So the task must last for many years.
const std::string kNineYears = "299894400";

TEST_CASE("hearsay design ranks mechanisms, writes a task, and refuses wrong requests") {
  const TemporaryFile schema(kSchema);
  const TemporaryFile task("");
  const Output ranked = run(
      kHearsay, {"design", schema.path(), "--epsilon", "2", "--conjunctions", "2", "--write", task.path(),
                 "--overwrite", "--title", "planned", "--start", "1700006400", "--duration", kNineYears, "-o", "json"});
  CHECK(ranked.status == 0);
  const Json candidates = parse_json(ranked.text).value().at("candidates");
  CHECK(candidates[0].at("guarantee") == "worst-case");
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (candidates[i].contains("error") || candidates[i].at("guarantee") != "worst-case") break;
    CHECK(candidates[i - 1].at("users_worst") <= candidates[i].at("users_worst"));
  }
  CHECK(candidates[0].at("at_most") == false);
  const auto written = Task::parse(tests::read_file(task.path()));
  REQUIRE(written);
  CHECK(written->spec().title == "planned");
  CHECK(parse_json(written->canonical_json())->at("channel") == candidates[0].at("channel"));

  // The table must print the question as the person wrote it. Since 4 is the greatest age, the question means `age =
  // 4`.
  const Output asked = run(kHearsay, {"design", schema.path(), "--epsilon", "2", "age >= 4", "-o", "json"});
  // A warning names the attribute that no query names.
  CHECK(asked.contains("names smoker"));
  const std::size_t begin = asked.text.find('{');
  const Json answer = parse_json(asked.text.substr(begin, asked.text.rfind('}') + 1 - begin)).value();
  CHECK(answer.at("candidates")[0].at("worst_query") == "age >= 4");

  // The query is a parity. The table says that literals cannot answer a parity. Characters can.
  const std::string parity = "(smoker and not region = north) or (not smoker and region = north)";
  const Output text = run(kHearsay, {"design", schema.path(), "--epsilon", "2", parity});
  CHECK(text.status == 0);
  CHECK(text.contains("cannot answer this: "));
  CHECK(text.contains("answers about "));
  CHECK(run(kHearsay, {"design", schema.path(), "--epsilon", "2", "-o", "csv", parity}).contains("\nrank,mechanism,"));

  for (const auto& wrong : std::vector<std::vector<std::string>>{
           {"--epsilon", "0", "smoker"},
           {"--epsilon", "1"},
           {"--epsilon", "1", "smoke"},
           {"--epsilon", "1", "--conjunctions", "4"},
           {"--epsilon", "1", "--alpha", "0", "smoker"},
           {"--epsilon", "1", "--alpha", "nan", "smoker"},
           {"--epsilon", "1", "--choice", "99", "--write", task.path(), "--overwrite", "smoker"},
           {"--epsilon", "1", "--precision", "0", "--write", task.path(), "--overwrite", "smoker"},
           {"--epsilon", "1", "--weight", "means=2", "smoker"}}) {
    std::vector<std::string> arguments{"design", schema.path()};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Output output = run(kHearsay, arguments);
    CAPTURE(output.text);
    CHECK(output.status == 2);
  }
}

TEST_CASE("a planned task gets reports, and answers with estimates, tables and consistent values") {
  Aggregator aggregator;
  const Analyst analyst(aggregator);
  const TemporaryFile schema(kSchema);
  const TemporaryFile document("");
  REQUIRE(run(kHearsay, {"design", schema.path(), "--epsilon", "8", "--functions", "2", "--write", document.path(),
                         "--overwrite", "--start", "1700006400", "--duration", kNineYears, "--min-batch", "1"})
              .status == 0);
  const Task task = Task::parse(tests::read_file(document.path())).value();
  const std::string id = analyst.hearsay({"task", "create", document.path()}).text;
  REQUIRE(id == task.id().to_string() + "\n");

  TaskSpec unlikely = task.spec();
  unlikely.task_duration = 7'776'000'000;
  const TemporaryFile warned(Task::create(unlikely)->canonical_json());
  CHECK(analyst.hearsay({"task", "create", warned.path()})
            .contains("warning: task_duration is 7776000000 seconds, 246 years: were milliseconds meant?"));

  const std::vector<Record> records{Record::create(task.schema(), {1, 0, 4}).value(),
                                    Record::create(task.schema(), {0, 1, 0}).value()};
  constexpr std::size_t kPeople = 400;
  report_each(aggregator, task, records, kPeople);

  const Output answered =
      analyst.hearsay({"estimate", task.id().to_string(), "smoker and region = north", "smoker or age > 2",
                       "smoker and region = north and age = 4", "--table", "region,smoker", "--project", "-o", "json"});
  CAPTURE(answered.text);
  CHECK(answered.status == 1);  // one query is on three attributes, which the task cannot answer
  const Json answers = parse_json(answered.text).value();
  CHECK(answers.at("reports") == kPeople);
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& estimate = answers.at("estimates").at(i);
    CHECK(estimate.at("guarantee") == "worst-case");
    // An estimate is off by more than seven standard errors in fewer than one of 10^11 runs.
    CHECK(std::abs(estimate.at("value").get<double>() - 0.5) < 7 * estimate.at("standard_error").get<double>());
    CHECK(estimate.at("projected").get<double>() >= -1e-6);
    CHECK(estimate.at("projected").get<double>() <= 1 + 1e-6);
    CHECK_FALSE(estimate.contains("fit"));
  }
  CHECK(answers.at("estimates").at(2).at("error").at("type") == "urn:hearsay:error:query_not_covered");
  const Json& table = answers.at("tables").at(0);
  CHECK(table.at("attributes") == Json{"smoker", "region"});
  CHECK(table.at("sizes") == Json{2, 3});
  double sum = 0;
  for (const Json& value : table.at("values")) sum += value.get<double>();
  CHECK(sum == doctest::Approx(1).epsilon(1e-9));
  REQUIRE(table.at("projected").size() == 6);
  for (const Json& cell : table.at("projected")) CHECK(cell.get<double>() >= 0);
  // Value 3 of the table is the fraction of the first query.
  CHECK(table.at("values").at(3).get<double>() ==
        doctest::Approx(answers.at("estimates").at(0).at("value").get<double>()).epsilon(1e-9));

  const Output text = analyst.hearsay({"estimate", task.id().to_string(), "--table", "region,smoker", "--project"});
  CHECK(text.status == 0);
  CHECK(text.contains("north"));
  CHECK(text.contains("projected"));
  CHECK(text.contains("Region of residence"));
  const Output exact =
      analyst.hearsay({"estimate", task.id().to_string(), "--table", "\"region\", smoker", "-o", "csv"});
  CHECK(exact.status == 0);
  CHECK(exact.text.starts_with("kind,question,"));
  CHECK(exact.contains(",no_change_p,smoker,region,remarks\r\ntable,\"smoker,region\","));
  CHECK(analyst.hearsay({"estimate", task.id().to_string(), "--table", "region\",smoker"}).status == 2);
  CHECK(analyst.hearsay({"estimate", task.id().to_string(), "--table", "region,colour"}).status == 2);
  for (const char* format : {"text", "json"}) {
    const Output three =
        analyst.hearsay({"estimate", task.id().to_string(), "--table", "region,smoker,age", "-o", format});
    CHECK(three.status == 1);
    CHECK(three.contains("the table has 3 attributes, and this task (order 2)"));
  }
  // Each of these ranges of time has a wrong bound, which the error names.
  const std::vector<std::pair<std::vector<std::string>, const char*>> ranges{
      {{"--to", "0"}, "must be before `to`"},
      {{"--from", ""}, "--from: the value is empty"},
      {{"--sample", ""}, "--sample: the value is empty"},
      {{"--from", "-5"}, "--from: '-5' is no time"},
      {{"--to", std::string(309, '9')}, "--to: '9"},
      {{"--from", "1700006400000"}, "looks like milliseconds"},
      {{"--from", "1700092800", "--to", "1700006400"}, "must be before `to`"}};
  for (const auto& [range, message] : ranges) {
    std::vector<std::string> arguments{"estimate", task.id().to_string(), "smoker"};
    arguments.insert(arguments.end(), range.begin(), range.end());
    const Output refused = analyst.hearsay(arguments);
    CAPTURE(refused.text);
    CHECK(refused.status == 2);
    CHECK(refused.contains(message));
  }
  const TemporaryFile sample("smoker,region,age\nyes,north,4\n");
  const Output needless = analyst.hearsay({"estimate", task.id().to_string(), "smoker", "--sample", sample.path()});
  CHECK(needless.status == 2);
  CHECK(needless.text.find("unsupported") != std::string::npos);

  const Json exported = parse_json(aggregator.tally(task)).value();
  std::size_t counted = 0;
  for (const Json& entry : exported.at("windows").at(0).at("answers")) counted += entry.at(2).get<std::size_t>();
  CHECK(counted == kPeople);
  const std::string before = aggregator.tally(task);
  aggregator.restart();
  CHECK(aggregator.tally(task) == before);
}

TEST_CASE("a public sample can replace the uniform distribution") {
  Aggregator aggregator;
  const Analyst analyst(aggregator);
  TaskSpec spec{"literals",
                Schema::parse(kSchema).value(),
                LiteralsSpec{},
                SampledSpec{{}, 1},
                Epsilon::parse("8").value(),
                tests::kTaskStart,
                10 * tests::kDay,
                tests::kDay,
                1};
  const Task task = Task::create(spec).value();
  aggregator.create(task);
  report_each(aggregator, task,
              {Record::create(task.schema(), {1, 0, 4}).value(), Record::create(task.schema(), {0, 1, 0}).value()},
              200);
  std::string csv = "smoker,region,age\n";
  for (int i = 0; i < 200; ++i) csv += i % 2 == 0 ? "yes,north,4\n" : "no,south,0\n";
  const TemporaryFile sample(csv);
  const Output answered = analyst.hearsay(
      {"estimate", task.id().to_string(), "smoker and region = north", "--sample", sample.path(), "-o", "json"});
  CAPTURE(answered.text);
  CHECK(answered.status == 0);
  const Json estimate = parse_json(answered.text).value().at("estimates").at(0);
  CHECK(estimate.at("guarantee") == "average-case");
  CHECK(estimate.at("fit").at("query").at("p").get<double>() >= 0);
  CHECK(std::abs(estimate.at("value").get<double>() - 0.5) < 7 * estimate.at("standard_error").get<double>());
  std::string raw = "Age;Smoker?;Name;Region\n";
  for (int i = 0; i < 200; ++i) raw += i % 2 == 0 ? "99,0;Y;x;N\n" : "-1;N;y;S\n";
  const TemporaryFile raw_sample(raw);
  const TemporaryFile companion(R"({"version": 1, "attributes": [
      {"attribute": "smoker", "column": "Smoker?", "kind": "texts", "texts": {"yes": ["Y"], "no": ["N"]}},
      {"attribute": "region", "column": "Region", "kind": "texts", "texts": {"north": ["N"], "west": ["W"]},
       "other": "south"},
      {"attribute": "age", "column": "Age", "kind": "integer", "outside": "clamp", "decimal_mark": ","}]})");
  const Output same = analyst.hearsay({"estimate", task.id().to_string(), "smoker and region = north", "--sample",
                                       raw_sample.path(), "--companion", companion.path(), "-o", "json"});
  CAPTURE(same.text);
  CHECK(same.text == answered.text);
  CHECK(analyst.hearsay({"estimate", task.id().to_string(), "smoker", "--companion", companion.path()}).status == 2);

  const TemporaryFile wrong("smoker,region\nyes,north\n");
  const Output refused =
      analyst.hearsay({"estimate", task.id().to_string(), "smoker and region = north", "--sample", wrong.path()});
  CHECK(refused.status == 2);
  CHECK(refused.contains("(invalid_record): sample, line 1: there is no column for 'age'"));

  // If the sample is not valid text, the error names file and line, and the command sends nothing.
  const auto asked = [&](const std::string& query, const std::string& content) {
    const TemporaryFile file(content);
    const Output output = analyst.hearsay({"estimate", task.id().to_string(), query, "--sample", file.path()});
    CHECK(output.status == 2);
    CHECK_FALSE(output.contains("json.exception"));
    return output;
  };
  CHECK(asked("smoker and region = north", csv + "yes,caf\xE9,1\n").contains(", line 202: not UTF-8\n"));
  CHECK(asked("smoker and region = \"caf\xE9\"", csv).contains("query 1 of the command line is not UTF-8\n"));

  const TemporaryFile wide("name,smoker,region,age\n" + std::string("x,TRUE,north,4\n") + "x,False,south,0\n");
  CHECK(analyst.hearsay({"estimate", task.id().to_string(), "smoker and region = north", "--sample", wide.path()})
            .contains("sample, line 1: column 1 ('name') names no attribute of the schema"));
  // The sample is valid, but has too few people.
  CHECK(analyst
            .hearsay({"estimate", task.id().to_string(), "smoker and region = north", "--sample", wide.path(),
                      "--ignore-unknown-columns"})
            .contains("class_too_rare: of 2 records of the reference sample"));
}

}  // namespace
}  // namespace hearsay::e2e
