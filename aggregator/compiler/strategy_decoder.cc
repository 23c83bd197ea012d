#include "aggregator/compiler/strategy_decoder.h"

#include <utility>

namespace hearsay::compiler {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

double probability(const StrategyChannel& channel, Index x, Index k) {
  return channel.entry(static_cast<std::size_t>(x), static_cast<std::uint32_t>(k)) * 0x1p-32;
}

ListedStrategy listed_of(const StrategyChannel& channel) {
  MatrixXd matrix(static_cast<Index>(channel.outputs()), static_cast<Index>(channel.records()));
  for (Index x = 0; x < matrix.cols(); ++x) {
    for (Index k = 0; k < matrix.rows(); ++k) matrix(k, x) = probability(channel, x, k);
  }
  return ListedStrategy(std::move(matrix));
}

ShiftStrategy shift_of(const StrategyChannel& channel) {
  ShiftRows shift{MatrixXd(static_cast<Index>(channel.rows()), static_cast<Index>(channel.records())),
                  channel.values()};
  for (Index z = 0; z < shift.rows.cols(); ++z) {
    for (Index r = 0; r < shift.rows.rows(); ++r) shift.rows(r, z) = probability(channel, z, r * shift.rows.cols());
  }
  return ShiftStrategy(shift);
}

using Kind = std::variant<ListedStrategy, ShiftStrategy>;

}  // namespace

StrategyDecoder::StrategyDecoder(const StrategyChannel& channel)
    : kind_(channel.shifts() ? Kind(shift_of(channel)) : Kind(listed_of(channel))) {}

StrategyDecoder::StrategyDecoder(MatrixXd probabilities) : kind_(ListedStrategy(std::move(probabilities))) {}

StrategyDecoder::StrategyDecoder(const ShiftRows& shift_rows) : kind_(ShiftStrategy(shift_rows)) {}

Result<MatrixXd> StrategyDecoder::scores(const MatrixXd& functions) const {
  return std::visit([&](const auto& kind) { return kind.scores(functions); }, kind_);
}

MatrixXd StrategyDecoder::means_of(const MatrixXd& scores) const {
  return std::visit([&](const auto& kind) { return kind.means_of(scores); }, kind_);
}

MatrixXd StrategyDecoder::outputs_of(const MatrixXd& people) const {
  return std::visit([&](const auto& kind) { return kind.outputs_of(people); }, kind_);
}

Index StrategyDecoder::records() const {
  return std::visit([](const auto& kind) { return kind.records(); }, kind_);
}

const Eigen::VectorXd& StrategyDecoder::mean_probabilities() const {
  return std::visit([](const auto& kind) -> const Eigen::VectorXd& { return kind.mean_probabilities(); }, kind_);
}

std::uint64_t decoder_steps(const StrategyChannel& channel) {
  if (channel.shifts()) return 2 * scores_steps(channel);
  return std::uint64_t{channel.outputs()} * channel.records() * channel.records() / 4;
}

std::uint64_t scores_steps(const StrategyChannel& channel) {
  if (!channel.shifts()) return std::uint64_t{channel.outputs()} * channel.records();
  // Two rows share a transform. For each pair of rows, one transform gives the scores, one the means of the scores, and
  // one the means of the squares.
  return 3 * (std::uint64_t{channel.rows()} + 1) / 2 * group_fourier_steps(channel.values());
}

}  // namespace hearsay::compiler
