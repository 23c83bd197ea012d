#include "aggregator/compiler/compile.h"

#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "aggregator/compiler/canonical.h"
#include "aggregator/compiler/coarse_query.h"
#include "aggregator/compiler/compile_characters.h"
#include "aggregator/compiler/compile_explicit.h"
#include "aggregator/compiler/compile_literals.h"
#include "aggregator/compiler/compile_products.h"
#include "aggregator/compiler/public_bits.h"
#include "aggregator/compiler/record_function.h"
#include "aggregator/compiler/strategy_decoder.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/schema/names.h"

namespace hearsay::compiler {
namespace {

CompileOptions options_of(const LaplaceChannel& channel, std::vector<double>& variance) {
  for (std::size_t j = 0; j < channel.coordinates(); ++j) variance.push_back(channel.noise_variance(j));
  const bool paper = channel.calibration() == LaplaceCalibration::kPaper;
  return {.noise_variance = variance, .direction = paper ? Direction::kPaper : Direction::kMaximumMargin};
}

CompileOptions options_of(const SampledChannel& channel, std::vector<double>& variance) {
  for (std::size_t j = 0; j < channel.dimension(); ++j) variance.push_back(1 / channel.literal_information(j));
  return {.noise_variance = variance, .direction = Direction::kMaximumMargin};
}

// Tasks never combine `strategy` with `literals`, so nothing reads these options.
CompileOptions options_of(const StrategyChannel&, std::vector<double>&) { return {}; }

// The steps of one check whether a class of groups asks about a set of attributes.
constexpr std::uint64_t kStepsPerClass = 4;

// On `characters`, `laplace` has one noise scale for all coordinates.
SubsetVariance subset_variance(const LaplaceChannel&, Work&) {
  return [](std::span<const std::uint32_t>) { return 1.0; };
}

// For `strategy`, the answer does not depend on how f is written as a sum of coordinates.
SubsetVariance subset_variance(const StrategyChannel&, Work&) {
  return [](std::span<const std::uint32_t>) { return 1.0; };
}

SubsetVariance subset_variance(const SampledChannel& channel, Work& work) {
  return [&](std::span<const std::uint32_t> attributes) {
    work.spend(kStepsPerClass * channel.classes().size());
    return 1 / channel.information(attributes);
  };
}

Result<void> check_asked(const LaplaceChannel&, const Task&, const LinearQuery&, Work&) { return {}; }

Result<void> check_asked(const StrategyChannel& channel, const Task& task, const LinearQuery& linear, Work& work) {
  if (linear.weights.empty()) return {};
  work.foresee({decoder_steps(channel), 0}, "create a task of fewer outputs");
  const std::vector<double> function = record_function(task, linear, work);
  const auto size = static_cast<Eigen::Index>(function.size());
  const auto scores = StrategyDecoder(channel).scores(Eigen::Map<const Eigen::VectorXd>(function.data(), size));
  if (!scores) return scores.error();
  return {};
}

// Checks that the task asks about the attributes of every weight. Coordinates on one set of attributes are consecutive,
// so one check for each set is enough.
Result<void> check_asked(const SampledChannel& channel, const Task& task, const LinearQuery& linear, Work& work) {
  constexpr std::uint64_t kStepsPerSet = 64;
  const auto& characters = std::get<Characters>(task.arrangement().kind());
  CharacterIndex::Ranks known{0, 0};
  for (const LinearQuery::Weight& weight : linear.weights) {
    if (weight.coordinate - known.first < known.size) continue;
    work.spend(std::max<std::uint64_t>(kStepsPerSet, kStepsPerClass * channel.classes().size()));
    const std::vector<std::uint32_t> attributes = characters.attributes(weight.coordinate);
    known = characters.coordinates_on(attributes);
    if (!channel.asks(attributes)) return never_asked(task.asked_schema(), attributes);
  }
  return {};
}

// A task with explicit vectors has the channel `laplace`, with one noise scale for all coordinates.
Result<CompiledQuery> compile_vectors(const Task& task, const Query& query, const Explicit& vectors, Work& work,
                                      Reference reference) {
  if (!reference.empty()) {
    return Error{ErrorCode::kUnsupported,
                 "class means of explicit vectors are averages over all records, so a sample cannot be the reference: "
                 "leave the sample out"};
  }
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  const ExplicitOptions options{channel.noise_variance(0), channel.calibration() == LaplaceCalibration::kPaper};
  std::vector<std::uint8_t> truth = truth_of(query, task.schema(), work);
  HEARSAY_TRY(LinearQuery linear, compile_explicit(truth, task.schema(), vectors, options, work));
  return CompiledQuery{.linear = std::move(linear), .truth = std::move(truth)};
}

Result<CompiledQuery> compile_form(const Task& task, const Query& query, Work& work, Reference reference) {
  const auto& channel_kind = task.channel().kind();
  if (const auto* characters = std::get_if<Characters>(&task.arrangement().kind())) {
    const auto* sampled = std::get_if<SampledChannel>(&channel_kind);
    if (sampled != nullptr && !sampled->asks_parities()) {
      HEARSAY_TRY(LinearQuery terms, compile_products(query, task.asked_schema(), *characters, *sampled, work));
      return CompiledQuery{std::move(terms), std::nullopt};
    }
    const SubsetVariance variance =
        std::visit([&](const auto& kind) { return subset_variance(kind, work); }, channel_kind);
    HEARSAY_TRY(LinearQuery linear, compile_characters(query, task.asked_schema(), *characters, variance, work));
    HEARSAY_CHECK_OK(std::visit([&](const auto& kind) { return check_asked(kind, task, linear, work); }, channel_kind));
    linear.best_for_worst_people = std::holds_alternative<StrategyChannel>(channel_kind);
    return CompiledQuery{std::move(linear), std::nullopt};
  }
  if (const auto* vectors = std::get_if<Explicit>(&task.arrangement().kind())) {
    return compile_vectors(task, query, *vectors, work, reference);
  }
  const auto& literals = std::get<Literals>(task.arrangement().kind());
  std::vector<double> variance;
  CompileOptions options = std::visit([&](const auto& kind) { return options_of(kind, variance); }, channel_kind);
  options.reference = reference;
  options.sample_key = sample_key(task.id(), query.to_string(task.schema()));
  return compile_literals(query, task.schema(), literals, options, work);
}

}  // namespace

std::string names(const Schema& schema, std::span<const std::uint32_t> attributes) {
  std::string text;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (i > 0) text += i + 1 == attributes.size() ? " and " : ", ";
    text += shown_name(schema[attributes[i]].name());
  }
  return text;
}

Error never_asked(const Schema& schema, std::span<const std::uint32_t> attributes) {
  return {ErrorCode::kQueryNotCovered, "the answer needs reports about " + names(schema, attributes) +
                                           (attributes.size() > 1 ? " together" : "") +
                                           ", and this task never asks for them"};
}

Result<CompiledQuery> compile(const Task& task, const Query& query, Work& work, Reference reference) {
  return stoppable([&]() -> Result<CompiledQuery> {
    const Coarsening* coarsening = task.coarsening();
    if (coarsening == nullptr) return compile_form(task, canonical(query, task.schema()), work, reference);
    HEARSAY_TRY(const Query coarse, coarse_query(query, task.schema(), *coarsening));
    return compile_form(task, canonical(coarse, task.asked_schema()), work, reference);
  });
}

}  // namespace hearsay::compiler
