#include "common/arrangement/compile.h"
#include "common/arrangement/compile_characters.h"

#include "common/channel/channel.h"

namespace hearsay {
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

// The noise has one scale on all characters.
SubsetVariance subset_variance(const LaplaceChannel&) {
  return [](std::span<const std::uint32_t>) { return 1.0; };
}

SubsetVariance subset_variance(const SampledChannel& channel) {
  return [&channel](std::span<const std::uint32_t> attributes) { return 1 / channel.information(attributes); };
}

}  // namespace

Result<LinearQuery> Channel::compile(const Query& query, const Schema& schema, const Arrangement& arrangement,
                                     BitSource& bits, Reference reference) const {
  if (const auto* characters = std::get_if<Characters>(&arrangement.kind())) {
    const SubsetVariance of_subset = std::visit([](const auto& channel) { return subset_variance(channel); }, kind_);
    return hearsay::compile(query, schema, *characters, of_subset);
  }
  const auto& literals = std::get<Literals>(arrangement.kind());
  std::vector<double> variance;
  CompileOptions options = std::visit([&](const auto& channel) { return options_of(channel, variance); }, kind_);
  options.reference = reference;
  return hearsay::compile(query, schema, literals, options, bits);
}

}  // namespace hearsay
