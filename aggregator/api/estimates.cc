#include "aggregator/api/estimates.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregator/api/answers.h"
#include "aggregator/api/estimate_request.h"
#include "aggregator/api/measure_answers.h"
#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/consistency/projection.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/estimator/fit/goodness_of_fit.h"
#include "aggregator/tally/laplace_tally.h"
#include "aggregator/tally/parts.h"
#include "aggregator/tally/tally.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::api {
namespace {

// Limit on the cells of all tables of a request. 2^20 values and errors are about 40 MB of JSON.
constexpr std::size_t kMaxCells = std::size_t{1} << 20U;
// Memory of a cell in bytes: its value and error as numbers, as a JSON object and as text.
constexpr std::size_t kCellBytes = 100;
constexpr std::size_t kProjectedCellBytes = 150;  // the same for a cell that also has a projected value
// Memory in bytes of a tally's (group, answer) pair, or of a coordinate of `laplace`; the estimator's index is
// included.
constexpr std::size_t kPairBytes = 48;
// Memory of an answer in bytes, without its query's text.
constexpr std::size_t kAnswerBytes = 2048;

// Counts the memory that one analysis may still take. Memory that the analysis takes counts as taken until the analysis
// ends.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : left_(bytes) {}

  Result<void> take(std::size_t count, std::size_t size) {
    if (count > left_ / size) {
      return Error{ErrorCode::kLimitExceeded,
                   "the analysis needs more memory than one analysis may take (a quarter of max_analysis_bytes): "
                   "ask for fewer queries, tables, windows or records of a sample at a time"};
    }
    left_ -= count * size;
    return {};
  }

  std::size_t left() const { return left_; }

 private:
  std::size_t left_;
};

std::size_t counts_of(const tally::Tally& tally) {
  const auto* laplace = std::get_if<tally::LaplaceTally>(&tally.kind());
  return laplace != nullptr ? laplace->sum.size() : tally::Parts::pairs(tally);
}

Error late() {
  return {ErrorCode::kOverloaded, "the analysis took too long (analysis_timeout_seconds): ask for less at a time"};
}

class Analysis {
 public:
  Analysis(const Task& task, const tally::Tally& tally, const EstimateRequest& request, Memory& memory,
           const std::stop_token& stop)
      : task_(task),
        tally_(tally),
        request_(request),
        memory_(memory),
        stop_(stop),
        estimator_(estimator::Estimator::create(task, tally, stop, memory.left())) {}

  Result<Answer> answer(const std::string& text) {
    if (stop_.stop_requested()) return late();
    Result<Answer> answer = answer_in_time(text);
    return !answer && answer.error().code == ErrorCode::kCancelled ? Result<Answer>(late()) : std::move(answer);
  }

  Result<TableAnswer> table(const std::vector<std::uint32_t>& attributes) {
    if (stop_.stop_requested()) return late();
    HEARSAY_CHECK_OK(estimator::check_table(task_, attributes));
    HEARSAY_TRY(const std::size_t cells, cells_of(attributes));
    if (!estimator_) return estimator_.error();
    HEARSAY_CHECK_OK(take_cells(cells));
    auto table = estimator_->table(attributes, request_.confidence);
    if (!table && table.error().code == ErrorCode::kCancelled) return late();
    if (!table) return table.error();
    cells_left_ -= cells;
    return TableAnswer{*std::move(table), std::nullopt, {}};
  }

  // Returns a copy of `answer`, for a query or table that the request repeats. Counts the memory of the copy.
  Result<Answer> again(const Result<Answer>& answer, const std::string& text) {
    HEARSAY_CHECK_OK(memory_.take(1, kAnswerBytes + text.size()));
    return answer;
  }
  Result<TableAnswer> again(const Result<TableAnswer>& table, const std::vector<std::uint32_t>& attributes) {
    if (!table) return table;
    HEARSAY_TRY(const std::size_t cells, cells_of(attributes));
    HEARSAY_CHECK_OK(take_cells(cells));
    cells_left_ -= cells;
    return table;
  }

  // Adds the values of estimator::project() to all answers, or warnings that say why these values are missing.
  void add_projections(std::vector<Result<Answer>>& answers, std::vector<Result<TableAnswer>>& tables) const {
    std::vector<std::vector<std::uint32_t>> attributes;
    for (const Result<TableAnswer>& table : tables) {
      if (table) attributes.push_back(table->table.attributes);
    }
    if (answered_.empty() && attributes.empty()) return;
    auto projected = estimator::project(task_, *estimator_, answered_, attributes, stop_);
    std::size_t next = 0;
    for (Result<Answer>& answer : answers) {
      if (!answer) continue;
      if (projected) {
        answer->projected = projected->values[next++];
      } else {
        answer->estimate.warnings.push_back(no_consistent_values(projected.error()));
      }
    }
    next = 0;
    for (Result<TableAnswer>& table : tables) {
      if (!table) continue;
      if (projected) {
        table->projected = std::move(projected->tables[next++]);
      } else {
        table->warnings.push_back(no_consistent_values(projected.error()));
      }
    }
  }

