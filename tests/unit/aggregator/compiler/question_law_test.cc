// Compares QuestionLaw with sums over all questions.
#include "aggregator/compiler/question_law.h"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "tests/unit/aggregator/compiler/random_questions.h"

namespace hearsay::compiler {
namespace {

// Computes the matrix M and other quantities of the law from the questions, by their definitions.
class Definition {
 public:
  explicit Definition(const Questions& questions) : questions_(questions) {
    const auto j = static_cast<Eigen::Index>(questions.values());
    matrix_.setZero(j, j);
    for (const Questions::Member& member : questions.members()) {
      for (std::uint32_t i = 0; i < member.count; ++i) {
        const std::uint32_t question = member.first + i;
        question_.push_back({question, probability(member), {}});
        for (std::uint32_t x = 0; x < questions.values(); ++x) {
          question_.back().answer_of.push_back(questions.answer(question, x));
        }
        add(question_.back());
      }
    }
  }

  struct Asked {
    std::uint32_t question;
    double probability;
    std::vector<std::uint32_t> answer_of;  // the answers to a question, for each value
  };
  const std::vector<Asked>& asked() const { return question_; }
  const Eigen::MatrixXd& matrix() const { return matrix_; }

  // Returns true if g is μ + M·h for some constant μ and weights h.
  bool reaches(const std::vector<double>& g) const {
    Eigen::MatrixXd span(matrix_.rows(), matrix_.cols() + 1);
    span << matrix_, Eigen::VectorXd::Ones(matrix_.rows());
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(1e-10);
    decomposition.compute(span);
    const Eigen::Map<const Eigen::VectorXd> target(g.data(), matrix_.rows());
    return (span * decomposition.solve(target) - target).lpNorm<Eigen::Infinity>() < 1e-8;
  }

 private:
  double probability(const Questions::Member& member) const {
    return static_cast<double>(member.weight) / static_cast<double>(questions_.total_weight()) / member.count;
  }
  void add(const Asked& asked) {
    const double answers = questions_.answers();
    for (Eigen::Index x = 0; x < matrix_.rows(); ++x) {
      for (Eigen::Index y = 0; y < matrix_.cols(); ++y) {
        const bool same = asked.answer_of[static_cast<std::size_t>(x)] == asked.answer_of[static_cast<std::size_t>(y)];
        matrix_(x, y) += asked.probability * (same ? answers - 1 : -1);
      }
    }
  }

