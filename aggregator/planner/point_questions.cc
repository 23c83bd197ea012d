// A pairwise uniform hash into K parts puts any two values into one part with the same probability p. So the matrix of
// the questions (compiler/question_law.h) is M = λ·I - ρ·11' on the J values, with λ = K·(1 - p), ρ = 1 - K·p and a
// vector 1 of ones. The scores have the weights h = (f - 1/J)/λ for the indicator f of a value v. The score of part k
// is K·([v in k] - n_k/J)/λ, where n_k is the number of values in part k.

#include "aggregator/planner/point_questions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/smooth_maximum.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

// The second moments of a score. `on` is for true answers of people who have v, `off` for true answers of other people,
// and `uniform` for uniform answers.
struct ScoreMoments {
  double on = 0;
  double off = 0;
  double uniform = 0;
};

PointVariance point_variance(const ScoreMoments& moments, double values, double answers, double epsilon) {
  const double gamma = std::expm1(epsilon) / (std::expm1(epsilon) + answers);
  const auto second = [&](double truth) { return (gamma * truth + (1 - gamma) * moments.uniform) / (gamma * gamma); };
  const double at_rare = second(moments.off);
  return {at_rare - 1 / (values * values), worst_share(second(moments.on), at_rare, 1 / values).variance};
}

// Returns E (a - n/J)², where J = `values` and n is `sure` plus a random number. The random number counts how many of
// `others` values lie on `free` given places, if these values lie on random places out of `places`, each on a place of
// its own.
double expected_square(double a, double sure, double others, double free, double places, double values) {
  if (others == 0 || places < 1) return std::pow(a - sure / values, 2);
  const double share = free / places;
  const double spread = places > 1 ? others * share * (1 - share) * (places - others) / (places - 1) : 0;
  return std::pow(a - (sure + others * share) / values, 2) + spread / (values * values);
}

PointQuestions best_for(std::uint32_t values, double epsilon, double PointVariance::*which) {
  constexpr std::uint32_t kMostBits = 16;
  // Prefers parities if parities are nearly as good, because parities have fewer questions and so smaller tallies.
  constexpr double kWorthIt = 0.995;
  const auto most = std::min(kMostBits, static_cast<std::uint32_t>(std::bit_width(values - 1)));
  PointQuestions best{ParityQuestions{}, 2, parity_variance(values, 1, epsilon)};
  for (std::uint32_t bits = 2; bits <= most; ++bits) {
    const PointVariance variance = parity_variance(values, bits, epsilon);
    if (variance.*which < best.variance.*which) best = {ParityQuestions{bits}, 1U << bits, variance};
  }
  if (values > Questions::kMaxHashed) return best;
  const double parities = best.variance.*which;
  for (std::uint32_t answers = 2; answers <= values; ++answers) {
    const PointVariance variance = hash_variance(values, answers, epsilon);
    if (variance.*which >= std::min(best.variance.*which, kWorthIt * parities)) continue;
    best = {HashQuestions{answers}, answers, variance};
  }
  return best;
}

}  // namespace

PointVariance parity_variance(std::uint32_t values, std::uint32_t bits, double epsilon) {
  const double answers = std::ldexp(1.0, static_cast<int>(bits));
  const double patterns = std::ldexp(1.0, std::bit_width(values - 1));
  const double count = values;
  const double part = patterns / answers;
  const double pair = (part - 1) / (patterns - 1);  // the probability that two given patterns share a part
  // The probability that three given patterns share a part.
  const double triple = values > 2 ? pair * std::max(part - 2, 0.0) / (patterns - 2) : 0;
  const double lambda = (answers - 1) * patterns / (patterns - 1);
  const double size = 1 + (count - 1) * pair;  // E[n] for the number n of values in the part that holds v
  // E[n²] for the number n of values in the part that holds v
  const double square = 1 + 3 * (count - 1) * pair + (count - 1) * (count - 2) * triple;
  const double shared = 2 * pair + (count - 2) * triple;  // E[n·[v is in the part]] for the part of another value
  const double scale = answers / lambda * answers / lambda;
  return point_variance(
      {scale * (1 - 2 * size / count + square / (count * count)),
       scale * (pair - 2 * shared / count + square / (count * count)), scale / answers * (1 - size / count)},
      count, answers, epsilon);
}

// The places are cut into parts of `length` places and parts of `length` + 1 places.
PointVariance hash_variance(std::uint32_t values, std::uint32_t answers, double epsilon) {
  const double n = Questions::create(HashQuestions{answers}, values)->places();
  const double k = answers;
  const double count = values;
  const double longer = std::fmod(n, k);
  const double length = std::floor(n / k);
  ScoreMoments moments;
  double pair = 0;
  for (const auto& [number, places] : {std::pair(k - longer, length), std::pair(longer, length + 1)}) {
    const double parts = number;
    const double l = places;
    const double own = l / n;                // the probability that a given place is in the part
    const double other = (l - 1) / (n - 1);  // the probability that another place is in the part, too
    pair += parts * own * other;
    const auto both = [&](double v, double sure, double others) {
      return expected_square(v, sure, others, l - sure, n - (count - others), count);
    };
    moments.on += parts * own * both(1, 1, count - 1);
    moments.off += parts * own * (other * both(1, 2, count - 2) + (1 - other) * both(0, 1, count - 2));
    moments.uniform += parts / k * (own * both(1, 1, count - 1) + (1 - own) * both(0, 0, count - 1));
  }
  const double scale = std::pow(1 / (1 - pair), 2);  // (K/λ)²
  moments.on *= scale;
  moments.off *= scale;
  moments.uniform *= scale;
  return point_variance(moments, count, k, epsilon);
}

PointQuestions questions_for_rare_points(std::uint32_t values, double epsilon) {
  return best_for(values, epsilon, &PointVariance::rare);
}

PointQuestions questions_for_all_points(std::uint32_t values, double epsilon) {
  return best_for(values, epsilon, &PointVariance::worst);
}

}  // namespace hearsay::planner
