#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <variant>

#include "aggregator/compiler/question_law.h"

namespace hearsay::compiler {
namespace {

// Σ_y h(y)·(-1)^popcount(mask & y), for every mask.
std::vector<double> parities_of(std::span<const double> h, std::uint32_t bits) {
  std::vector<double> sums(std::size_t{1} << bits, 0);
  std::copy(h.begin(), h.end(), sums.begin());
  for (std::size_t half = 1; half < sums.size(); half *= 2) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if ((i & half) != 0) continue;
      const double a = sums[i];
      const double b = sums[i | half];
      sums[i] = a + b;
      sums[i | half] = a - b;
    }
  }
  return sums;
}

}  // namespace

struct QuestionScores::State {
  explicit State(const Questions& of, std::span<const double> weights)
      : questions(of),
        circle(std::get_if<CircleQuestions>(&questions.spec())),
        answers(1U << questions.width()),
        h(weights.begin(), weights.end()),
        total(std::accumulate(h.begin(), h.end(), 0.0)) {
    if (circle != nullptr) {
      up_to.resize(questions.members().size());
    } else {
      masked = parities_of(h, questions.value_bits());
    }
  }

  // Σ of h over the values that the multiplier puts at places below p, for p up to N.
  const std::vector<double>& sums_of(std::size_t member) {
    std::vector<double>& sums = up_to[member];
    if (!sums.empty()) return sums;
    sums.assign(circle->places + 1, 0);
    std::uint32_t place = 0;
    for (const double weight : h) {
      sums[place + 1] += weight;
      place += circle->multipliers[member];
      if (place >= circle->places) place -= circle->places;
    }
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    return sums;
  }

  double of_arc(std::uint32_t question, std::uint32_t answer) {
    const Questions::Member& member = questions.member_of(question);
    const auto m = static_cast<std::size_t>(&member - questions.members().data());
    const std::vector<double>& sums = sums_of(m);
    const std::uint32_t n = circle->places;
    const std::uint32_t turn = question - member.first;
    // Before the turn, the answer's arc is [begin, end), counted from N - 1 places below 0.
    const auto place_of = [&](std::uint32_t arc) { return (arc * n + answers - 1) / answers + n - turn; };
    const std::uint32_t begin = place_of(answer);
    const std::uint32_t end = place_of(answer + 1);
    const auto sum_below = [&](std::uint32_t place) { return place > n ? total + sums[place - n] : sums[place]; };
    return answers * (sum_below(end) - sum_below(begin)) - total;
  }

  double of_masks(std::uint32_t question, std::uint32_t answer) {
    std::array<std::uint32_t, 16> masks{};
    questions.masks(question, std::span(masks).first(questions.width()));
    double score = 0;
    std::uint32_t mask = 0;
    // In the order of a Gray code, so that sets of bits that follow each other differ in one.
    for (std::uint32_t i = 1; i < answers; ++i) {
      mask ^= masks[static_cast<std::size_t>(std::countr_zero(i))];
      const std::uint32_t set = i ^ (i >> 1U);
      const bool is_odd = (std::popcount(set & answer) & 1) != 0;
      score += is_odd ? -masked[mask] : masked[mask];
    }
    return score;
  }

  Questions questions;
  const CircleQuestions* circle;  // nothing if they are parities or levels
  std::uint32_t answers;
  std::vector<double> h;
  double total;
  std::vector<std::vector<double>> up_to;  // circle: by multiplier, empty where not asked for yet
  std::vector<double> masked;              // otherwise: by mask
};

QuestionScores::QuestionScores(const Questions& questions, std::span<const double> h)
    : state_(std::make_shared<State>(questions, h)) {}

double QuestionScores::of(std::uint32_t question, std::uint32_t answer) const {
  return state_->circle != nullptr ? state_->of_arc(question, answer) : state_->of_masks(question, answer);
}

void QuestionScores::of_question(std::uint32_t question, std::span<double> scores) const {
  for (std::uint32_t answer = 0; answer < scores.size(); ++answer) scores[answer] = of(question, answer);
}

}  // namespace hearsay::compiler