  Questions questions_;
  std::vector<Asked> question_;
  Eigen::MatrixXd matrix_;
};

using tests::RandomQuestions;

Eigen::VectorXd vector_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

// Checks that no other weights h' give g with less energy hᵀ·M·h. Let Σh = 0 and e = h' - h. Then M·e is a constant, so
// h'ᵀ·M·h' = hᵀ·M·h + eᵀ·M·e.
void check_least(const Definition& definition, const std::vector<double>& g, const QuestionLaw::Solution& solution) {
  const Eigen::VectorXd h = vector_of(solution.weights);
  const Eigen::VectorXd reached = definition.matrix() * h;
  CHECK((reached.array() + solution.mean - vector_of(g).array()).abs().maxCoeff() < 1e-9);
  CHECK(std::abs(h.sum()) < 1e-9 * h.lpNorm<1>() + 1e-12);
  CHECK(solution.energy == doctest::Approx(h.dot(reached)).epsilon(1e-9));
}

// Checks that the scores are unbiased: without noise, the mean of constant plus score over the questions is g(x). Also
// checks that the mean square of the score of a uniform answer is the energy.
void check_scores(const Questions& questions, const Definition& definition, const QuestionLaw::Solution& solution) {
  const QuestionScores scores(questions, solution.weights);
  const std::uint32_t answers = questions.answers();
  std::vector<double> mean(questions.values(), 0);
  std::vector<double> of_question(answers);
  double squares = 0;
  for (const Definition::Asked& asked : definition.asked()) {
    scores.of_question(asked.question, of_question);
    for (std::uint32_t answer = 0; answer < answers; ++answer) {
      double score = 0;
      for (std::size_t y = 0; y < solution.weights.size(); ++y) {
        score += (asked.answer_of[y] == answer ? answers - 1.0 : -1.0) * solution.weights[y];
      }
      REQUIRE(scores.of(asked.question, answer) == doctest::Approx(score).epsilon(1e-9).scale(1));
      REQUIRE(of_question[answer] == doctest::Approx(score).epsilon(1e-9).scale(1));
      squares += asked.probability * score * score / answers;
    }
    for (std::size_t x = 0; x < mean.size(); ++x) mean[x] += asked.probability * of_question[asked.answer_of[x]];
  }
  CHECK((vector_of(mean) - definition.matrix() * vector_of(solution.weights)).lpNorm<Eigen::Infinity>() < 1e-9);
  CHECK(squares == doctest::Approx(solution.energy).epsilon(1e-9));
}

TEST_CASE("the law of random questions agrees with its definition") {
  RandomQuestions draws("question law");
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t values = draws.from(2, round % 10 == 0 ? 40 : 14);
    const Questions questions = draws.questions(values);
    CAPTURE(round);
    CAPTURE(values);
    CAPTURE(questions.spec().index());
    const Definition definition(questions);
    const QuestionLaw law(questions);
    const std::vector<double> h = draws.function(values);
    CHECK((vector_of(law.apply(h)) - definition.matrix() * vector_of(h)).lpNorm<Eigen::Infinity>() < 1e-9);
    const std::vector<double> g = draws.function(values);
    const auto solution = law.solve(g);
    REQUIRE(static_cast<bool>(solution) == definition.reaches(g));
    if (!solution) {
      CHECK(solution.error().code == ErrorCode::kQueryNotCovered);
      ++refused;
      continue;
    }
    check_least(definition, g, *solution);
    check_scores(questions, definition, *solution);
  }
  CHECK(refused > 15);
}

TEST_CASE("thresholds have the law of their questions, and every function can be estimated from them") {
  RandomQuestions random("thresholds");
  for (const std::uint32_t values : {2U, 3U, 7U, 40U}) {
    for (const std::uint32_t places : {2 * (values - 1), 2 * values, 2 * values + 6}) {
      if (places < values) continue;
      CAPTURE(values);
      CAPTURE(places);
      const Questions questions = Questions::create(CircleQuestions{places, 1, {1}, {1}}, values).value();
      const Definition definition(questions);
      const QuestionLaw law(questions);
      std::vector<double> g;
      for (std::uint32_t x = 0; x < values; ++x) g.push_back(random.unit());
      const Eigen::VectorXd expected = definition.matrix() * vector_of(g);
      CHECK((vector_of(law.apply(g)) - expected).lpNorm<Eigen::Infinity>() < 1e-12 * values);
      const QuestionLaw::Solution solution = law.solve(g).value();
      const Eigen::VectorXd seen = definition.matrix() * vector_of(solution.weights);
      CHECK((seen.array() + solution.mean - vector_of(g).array()).matrix().lpNorm<Eigen::Infinity>() < 1e-12 * values);
      CHECK(vector_of(solution.weights).sum() == doctest::Approx(0));
      CHECK(solution.energy == doctest::Approx(seen.dot(vector_of(solution.weights))));
    }
  }
}

// The energy of a mean is 1/4, like the energy of one bit.
TEST_CASE("threshold questions estimate the mean of a million values") {
  constexpr std::uint32_t kValues = 1'000'001;
  const Questions questions = Questions::create(CircleQuestions{2 * (kValues - 1), 1, {1}, {1}}, kValues).value();
  std::vector<double> part_of_span(kValues);
  for (std::uint32_t x = 0; x < kValues; ++x) part_of_span[x] = x / static_cast<double>(kValues - 1);
  const QuestionLaw law(questions);
  const QuestionLaw::Solution solution = law.solve(part_of_span).value();
  CHECK(solution.energy == doctest::Approx(0.25).epsilon(1e-9));
  CHECK(solution.mean == 0.5);
  const std::vector<double> seen = law.apply(solution.weights);
  double worst = 0;
  for (std::uint32_t x = 0; x < kValues; ++x) worst = std::max(worst, std::abs(seen[x] + 0.5 - part_of_span[x]));
  CHECK(worst < 1e-9);
}

// 211 and 1,009 are prime numbers. For such lengths the law uses a chirp transform.
TEST_CASE("the law is right for circles with a prime number of places") {
  RandomQuestions random("primes");
  for (const std::uint32_t places : {211U, 1009U}) {
    const Questions questions = Questions::create(CircleQuestions{places, 2, {1, 5, 60}, {5, 3, 2}}, 50).value();
    const Definition definition(questions);
    std::vector<double> h;
    for (std::uint32_t x = 0; x < 50; ++x) h.push_back(random.unit() - 0.5);
    const Eigen::VectorXd expected = definition.matrix() * vector_of(h);
    CHECK((vector_of(QuestionLaw(questions).apply(h)) - expected).lpNorm<Eigen::Infinity>() < 1e-11);
  }
}

}  // namespace
}  // namespace hearsay::compiler
