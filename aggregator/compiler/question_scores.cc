#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <variant>

#include "aggregator/compiler/question_law.h"

namespace hearsay::compiler {
namespace {

// Replaces v[i] by Σ_j v[j]·(-1)^popcount(i & j). The number of elements must be a power of two.
void sum_with_signs(std::span<double> v) {
  for (std::size_t half = 1; half < v.size(); half *= 2) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      if ((i & half) != 0) continue;
      const double a = v[i];
      const double b = v[i | half];
      v[i] = a + b;
      v[i | half] = a - b;
    }
  }
}

}  // namespace

struct QuestionScores::State {
  explicit State(const Questions& of, std::span<const double> weights)
      : questions(of),
        circle(std::get_if<CircleQuestions>(&questions.spec())),
        answers(questions.answers()),
        h(weights.begin(), weights.end()),
        total(std::accumulate(h.begin(), h.end(), 0.0)) {
    if (circle != nullptr) {
      up_to.resize(questions.members().size());
    } else if (questions.places() != 0) {
      find_inverses();
    } else {
      masked.assign(std::size_t{1} << questions.value_bits(), 0);
      std::copy(h.begin(), h.end(), masked.begin());
      sum_with_signs(masked);
    }
  }

  // Returns, for each p up to N, the sum of h over the values that the multiplier puts at places below p. N is the
  // number of places of the circle, J the number of values. The multiplier 1 puts all values at places below J, so
  // these sums end at J.
  const std::vector<double>& sums_of(std::size_t member) {
    std::vector<double>& sums = up_to[member];
    if (!sums.empty()) return sums;
    if (circle->multipliers[member] == 1) {
      sums.resize(h.size() + 1);
      std::partial_sum(h.begin(), h.end(), sums.begin() + 1);
      return sums;
    }
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
    // Modulo n, [begin, end) are the places of the answer's arc, moved back by the question's turn. Adding n keeps both
    // numbers from being negative.
    const auto place_of = [&](std::uint32_t arc) { return (arc * n + answers - 1) / answers + n - turn; };
    const std::uint32_t begin = place_of(answer);
    const std::uint32_t end = place_of(answer + 1);
    const auto last = static_cast<std::uint32_t>(sums.size() - 1);
    const auto sum_below = [&](std::uint32_t place) {
      return place > n ? total + sums[std::min(place - n, last)] : sums[std::min(place, last)];
    };
    return answers * (sum_below(end) - sum_below(begin)) - total;
  }

  // Finds inverse(j) with j·inverse(j) = 1 modulo N, for all j up to N/2, by N = ⌊N/j⌋·j + (N mod j). If there are as
  // many answers as values, the only multiplier is 1.
  void find_inverses() {
    const std::uint32_t n = questions.places();
    inverses.assign({0, 1});
    for (std::uint32_t j = 2; answers < questions.values() && j <= n / 2; ++j) {
      inverses.push_back(n - n / j * inverses[n % j] % n);
    }
  }

  double of_part(std::uint32_t question, std::uint32_t answer) const {
    const std::uint32_t n = questions.places();
    const auto [multiplier, turn] = questions.arc(question);
    const std::uint32_t step = inverses[multiplier];
    const std::uint32_t begin = (answer * n + answers - 1) / answers;
    const std::uint32_t end = ((answer + 1) * n + answers - 1) / answers;
    std::uint32_t value = step * (begin + n - turn) % n;
    double sum = 0;
    for (std::uint32_t place = begin; place < end; ++place) {
      if (value < h.size()) sum += h[value];
      value += step;
      if (value >= n) value -= n;
    }
    return answers * sum - total;
  }

  // Calls f(set, sum) for every non-empty set of bits of the answer. These bits together are one parity of the value's
  // bits. `sum` is Σ_y h(y)·(-1)^popcount(mask & y) for the mask of this parity.
  template <class F>
  void for_each_set(std::uint32_t question, F f) const {
    std::array<std::uint32_t, 16> masks{};
    questions.masks(question, std::span(masks).first(questions.width()));
    std::uint32_t mask = 0;
    // Visits the sets in the order of a Gray code, so that each step changes one bit.
    for (std::uint32_t i = 1; i < answers; ++i) {
      mask ^= masks[static_cast<std::size_t>(std::countr_zero(i))];
      f(i ^ (i >> 1U), masked[mask]);
    }
  }

  double of_masks(std::uint32_t question, std::uint32_t answer) const {
    double score = 0;
    for_each_set(question, [&](std::uint32_t set, double sum) {
      const bool is_odd = (std::popcount(set & answer) & 1) != 0;
      score += is_odd ? -sum : sum;
    });
    return score;
  }

  Questions questions;
  // Null if the questions are not on a circle.
  const CircleQuestions* circle;
  std::uint32_t answers;
  std::vector<double> h;
  double total;
  std::vector<std::vector<double>> up_to;  // circle: by multiplier, empty until first used
  std::vector<std::uint32_t> inverses;     // hash: inverse(j) for each multiplier j
  std::vector<double> masked;              // parities and levels, by mask: Σ_y h(y)·(-1)^popcount(mask & y)
};

QuestionScores::QuestionScores(const Questions& questions, std::span<const double> h)
    : state_(std::make_shared<State>(questions, h)) {}

double QuestionScores::of(std::uint32_t question, std::uint32_t answer) const {
  if (state_->circle != nullptr) return state_->of_arc(question, answer);
  return state_->inverses.empty() ? state_->of_masks(question, answer) : state_->of_part(question, answer);
}

void QuestionScores::of_question(std::uint32_t question, std::span<double> scores) const {
  if (state_->circle != nullptr || !state_->inverses.empty()) {
    for (std::uint32_t answer = 0; answer < scores.size(); ++answer) scores[answer] = of(question, answer);
    return;
  }
  scores[0] = 0;
  state_->for_each_set(question, [&](std::uint32_t set, double sum) { scores[set] = sum; });
  sum_with_signs(scores);
}

}  // namespace hearsay::compiler