 private:
  Result<Answer> answer_in_time(const std::string& text) {
    HEARSAY_CHECK_OK(memory_.take(1, kAnswerBytes + text.size()));
    HEARSAY_TRY(const Query query, Query::parse(task_.schema(), text));
    compiler::Work work(stop_, {compiler::Work::kBudget.steps, memory_.left()});
    HEARSAY_TRY(compiler::CompiledQuery compiled, compiler::compile(task_, query, work, request_.sample));
    if (!estimator_) return estimator_.error();
    HEARSAY_TRY(estimator::Estimate estimate, estimator_->estimate(compiled.linear, request_.confidence));
    Answer answer{std::move(estimate), std::nullopt, std::nullopt};
    if (compiled.linear.guarantee == compiler::Guarantee::kAverageCase) {
      HEARSAY_CHECK_OK(add_fit(compiled, answer));
    }
    if (!request_.project) return answer;
    HEARSAY_CHECK_OK(memory_.take(compiler::bytes_of(compiled.linear), 1));
    answered_.push_back(std::move(compiled.linear));
    return answer;
  }

  // Tests the average-case assumption. If this test is impossible, the answer gets a warning.
  Result<void> add_fit(const compiler::CompiledQuery& compiled, Answer& answer) const {
    compiler::Work work(stop_, {compiler::Work::kBudget.steps, memory_.left()});
    auto fit = estimator::goodness_of_fit(task_, compiled, tally_, work);
    if (!fit && fit.error().code == ErrorCode::kCancelled) return fit.error();
    if (!fit) {
      answer.estimate.warnings.push_back("the average-case assumption was not tested: " + fit.error().message);
      return {};
    }
    if (const auto warning = estimator::fit_warning(*fit)) answer.estimate.warnings.push_back(*warning);
    answer.fit = *std::move(fit);
    return {};
  }

  // Returns the number of cells of the table of `attributes`. Errors: kLimitExceeded (more cells than cells_left_).
  Result<std::size_t> cells_of(const std::vector<std::uint32_t>& attributes) const {
    std::size_t cells = 1;
    for (const std::uint32_t attribute : attributes) {
      if (task_.asked_schema()[attribute].size() > cells_left_ / cells) return too_many_cells();
      cells *= task_.asked_schema()[attribute].size();
    }
    return cells;
  }

  Result<void> take_cells(std::size_t cells) {
    return memory_.take(cells, request_.project ? kProjectedCellBytes : kCellBytes);
  }

  static std::string no_consistent_values(const Error& error) { return "no consistent values: " + error.message; }

  static Error too_many_cells() {
    return {ErrorCode::kLimitExceeded,
            "the tables of a request may have " + with_separators(kMaxCells) +
                " cells in all: ask for fewer tables at a time, or for tables of fewer attributes"};
  }

  const Task& task_;
  const tally::Tally& tally_;
  const EstimateRequest& request_;
  Memory& memory_;
  const std::stop_token& stop_;
  Result<estimator::Estimator> estimator_;
  std::vector<compiler::LinearQuery> answered_;  // the queries that have an answer, in order, for the projection
  std::size_t cells_left_ = kMaxCells;
};

}  // namespace

Result<Json> answer_queries(const store::Store& store, const Task& task, std::string_view body, std::size_t max_bytes,
                            const std::stop_token& stop) {
  Memory memory(max_bytes);
  HEARSAY_CHECK_OK(memory.take(body.size(), kParsedBodyFactor));
  HEARSAY_TRY(const EstimateRequest request, parse_estimate_request(task, body));
  const Result<tally::Tally> sum = store.tally(task, request.range, stop);
  if (!sum) return sum.error().code == ErrorCode::kCancelled ? late() : sum.error();
  const tally::Tally& tally = *sum;
  HEARSAY_CHECK_OK(memory.take(counts_of(tally), kPairBytes));

  Analysis analysis(task, tally, request, memory, stop);
  Json result{{"task", task.id().to_string()},
              {"epsilon", task.epsilon().to_string()},
              {"reports", tally.reports()},
              {"confidence", request.confidence}};
  std::vector<Result<Answer>> answered;
  std::map<std::string_view, std::size_t> query_at;  // the index of each query's first answer
  for (const std::string& text : request.queries) {
    const auto [first, is_new] = query_at.emplace(text, answered.size());
    // The projection needs a compiled query for each answer, so repeated queries are computed, too.
    const bool compute = is_new || request.project;
    answered.push_back(compute ? analysis.answer(text) : analysis.again(answered[first->second], text));
  }
  std::vector<Result<TableAnswer>> tabulated;
  std::map<std::vector<std::uint32_t>, std::size_t> table_at;
  for (const auto& attributes : request.tables) {
    const auto [first, is_new] = table_at.emplace(attributes, tabulated.size());
    tabulated.push_back(is_new ? analysis.table(attributes) : analysis.again(tabulated[first->second], attributes));
  }
  if (request.project) analysis.add_projections(answered, tabulated);
  Json estimates = Json::array();
  for (std::size_t i = 0; i < answered.size(); ++i) {
    estimates.push_back(estimate_json(request.queries[i], answered[i]));
  }
  result["estimates"] = std::move(estimates);
  result["from"] = request.range.from;
  if (request.range.to != store::WindowRange{}.to) result["to"] = request.range.to;
  if (!request.measures.empty()) {
    const MeasureSource source{store, task, tally, memory.left(), stop};
    HEARSAY_CHECK_OK(answer_measures(source, request, result));
  }
  if (request.tables.empty()) return result;
  Json tables = Json::array();
  for (std::size_t i = 0; i < tabulated.size(); ++i) {
    tables.push_back(table_json(task.asked_schema(), request.tables[i], tabulated[i]));
  }
  result["tables"] = std::move(tables);
  return result;
}

}  // namespace hearsay::api
