#include "aggregator/estimator/estimate.h"

#include <cmath>
#include <string>
#include <variant>

#include "aggregator/estimator/laplace_estimate.h"
#include "aggregator/estimator/question_estimate.h"
#include "aggregator/estimator/question_table.h"
#include "aggregator/estimator/questions/question_index.h"
#include "aggregator/estimator/sampled/sampled_index.h"
#include "aggregator/estimator/sampled_estimate.h"
#include "aggregator/estimator/strategy_estimate.h"
#include "aggregator/estimator/table.h"
#include "aggregator/tails/distributions.h"
#include "common/arrangement/arrangement.h"
#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

Result<void> check(const Task& task, const tally::Tally& tally) {
  const bool laplace = std::holds_alternative<LaplaceChannel>(task.channel().kind());
  if (std::holds_alternative<tally::LaplaceTally>(tally.kind()) != laplace) {
    return Error{ErrorCode::kInvalidArgument, "the tally is of another kind of channel than the task's"};
  }
  if (const auto* channel = std::get_if<LaplaceChannel>(&task.channel().kind())) {
    if (std::get<tally::LaplaceTally>(tally.kind()).sum.size() != channel->coordinates()) {
      return Error{ErrorCode::kInvalidArgument, "the tally has another number of coordinates than the task's reports"};
    }
  }
  if (tally.reports() == 0) return Error{ErrorCode::kNoReports, "there are no reports to estimate from"};
  if (tally.reports() < task.spec().min_batch_size) {
    return Error{ErrorCode::kBatchTooSmall,
                 "there are " + with_separators(tally.reports()) + " reports, and the task answers from " +
                     with_separators(task.spec().min_batch_size) + " on, its min_batch_size"};
  }
  return {};
}

Result<void> check_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return {};
  return Error{ErrorCode::kInvalidArgument, "the confidence must lie strictly in (0, 1)"};
}

Result<void> check_attributes(const Task& task, std::span<const std::uint32_t> attributes) {
  bool good = !attributes.empty();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    good = good && attributes[i] < task.asked_schema().size() && (i == 0 || attributes[i - 1] < attributes[i]);
  }
  if (good) return {};
  return Error{ErrorCode::kInvalidArgument, "attributes must be some of the schema's, in its order, and none twice"};
}

bool asks_questions(const Task& task) {
  const auto* channel = std::get_if<SampledChannel>(&task.channel().kind());
  return channel != nullptr && std::holds_alternative<Characters>(task.arrangement().kind()) &&
         !channel->asks_parities();
}

}  // namespace

Result<void> check_table(const Task& task, std::span<const std::uint32_t> attributes) {
  const auto* characters = std::get_if<Characters>(&task.arrangement().kind());
  if (characters == nullptr) return Error{ErrorCode::kUnsupported, "tables need the arrangement `characters`"};
  HEARSAY_CHECK_OK(check_attributes(task, attributes));
  if (attributes.size() <= characters->order()) return {};
  const std::string size = std::to_string(attributes.size());
  const std::string order = std::to_string(characters->order());
  return Error{ErrorCode::kQueryNotCovered, "the table has " + size + " attributes, and this task (order " + order +
                                                ") answers tables of at most " + order +
                                                ": ask for smaller tables, or create a task of order " + size};
}

struct Estimator::State {
  struct Laplace {
    Task task;
    std::uint64_t reports;
    std::vector<std::int64_t> sum;
    const LaplaceChannel& channel() const { return std::get<LaplaceChannel>(task.channel().kind()); }
    LaplaceSums sums() const { return {reports, sum}; }
  };
  std::variant<Laplace, SampledIndex, QuestionIndex, StrategyIndex> kind;
  std::stop_token stop;
  std::uint64_t max_bytes;
  // The number of steps has no limit, since it grows with the number of reports, which the analyst cannot choose.
  compiler::Work work() const { return compiler::Work(stop, {.steps = UINT64_MAX, .bytes = max_bytes}); }
  const Task& task() const {
    if (const auto* laplace = std::get_if<Laplace>(&kind)) return laplace->task;
    if (const auto* questions = std::get_if<QuestionIndex>(&kind)) return questions->task();
    if (const auto* strategy = std::get_if<StrategyIndex>(&kind)) return strategy->task();
    return std::get<SampledIndex>(kind).task();
  }
};

Result<Estimator> Estimator::create(const Task& task, const tally::Tally& tally, std::stop_token stop,
                                    std::uint64_t max_bytes) {
  HEARSAY_CHECK_OK(check(task, tally));
  if (const auto* laplace = std::get_if<tally::LaplaceTally>(&tally.kind())) {
    return Estimator(std::make_shared<State>(
        State{State::Laplace{task, laplace->reports, laplace->sum}, std::move(stop), max_bytes}));
  }
  const auto& sampled = std::get<tally::SampledTally>(tally.kind());
  if (std::holds_alternative<StrategyChannel>(task.channel().kind())) {
    HEARSAY_TRY(StrategyIndex index, StrategyIndex::create(task, sampled));
    return Estimator(std::make_shared<State>(State{std::move(index), std::move(stop), max_bytes}));
  }
  if (asks_questions(task)) {
    HEARSAY_TRY(QuestionIndex index, QuestionIndex::create(task, sampled));
    return Estimator(std::make_shared<State>(State{std::move(index), std::move(stop), max_bytes}));
  }
  HEARSAY_TRY(SampledIndex index, SampledIndex::create(task, sampled));
  return Estimator(std::make_shared<State>(State{std::move(index), std::move(stop), max_bytes}));
}

