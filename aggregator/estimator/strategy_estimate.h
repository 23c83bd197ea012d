// Estimates from the channel `strategy`.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/strategy_decoder.h"
#include "aggregator/compiler/work.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/estimator/table.h"
#include "aggregator/tally/sampled_tally.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// Prepares the tally of a `strategy` task for queries. Immutable. Thread-safety: any number of threads may share an
// index.
class StrategyIndex {
 public:
  // Cost: decoder_steps() of strategy_decoder.h. Errors: kInvalidArgument (a tally of another task).
  static Result<StrategyIndex> create(const Task& task, const tally::SampledTally& tally);

  const Task& task() const { return task_; }
  std::uint64_t reports() const { return reports_; }
  const compiler::StrategyDecoder& decoder() const { return decoder_; }
  const Eigen::VectorXd& counts() const { return counts_; }  // the number of reports of each output

 private:
  StrategyIndex(const Task& task, const StrategyChannel& channel)
      : task_(task), decoder_(channel), counts_(Eigen::VectorXd::Zero(channel.outputs())) {}
  Task task_;
  compiler::StrategyDecoder decoder_;
  std::uint64_t reports_ = 0;
  Eigen::VectorXd counts_;
};

// These three functions implement Estimator for `strategy`. All throw compiler::WorkStopped.
Result<Estimate> strategy_estimate(const StrategyIndex& index, const compiler::LinearQuery& query, double confidence,
                                   compiler::Work& work);
Result<TableNumbers> strategy_table(const StrategyIndex& index, std::span<const std::uint32_t> attributes,
                                    compiler::Work& work);
Result<CoordinateMeans> strategy_means(const StrategyIndex& index, std::span<const std::uint32_t> attributes,
                                       compiler::Work& work);

}  // namespace hearsay::estimator
