#include "aggregator/planner/point_questions.h"

#include <bit>
#include <cmath>

#include "aggregator/planner/smooth_maximum.h"

namespace hearsay::planner {
namespace {

std::uint32_t fewest(std::uint32_t values, double epsilon, double PointVariance::*variance) {
  const auto most = static_cast<std::uint32_t>(std::bit_width(values - 1));
  std::uint32_t best = 1;
  for (std::uint32_t bits = 2; bits <= most && bits <= 16; ++bits) {
    if (point_variance(values, bits, epsilon).*variance < point_variance(values, best, epsilon).*variance) best = bits;
  }
  return best;
}

}  // namespace

// M = λ·I - ρ·11' on the values, so that h = (f - 1/J)/λ and the score of part k is K·([v in k] - n_k/J)/λ, n_k the
// number of values in it.
PointVariance point_variance(std::uint32_t values, std::uint32_t bits, double epsilon) {
  const double answers = std::ldexp(1.0, static_cast<int>(bits));
  const double patterns = std::ldexp(1.0, std::bit_width(values - 1));
  const double count = values;
  const double part = patterns / answers;
  const double pair = (part - 1) / (patterns - 1);                                         // two are in one part
  const double triple = values > 2 ? pair * std::max(part - 2, 0.0) / (patterns - 2) : 0;  // three are
  const double lambda = (answers - 1) * patterns / (patterns - 1);
  const double size = 1 + (count - 1) * pair;                                             // E n of a value's part
  const double square = 1 + 3 * (count - 1) * pair + (count - 1) * (count - 2) * triple;  // E n²
  const double shared = 2 * pair + (count - 2) * triple;                                  // E n, if v is in it, too
  const double scale = answers / lambda * answers / lambda;
  const double on = scale * (1 - 2 * size / count + square / (count * count));
  const double off = scale * (pair - 2 * shared / count + square / (count * count));
  const double uniform = scale / answers * (1 - size / count);
  const double gamma = truth_of(epsilon, bits);
  const auto moment = [&](double truth) { return (gamma * truth + (1 - gamma) * uniform) / (gamma * gamma); };
  return {moment(off) - 1 / (count * count), worst_share(moment(on), moment(off), 1 / count).variance};
}

std::uint32_t bits_for_rare_points(std::uint32_t values, double epsilon) {
  return fewest(values, epsilon, &PointVariance::rare);
}

std::uint32_t bits_for_all_points(std::uint32_t values, double epsilon) {
  return fewest(values, epsilon, &PointVariance::worst);
}

}  // namespace hearsay::planner