Result<Estimate> Estimator::estimate(const compiler::LinearQuery& query, double confidence) const {
  HEARSAY_CHECK_OK(check_confidence(confidence));
  if (const auto* laplace = std::get_if<State::Laplace>(&state_->kind)) {
    return laplace_estimate(laplace->channel(), laplace->sums(), query, confidence);
  }
  return compiler::stoppable([&] {
    compiler::Work work = state_->work();
    if (const auto* questions = std::get_if<QuestionIndex>(&state_->kind)) {
      return question_estimate(*questions, query, confidence, work);
    }
    if (const auto* strategy = std::get_if<StrategyIndex>(&state_->kind)) {
      return strategy_estimate(*strategy, query, confidence, work);
    }
    return sampled_estimate(std::get<SampledIndex>(state_->kind), query, confidence, work);
  });
}

Result<CoordinateMeans> Estimator::means(std::span<const std::uint32_t> attributes) const {
  HEARSAY_CHECK_OK(check_attributes(state_->task(), attributes));
  const auto& arrangement = state_->task().arrangement().kind();
  if (std::holds_alternative<Explicit>(arrangement)) {
    return Error{ErrorCode::kUnsupported, "the coordinates of explicit vectors belong to no attributes"};
  }
  const auto* characters = std::get_if<Characters>(&arrangement);
  if (attributes.size() > (characters != nullptr ? characters->order() : 1)) {
    return Error{ErrorCode::kInvalidArgument, "the arrangement has no coordinates on so many attributes"};
  }
  if (const auto* questions = std::get_if<QuestionIndex>(&state_->kind)) {
    return compiler::stoppable([&] {
      compiler::Work work = state_->work();
      return question_means(*questions, attributes, work);
    });
  }
  if (const auto* strategy = std::get_if<StrategyIndex>(&state_->kind)) {
    return compiler::stoppable([&] {
      compiler::Work work = state_->work();
      return strategy_means(*strategy, attributes, work);
    });
  }
  if (const auto* index = std::get_if<SampledIndex>(&state_->kind)) {
    return compiler::stoppable([&] {
      compiler::Work work = state_->work();
      return characters != nullptr ? sampled_means_on_characters(*index, attributes, work)
                                   : sampled_means_on_literals(*index, attributes.front(), work);
    });
  }
  const auto& laplace = std::get<State::Laplace>(state_->kind);
  if (characters != nullptr) {
    const CharacterIndex::Ranks on = characters->coordinates_on(attributes);
    return laplace_means(laplace.channel(), laplace.sums(), on.first, on.size);
  }
  const AttributeBlock& block = std::get<Literals>(arrangement).blocks()[attributes.front()];
  return laplace_means(laplace.channel(), laplace.sums(), block.offset, block.size);
}

Result<ContingencyTable> Estimator::table(std::span<const std::uint32_t> attributes, double confidence) const {
  HEARSAY_CHECK_OK(check_confidence(confidence));
  const Task& task = state_->task();
  HEARSAY_CHECK_OK(check_table(task, attributes));
  const auto* laplace = std::get_if<State::Laplace>(&state_->kind);
  const auto* questions = std::get_if<QuestionIndex>(&state_->kind);
  const auto* strategy = std::get_if<StrategyIndex>(&state_->kind);
  compiler::Work work = state_->work();
  HEARSAY_TRY(TableNumbers numbers, compiler::stoppable([&] {
                if (questions != nullptr) return question_table(*questions, attributes, work);
                if (strategy != nullptr) return strategy_table(*strategy, attributes, work);
                return laplace != nullptr ? laplace_table(task, laplace->sums(), attributes, work)
                                          : sampled_table(std::get<SampledIndex>(state_->kind), attributes, work);
              }));
  HEARSAY_TRY(const double quantile, tails::normal_upper_quantile((1 - confidence) / 2));
  ContingencyTable table{.attributes = {attributes.begin(), attributes.end()},
                         .sizes = {},
                         .values = std::move(numbers.values),
                         .standard_errors = std::move(numbers.variances),
                         .confidence = confidence,
                         .quantile = quantile,
                         .reports = reports()};
  for (const std::uint32_t attribute : attributes) table.sizes.push_back(task.asked_schema()[attribute].size());
  for (double& number : table.standard_errors) number = std::sqrt(number);
  return table;
}

std::uint64_t Estimator::reports() const {
  if (const auto* laplace = std::get_if<State::Laplace>(&state_->kind)) return laplace->reports;
  if (const auto* questions = std::get_if<QuestionIndex>(&state_->kind)) return questions->reports();
  if (const auto* strategy = std::get_if<StrategyIndex>(&state_->kind)) return strategy->reports();
  return std::get<SampledIndex>(state_->kind).reports();
}

Result<Estimate> estimate(const Task& task, const compiler::LinearQuery& query, const tally::Tally& tally,
                          double confidence) {
  HEARSAY_TRY(const Estimator estimator, Estimator::create(task, tally));
  return estimator.estimate(query, confidence);
}

}  // namespace hearsay::estimator
