#include "aggregator/api/measure_answers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/measures/questions.h"
#include "aggregator/measures/trend.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::api {
namespace {

constexpr std::size_t kMaxRows = std::size_t{1} << 16U;

Error too_late() {
  return {ErrorCode::kOverloaded, "the analysis took too long (analysis_timeout_seconds): ask for less at a time"};
}

// An infinite end of an interval becomes null.
Json interval_json(const measures::Interval& interval) {
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return Json::array({end(interval.low), end(interval.high)});
}

// A row of the answer is one question of a measure.
struct Row {
  std::size_t measure;
  Result<measures::Question> question;
};

Json head_of(const EstimateRequest& request, const Row& row) {
  const measures::NamedMeasure& measure = request.measures[row.measure];
  Json json{{"measure", measure.text}};
  if (!measure.name.empty()) json["name"] = measure.name;
  if (row.question && !row.question->about().empty()) json["case"] = row.question->about();
  return json;
}

Error about_measure(const std::string& text, const Error& error) {
  return {error.code, "measure `" + text + "`: " + error.message};
}

std::vector<Row> rows_of(const MeasureSource& source, const EstimateRequest& request) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < request.measures.size(); ++i) {
    const std::string& text = request.measures[i].text;
    const auto questions = [&]() -> Result<std::vector<measures::Question>> {
      HEARSAY_TRY(const measures::Measure measure, measures::parse(source.task.schema(), text));
      compiler::Work work(source.stop, {compiler::Work::kBudget.steps, source.max_bytes});
      return measures::questions(source.task, measure, work, request.sample);
    }();
    if (!questions) {
      rows.push_back({i, about_measure(text, questions.error())});
      continue;
    }
    for (const measures::Question& question : *questions) rows.push_back({i, question});
  }
  return rows;
}

class MeasureAnalysis {
 public:
  MeasureAnalysis(const MeasureSource& source, const EstimateRequest& request, const std::vector<Row>& rows)
      : source_(source), request_(request), rows_(rows), answers_(rows.size()) {
    const std::size_t periods = std::max<std::size_t>(request.periods.size(), 1);
    const double beta = 1 - request.confidence;
    confidence_ = request.simultaneous ? 1 - beta / static_cast<double>(rows.size() * periods) : request.confidence;
  }

  // `period` is null for the whole range.
  Result<void> add(const tally::Tally& tally, const measures::Period* period) {
    const auto estimator = estimator::Estimator::create(source_.task, tally, source_.stop, source_.max_bytes);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (source_.stop.stop_requested()) return too_late();
      Json json = head_of(request_, rows_[i]);
      if (period != nullptr) {
        json["from"] = period->from;
        json["to"] = period->to;
      }
      json["reports"] = tally.reports();
      HEARSAY_CHECK_OK(add_answer(estimator, i, json));
      items_.push_back(std::move(json));
    }
    return {};
  }

  Json items() { return std::move(items_); }

  Json no_change() const {
    Json tests = Json::array();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto test = measures::test_no_change(answers_[i]);
      if (!test) continue;
      Json json = head_of(request_, rows_[i]);
      json["p"] = test->p;
      json["statistic"] = test->statistic;
      json["degrees"] = test->degrees;
      tests.push_back(std::move(json));
    }
    return tests;
  }

 private:
  Result<void> add_answer(const Result<estimator::Estimator>& estimator, std::size_t row, Json& json) {
    const auto answer = [&]() -> Result<measures::Answer> {
      if (!rows_[row].question) return rows_[row].question.error();
      if (!estimator) return estimator.error();
      auto made = rows_[row].question->evaluate(*estimator, confidence_);
      if (!made) return about_measure(request_.measures[rows_[row].measure].text, made.error());
      return made;
    }();
    if (!answer && answer.error().code == ErrorCode::kCancelled) return too_late();
    if (!answer) {
      json["error"] = error_json(answer.error());
      return {};
    }
    json["value"] = answer->value;
    json["standard_error"] = answer->standard_error;
    json["normal"] = interval_json(answer->normal);
    json["guaranteed"] = interval_json(answer->guaranteed);
    json["guarantee"] = compiler::guarantee_name(answer->guarantee);
    json["influence"] = answer->influence;
    json["warnings"] = answer->warnings;
    answers_[row].push_back(*answer);
    return {};
  }

  const MeasureSource& source_;
  const EstimateRequest& request_;
  const std::vector<Row>& rows_;
  double confidence_ = 0;
  std::vector<std::vector<measures::Answer>> answers_;  // for each row, the answers of its periods
  Json items_ = Json::array();
};

}  // namespace

Result<void> answer_measures(const MeasureSource& source, const EstimateRequest& request, Json& result) {
  const std::vector<Row> rows = rows_of(source, request);
  if (rows.size() * std::max<std::size_t>(request.periods.size(), 1) > kMaxRows) {
    return Error{ErrorCode::kLimitExceeded, "the measures have more than " + with_separators(kMaxRows) +
                                                " rows in all: ask for fewer measures or longer periods"};
  }
  MeasureAnalysis analysis(source, request, rows);
  if (request.periods.empty()) HEARSAY_CHECK_OK(analysis.add(source.tally, nullptr));
  for (const measures::Period& period : request.periods) {
    const auto tally = source.store.tally(source.task, {period.from, period.to}, source.stop);
    if (!tally) return tally.error().code == ErrorCode::kCancelled ? too_late() : tally.error();
    HEARSAY_CHECK_OK(analysis.add(*tally, &period));
  }
  result["measures"] = analysis.items();
  if (request.simultaneous) result["simultaneous"] = true;
  if (request.periods.empty()) return {};
  result["every"] = request.every;
  result["time_zone"] = request.time_zone;
  result["no_change"] = analysis.no_change();
  return {};
}

}  // namespace hearsay::api
