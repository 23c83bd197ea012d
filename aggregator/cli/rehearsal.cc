#include "aggregator/cli/rehearsal.h"

#include <limits>
#include <span>
#include <utility>

#include "aggregator/cli/estimate_report.h"
#include "aggregator/cli/rehearsal_task.h"
#include "aggregator/console/input.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/measures/questions.h"
#include "aggregator/measures/truth.h"
#include "aggregator/tally/tally.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"

namespace hearsay::cli {
namespace {

// The measures, and the rows of each measure as questions to the task.
struct Questions {
  std::vector<measures::Measure> measures;
  std::vector<std::vector<Result<measures::Question>>> rows;
};

Result<Questions> compile(const Task& task, const std::vector<measures::NamedMeasure>& texts) {
  Questions result;
  for (const measures::NamedMeasure& text : texts) {
    const std::string where = "measure `" + text.text + "`";
    HEARSAY_TRY(measures::Measure measure, console::named(where, measures::parse(task.schema(), text.text)));
    compiler::Work work;
    const auto questions = measures::questions(task, measure, work);
    std::vector<Result<measures::Question>> rows;
    if (questions) {
      rows.assign(questions->begin(), questions->end());
    } else {
      rows.emplace_back(questions.error());
    }
    result.measures.push_back(std::move(measure));
    result.rows.push_back(std::move(rows));
  }
  return result;
}

std::vector<Record> together(const Windows& people) {
  std::vector<Record> all;
  for (const auto& window : people) all.insert(all.end(), window.begin(), window.end());
  return all;
}

// Adds the rows of one window, or of all windows together. `answer` returns the answer to one row. This function calls
// `answer` in the order of the rows.
template <class Answer>
void add_rows(const Task& task, const RehearsalPlan& plan, const Questions& questions, std::span<const Record> people,
              std::optional<std::size_t> window, const Answer& answer, std::vector<RehearsedAnswer>& out) {
  for (std::size_t i = 0; i < questions.measures.size(); ++i) {
    const std::vector<double> truth = measures::true_values(task, questions.measures[i], people);
    for (std::size_t k = 0; k < questions.rows[i].size(); ++k) {
      const Result<measures::Question>& question = questions.rows[i][k];
      const std::string about = question ? question->about() : "";
      out.push_back({{plan.measures[i].text, plan.measures[i].name, about, window}, truth[k], answer(question)});
    }
  }
}

UnixSeconds start_of(const Task& task, std::size_t window) {
  return task.spec().task_start + window * task.spec().time_precision;
}

Result<tally::Tally> tally_of(const Task& task, std::size_t window, const std::vector<Record>& people) {
  tally::Tally tally = tally::Tally::empty(task.channel());
  for (const Record& person : people) {
    HEARSAY_TRY(const Report report, randomize(task, person, start_of(task, window), system_bit_source()));
    HEARSAY_CHECK_OK(tally.add(task.channel(), report.payload));
  }
  return tally;
}

measures::Answer answer_of(const Json& item) {
  const auto interval = [&item](const char* key) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Json& ends = item.at(key);
    return measures::Interval{ends.at(0).is_null() ? -kInfinity : ends.at(0).get<double>(),
                              ends.at(1).is_null() ? kInfinity : ends.at(1).get<double>()};
  };
  measures::Answer answer{};
  answer.value = item.at("value").get<double>();
  answer.standard_error = item.at("standard_error").get<double>();
  answer.normal = interval("normal");
  answer.guaranteed = interval("guaranteed");
  answer.influence = item.at("influence").get<double>();
  answer.warnings = item.at("warnings").get<std::vector<std::string>>();
  return answer;
}

Result<void> upload(const Server& server, const std::string& path, const std::vector<std::uint8_t>& reports) {
  const std::string body(reports.begin(), reports.end());
  HEARSAY_TRY(const std::string text, call(server, "POST", path + "/reports", body, kReportsMediaType));
  HEARSAY_TRY(const Json answer, parse_json(text));
  if (answer.at("rejected") == 0) return {};
  return Error{ErrorCode::kServerRefused, "the aggregator rejected " + answer.at("rejected").dump() +
                                              " reports: " + json_text(answer.at("reasons"))};
}

Result<void> report(const Server& server, const Task& task, const std::string& path, const Windows& people) {
  constexpr std::size_t kMostBodyBytes = std::size_t{1} << 20U;  // a body of this size or more is sent
  for (std::size_t window = 0; window < people.size(); ++window) {
    std::vector<std::uint8_t> body;
    for (const Record& person : people[window]) {
      HEARSAY_TRY(const Report made, randomize(task, person, start_of(task, window), system_bit_source()));
      append_report(made, body);
      if (body.size() < kMostBodyBytes) continue;
      HEARSAY_CHECK_OK(upload(server, path, body));
      body.clear();
    }
    if (!body.empty()) HEARSAY_CHECK_OK(upload(server, path, body));
  }
  return {};
}

// Returns the aggregator's answers to all rows, for one window or for all windows together.
Result<std::vector<Json>> ask(const Server& server, const std::string& path, const RehearsalPlan& plan, Json request) {
  request["confidence"] = plan.confidence;
  for (const measures::NamedMeasure& measure : plan.measures) request["measures"].push_back(measure.text);
  HEARSAY_TRY(const std::string text, call(server, "POST", path + "/estimates", json_text(request)));
  HEARSAY_TRY(const Json answer, parse_json(text));
  return answer.at("measures").get<std::vector<Json>>();
}

}  // namespace

