#include "examples/models/other_questions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "aggregator/central/extremes/ranked_extreme.h"
#include "aggregator/central/halfspaces/halfspace_release.h"
#include "aggregator/central/laplace/mean_vector.h"
#include "aggregator/central/laplace/noisy_sum.h"
#include "aggregator/central/laplace/weighted_graph.h"
#include "aggregator/central/parity/parity_release.h"
#include "common/base/try.h"

namespace hearsay::examples {
namespace {

using central::Neighbours;

constexpr std::int64_t kLargestValue = 99;
constexpr unsigned kBits = 8;
constexpr central::BitRow kParity = 0b1100101;
constexpr std::uint32_t kVertices = 40;

struct MadeUpPeople {
  std::vector<double> values;
  std::vector<std::uint32_t> cells;
  std::vector<central::BitRow> bits;
  std::vector<double> points;  // two coordinates for each person
};

MadeUpPeople people_of(std::size_t users, PopulationGenerator& made_up) {
  MadeUpPeople people;
  std::normal_distribution<double> income(45, 18);
  std::normal_distribution<double> place(0.1, 0.3);
  std::bernoulli_distribution wrong(0.1);
  for (std::size_t i = 0; i < users; ++i) {
    people.values.push_back(std::clamp(std::round(income(made_up)), 0.0, static_cast<double>(kLargestValue)));
    people.cells.push_back(static_cast<std::uint32_t>(people.values.back()));
    const auto row = static_cast<central::BitRow>(made_up() % (1U << (kBits - 1)));
    people.bits.push_back(central::agrees(row, kParity, kBits) != wrong(made_up) ? row : row | 1U << (kBits - 1));
    for (int k = 0; k < 2; ++k) people.points.push_back(std::clamp(place(made_up), -0.5, 0.5));
  }
  return people;
}

Result<double> rmse_of(std::size_t runs, double truth, const std::function<Result<double>()>& release) {
  double sum = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    HEARSAY_TRY(const double answer, release());
    sum += (answer - truth) * (answer - truth);
  }
  return std::sqrt(sum / static_cast<double>(runs));
}

struct Asked {
  const Epsilon& epsilon;
  const MadeUpPeople& people;
  std::size_t runs;
  BitSource& bits;

