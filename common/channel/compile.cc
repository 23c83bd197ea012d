#include "common/arrangement/compile.h"
#include "common/channel/channel.h"

namespace hearsay {

Result<LinearQuery> Channel::compile(const Query& query, const Schema& schema, const Arrangement& arrangement,
                                     BitSource& bits) const {
  const auto* literals = std::get_if<Literals>(&arrangement.kind());
  if (literals == nullptr) {
    return Error{ErrorCode::kUnsupported, "this build compiles queries for literals only"};
  }
  const auto& channel = std::get<LaplaceChannel>(kind_);
  std::vector<double> variance;
  variance.reserve(channel.coordinates());
  for (std::size_t j = 0; j < channel.coordinates(); ++j) variance.push_back(channel.noise_variance(j));
  const Direction direction =
      channel.calibration() == LaplaceCalibration::kPaper ? Direction::kPaper : Direction::kMaximumMargin;
  return hearsay::compile(query, schema, *literals, {.noise_variance = variance, .direction = direction}, bits);
}

}  // namespace hearsay