Result<std::vector<RehearsedAnswer>> rehearse_here(const RehearsalPlan& plan, const Windows& people) {
  HEARSAY_TRY(const Task task, Task::create(for_rehearsal(plan.spec, people.size())));
  HEARSAY_TRY(const Questions questions, compile(task, plan.measures));
  std::vector<RehearsedAnswer> result;
  const auto add = [&](const tally::Tally& tally, std::span<const Record> reporters,
                       std::optional<std::size_t> window) {
    const auto estimator = estimator::Estimator::create(task, tally);
    const auto answer = [&](const Result<measures::Question>& question) -> Result<measures::Answer> {
      if (!question) return question.error();
      if (!estimator) return estimator.error();
      return question->evaluate(*estimator, plan.confidence);
    };
    add_rows(task, plan, questions, reporters, window, answer, result);
  };
  tally::Tally sum = tally::Tally::empty(task.channel());
  std::vector<tally::Tally> tallies;
  for (std::size_t window = 0; window < people.size(); ++window) {
    HEARSAY_TRY(tally::Tally tally, tally_of(task, window, people[window]));
    HEARSAY_CHECK_OK(sum.merge(tally));
    tallies.push_back(std::move(tally));
  }
  add(sum, together(people), std::nullopt);
  for (std::size_t i = 0; people.size() > 1 && i < people.size(); ++i) add(tallies[i], people[i], i + 1);
  return result;
}

Result<std::vector<RehearsedAnswer>> rehearse_there(const Server& server, const RehearsalPlan& plan,
                                                    const Windows& people) {
  HEARSAY_TRY(const Task task, Task::create(for_rehearsal(plan.spec, people.size())));
  HEARSAY_TRY(const Questions questions, compile(task, plan.measures));
  const std::string path = "/v1/tasks/" + task.id().to_string();
  HEARSAY_CHECK_OK(call(server, "POST", "/v1/tasks", task.canonical_json()));
  const auto reported = report(server, task, path, people);
  const auto closed = call(server, "POST", path + "/close", "");
  if (!reported) return reported.error();
  if (!closed) return closed.error();

  std::vector<RehearsedAnswer> result;
  const auto add = [&](Json request, std::span<const Record> reporters,
                       std::optional<std::size_t> window) -> Result<void> {
    HEARSAY_TRY(const std::vector<Json> rows, ask(server, path, plan, std::move(request)));
    std::size_t next = 0;
    const auto answer = [&](const Result<measures::Question>&) -> Result<measures::Answer> {
      if (next >= rows.size()) return Error{ErrorCode::kInternal, "the aggregator's answer has too few rows"};
      const Json& row = rows[next++];
      if (row.contains("error")) return Error{ErrorCode::kServerRefused, error_text(row.at("error"))};
      return answer_of(row);
    };
    add_rows(task, plan, questions, reporters, window, answer, result);
    return {};
  };
  HEARSAY_CHECK_OK(add(Json::object(), together(people), std::nullopt));
  for (std::size_t i = 0; people.size() > 1 && i < people.size(); ++i) {
    HEARSAY_CHECK_OK(add({{"from", start_of(task, i)}, {"to", start_of(task, i + 1)}}, people[i], i + 1));
  }
  return result;
}

}  // namespace hearsay::cli