  double users() const { return static_cast<double>(people.values.size()); }
  // Returns the standard error of randomized response to one yes/no question, at a fraction of 1/2.
  double one_query_limit() const { return 0.5 / std::tanh(epsilon.approximate() / 2) / std::sqrt(users()); }
};

Result<OtherQuestion> ask_sum(const Asked& asked) {
  HEARSAY_TRY(const auto grid, central::BinaryGrid::create(0));
  HEARSAY_TRY(const auto sum,
              central::NoisySum::create(asked.epsilon, 0, kLargestValue, grid, Neighbours::kReplaceOne));
  const auto& values = asked.people.values;
  HEARSAY_TRY(const double rmse, rmse_of(asked.runs, std::accumulate(values.begin(), values.end(), 0.0),
                                         [&] { return Result<double>(sum.release(values, asked.bits)); }));
  return OtherQuestion{"sum of values of 0 to 99", "noisy sum", "values", rmse,
                       asked.one_query_limit() * kLargestValue * asked.users()};
}

Result<OtherQuestion> ask_mean(const Asked& asked) {
  constexpr int kStep = -20;  // a grid of step 2^-20, fine compared with the noise for up to a million people
  HEARSAY_TRY(const auto grid, central::BinaryGrid::create(kStep));
  const central::RowBound bound{2, std::int64_t{1} << 20U,
                                grid};  // two coordinates of at most 1/2: an L1 norm of at most 1
  HEARSAY_TRY(const auto mean, central::MeanVector::create(asked.epsilon, bound, Neighbours::kReplaceOne));
  double truth = 0;
  for (std::size_t i = 0; i < asked.people.points.size(); i += 2) truth += asked.people.points[i] / asked.users();
  HEARSAY_TRY(const double rmse, rmse_of(asked.runs, truth, [&]() -> Result<double> {
                HEARSAY_TRY(const std::vector<double> released, mean.release(asked.people.points, asked.bits));
                return released[0];
              }));
  return OtherQuestion{"mean of points in the plane, one coordinate", "mean vector", "the width of the square", rmse,
                       asked.one_query_limit()};
}

Result<OtherQuestion> ask_maximum(const Asked& asked) {
  HEARSAY_TRY(const auto extreme, central::RankedExtreme::create(central::Extreme::kMaximum, asked.epsilon,
                                                                 Neighbours::kReplaceOne, kLargestValue + 1, 0.05));
  const auto& cells = asked.people.cells;
  HEARSAY_TRY(const double rmse,
              rmse_of(asked.runs, *std::max_element(cells.begin(), cells.end()), [&]() -> Result<double> {
                HEARSAY_TRY(const std::uint32_t released, extreme.release(cells, asked.bits));
                return static_cast<double>(released);
              }));
  return OtherQuestion{"largest value of 0 to 99", "ranked extreme, rank " + std::to_string(extreme.rank()), "values",
                       rmse, std::nullopt};
}

Result<OtherQuestion> ask_parity(const Asked& asked) {
  HEARSAY_TRY(const auto release, central::ParityRelease::create(asked.epsilon, Neighbours::kReplaceOne, kBits));
  const auto& rows = asked.people.bits;
  const auto agreeing =
      std::count_if(rows.begin(), rows.end(), [](central::BitRow row) { return central::agrees(row, kParity, kBits); });
  HEARSAY_TRY(const double rmse,
              rmse_of(asked.runs, static_cast<double>(agreeing) / asked.users(), [&]() -> Result<double> {
                HEARSAY_TRY(const auto released, release.release(rows, asked.bits));
                return static_cast<double>(released.agreeing(kParity)) / static_cast<double>(released.rows());
              }));
  return OtherQuestion{"share of people whose bits agree with one of 127 parities", "parity release", "fraction", rmse,
                       asked.one_query_limit()};
}

Result<OtherQuestion> ask_halfspace(const Asked& asked) {
  constexpr std::array kNormal{1.0, 0.0};  // a direction of the net, so that only projection and noise cause errors
  HEARSAY_TRY(const auto net, central::HalfspaceNet::create(4, 1));
  HEARSAY_TRY(auto projections, central::HalfspaceProjections::create(2, 3, net, asked.bits));
  HEARSAY_TRY(const auto release, central::HalfspaceRelease::create(std::move(projections), asked.epsilon));
  double truth = 0;
  const auto& points = asked.people.points;
  for (std::size_t i = 0; i < points.size(); i += 2) truth += (points[i] >= 0 ? 1 : 0) / asked.users();
  HEARSAY_TRY(const double rmse, rmse_of(asked.runs, truth, [&]() -> Result<double> {
                HEARSAY_TRY(const auto released, release.release(points, asked.bits));
                return released.answer(kNormal);
              }));
  return OtherQuestion{"share of points in one halfplane of many", "halfspaces, 3 projections", "fraction", rmse,
                       asked.one_query_limit()};
}

Result<OtherQuestion> ask_network(const Asked& asked, central::GraphMeasure measure, PopulationGenerator& made_up) {
  constexpr int kResolution = 8;
  HEARSAY_TRY(const auto graph,
              central::GraphMechanism::create(asked.epsilon, measure, kVertices, kResolution, Neighbours::kReplaceOne));
  std::vector<central::WeightedEdge> edges;
  std::uniform_int_distribution<int> weight(0, 1 << kResolution);
  for (std::uint32_t b = 1; b < kVertices; ++b) {
    for (std::uint32_t a = 0; a < b; ++a) edges.push_back({a, b, std::ldexp(weight(made_up), -kResolution)});
  }
  const double truth = std::ldexp(static_cast<double>(graph.statistic(edges)), -kResolution);
  HEARSAY_TRY(const double rmse,
              rmse_of(asked.runs, truth, [&] { return Result<double>(graph.release(edges, asked.bits)); }));
  const bool cut = measure == central::GraphMeasure::kMinimumCut;
  return OtherQuestion{std::string(cut ? "minimum cut" : "minimum spanning tree") + " of 40 vertices",
                       "network measure", "largest weight of an edge", rmse, std::nullopt};
}

}  // namespace

Result<std::vector<OtherQuestion>> other_questions(const Epsilon& epsilon, std::size_t users, std::size_t runs,
                                                   const Randomness& randomness) {
  const MadeUpPeople people = people_of(users, randomness.made_up);
  const Asked asked{epsilon, people, runs, randomness.bits};
  std::vector<OtherQuestion> answered;
  for (auto ask : {ask_sum, ask_mean, ask_maximum, ask_parity, ask_halfspace}) {
    HEARSAY_TRY(OtherQuestion one, ask(asked));
    answered.push_back(std::move(one));
  }
  for (const auto measure : {central::GraphMeasure::kMinimumCut, central::GraphMeasure::kMinimumSpanningTree}) {
    HEARSAY_TRY(OtherQuestion one, ask_network(asked, measure, randomness.made_up));
    answered.push_back(std::move(one));
  }
  return answered;
}

}  // namespace hearsay::examples
