#include <algorithm>
#include <cmath>
#include <numeric>

#include "aggregator/central/extremes/published_extreme.h"
#include "aggregator/central/parity/block_learner.h"
#include "aggregator/console/table.h"
#include "common/base/try.h"
#include "examples/reproduce_papers/interval_errors.h"

namespace hearsay::examples {
namespace {

using central::Neighbours;
using console::short_number;

std::string in_millionths(double value) { return short_number(value * 1e6, 4) + "e-6"; }

Result<std::vector<Figure>> one_dimension(const Dice& dice) {
  HEARSAY_TRY(const auto cube, bell_cube({100}, 1e6));
  HEARSAY_TRY(const auto printed, interval_errors(cube, Neighbours::kAddRemove, "0.05", 100, 1000, dice));
  HEARSAY_TRY(const auto right, interval_errors(cube, Neighbours::kReplaceOne, "0.05", 100, 1000, dice));
  return std::vector<Figure>{{"mean error, 100 cells, α = 0.05", "12e-6", in_millionths(printed.mean),
                              "the printed mean looks ten times too small; the maxima of Table 2 fit"},
                             {"largest error", "below ε = 0.02", short_number(printed.largest, 3), ""},
                             {"mean error with the noise that replaced rows need", "", in_millionths(right.mean),
                              "with the printed noise, the release is 2α-private"}};
}

Result<std::vector<Figure>> two_dimensions(const Dice& dice) {
  HEARSAY_TRY(const auto cube, bell_cube({80, 100}, 2e8));
  HEARSAY_TRY(const auto printed, interval_errors(cube, Neighbours::kAddRemove, "0.05", 1, 1'000'000, dice));
  return std::vector<Figure>{
      {"mean error, 8,000 cells, n = 2e8, α = 0.05", "7.0e-6", in_millionths(printed.mean),
       "one release; the error depends on the number of nearly empty cells, which the paper does not tell"},
      {"largest error", "below ε = 0.01", short_number(printed.largest, 3), ""}};
}

Result<std::vector<Figure>> influence_of_alpha(const Dice& dice) {
  struct Row {
    const char* alpha;
    const char* mean;
    const char* largest;
  };
  HEARSAY_TRY(const auto cube, bell_cube({100}, 1e6));
  std::vector<Figure> figures;
  for (const Row& row : {Row{"1", "0.69e-6", "34.92e-6"},
                         {"0.5", "1.3e-6", "88.7e-6"},
                         {"0.1", "5.8e-6", "453.7e-6"},
                         {"0.05", "12e-6", "623.9e-6"},
                         {"0.02", "31e-6", "1724e-6"},
                         {"0.01", "63.5e-6", "4284e-6"},
                         {"0.005", "120e-6", "9107e-6"}}) {
    HEARSAY_TRY(const auto errors, interval_errors(cube, Neighbours::kAddRemove, row.alpha, 100, 1000, dice));
    figures.push_back({std::string("mean error, α = ") + row.alpha, row.mean, in_millionths(errors.mean),
                       "about nine times the printed mean"});
    figures.push_back({std::string("largest error, α = ") + row.alpha, row.largest, in_millionths(errors.largest),
                       "the largest error over random intervals and random noise; another run may differ by a third"});
  }
  return figures;
}

constexpr central::BitRow kHiddenVector = 0b1100000;  // attributes 6 and 7 of 8

Result<std::vector<Figure>> parity_learning(const Dice& dice) {
  std::vector<central::BitRow> data;
  for (int i = 0; i < 100'000; ++i) {
    const auto row = static_cast<central::BitRow>(dice.made_up() & 127U);
    data.push_back(central::agrees(row, kHiddenVector, 8) ? row : row | 128U);
  }
  HEARSAY_TRY(const Epsilon alpha, Epsilon::parse("0.01"));
  HEARSAY_TRY(const auto release, central::ParityRelease::create(alpha, Neighbours::kAddRemove, 8));
  double rate = 0;
  constexpr int kReleases = 20;
  for (int i = 0; i < kReleases; ++i) {
    HEARSAY_TRY(const auto rows, release.release(data, dice.bits));
    rate += rows.noise_rate(kHiddenVector) / kReleases;
  }
  HEARSAY_TRY(const auto rows, release.release(data, dice.bits));
  HEARSAY_TRY(const auto eliminated, central::learn_parity(rows, {32, 1001}, dice.bits));
  HEARSAY_TRY(auto plan, central::plan_parity_by_blocks(8, 0.1, 0.05, 2));
  HEARSAY_TRY(const auto by_blocks, central::learn_parity_by_blocks(rows, plan, dice.bits));
  const auto learned = [](const central::LearnedParity& found) {
    return std::string(found.vector == kHiddenVector ? "0000011" : "another") + ", " +
           std::to_string(found.rows_drawn) + " rows";
  };
  return std::vector<Figure>{{"noise rate η2, mean of 20 releases", "0.0655", short_number(rate, 3),
                              "the paper has one release; the standard deviation over releases is 0.009"},
                             {"vector learnt, 32 samples and 1,001 votes", "0000011", learned(eliminated), ""},
                             {"vector learnt by blocks (Theorem 6.1)", "", learned(by_blocks), "not run in the paper"}};
}

// Returns the probability that the published maximum lies in [max - reach + 1, max].
Result<double> mass_near_maximum(central::Reading reading, const std::vector<std::uint32_t>& rows,
                                 std::uint32_t reach) {
  HEARSAY_TRY(const Epsilon alpha, Epsilon::parse("0.05"));
  HEARSAY_TRY(const auto published, central::PublishedExtreme::create(reading, 100, reach, alpha));
  HEARSAY_TRY(const std::vector<double> law, published.law(rows));
  const std::uint32_t most = *std::max_element(rows.begin(), rows.end());
  return std::accumulate(law.begin() + most - reach + 1, law.begin() + most + 1, 0.0);
}

Result<std::vector<Figure>> maximum(const Dice& dice) {
  std::vector<Figure> figures;
  for (const auto& [n, paper] : {std::pair{1'000, "0.1523"}, {10'000, "0.9116"}}) {
    for (const double spread : {std::sqrt(20.0), 20.0}) {
      std::normal_distribution<double> normal(49, spread);  // cells 0 to 99 stand for the values 1 to 100
      std::vector<std::uint32_t> rows;
      for (int i = 0; i < n; ++i)
        rows.push_back(static_cast<std::uint32_t>(std::clamp(std::round(normal(dice.made_up)), 0.0, 99.0)));
      HEARSAY_TRY(const double half_open, mass_near_maximum(central::Reading::kDomainHalfOpen, rows, 5));
      HEARSAY_TRY(const double closed, mass_near_maximum(central::Reading::kDomainClosed, rows, 5));
      figures.push_back({"mass near the maximum, n = " + std::to_string(n) +
                             (spread < 10 ? ", variance 20" : ", standard deviation 20"),
                         paper, short_number(half_open, 3) + " or " + short_number(closed, 3) + " by the reading",
                         "depends on whether the domain is half-open or closed, and on whether the paper's 20 is a "
                         "variance; no reading of the paper is private"});
    }
  }
  return figures;
}

// Compares Lemma 4.2 and Theorem 4.4, for 100 values and evenly spread rows, with the law of the published maximum.
Result<std::vector<Figure>> lemma_4_2(const Dice&) {
  std::vector<Figure> figures;
  constexpr double kAlpha = 0.05;
  const double odds = std::exp(kAlpha) + 1;
  for (const std::uint32_t reach : {5U, 10U}) {
    const auto rows_of = [&](double ratio) {
      return static_cast<std::uint32_t>(std::ceil(100 / (kAlpha * reach) * std::log(100 / (reach * ratio))));
    };
    struct Claim {
      const char* name;
      std::uint32_t rows;
      double mass;
    };
    for (const Claim& claim :
         {Claim{"Lemma 4.2", rows_of(odds), 1 / odds}, {"Theorem 4.4, δ = 0.1", rows_of(0.1 * odds * odds), 0.9}}) {
      std::vector<std::uint32_t> rows;
      for (std::uint32_t i = 0; i < claim.rows; ++i) rows.push_back(i * 100 / claim.rows);
      HEARSAY_TRY(const double complement, mass_near_maximum(central::Reading::kComplement, rows, reach / 2 + 1));
      HEARSAY_TRY(const double half_open, mass_near_maximum(central::Reading::kDomainHalfOpen, rows, reach / 2 + 1));
      figures.push_back(
          {std::string(claim.name) + ", ε = " + std::to_string(reach) + ", n = " + std::to_string(claim.rows),
           short_number(claim.mass, 3),
           short_number(complement, 3) + " or " + short_number(half_open, 3) + " by the reading",
           "probability within ε/2 of the maximum, for evenly spread rows; the claim fails where this is smaller"});
    }
  }
  return figures;
}

Result<std::vector<Figure>> table_1(const Dice&) {
  const auto cells = [](double beta, double epsilon) { return beta * std::log(beta / 0.05) / (0.05 * epsilon); };
  const auto search = [](double bits, double epsilon) {
    return 32 * bits * (std::log(2 * bits) + std::log(2 / (epsilon * 0.05))) / (0.05 * epsilon * epsilon * epsilon);
  };
  return std::vector<Figure>{
      {"rows for 100 cells, ε = 0.02", "7.6e5", short_number(cells(100, 0.02), 3), ""},
      {"rows for 8,000 cells, ε = 0.01", "1.92e8", short_number(cells(8000, 0.01), 3), ""},
      {"rows by the binary search, 7 bits, ε = 0.02", "", short_number(search(7, 0.02), 3), "Table 1's second column"},
      {"rows for 100 cells, ε = 0.02, with the noise of replaced rows", "", short_number(2 * cells(100, 0.02), 3),
       "the sensitivity 1/n needs a public n; a replaced row then changes two cells"}};
}

}  // namespace

std::vector<Experiment> cell_experiments() {
  return {{"intervals", "Xiao et al. 8.1.1: intervals on 100 cells", one_dimension},
          {"rectangles", "Xiao et al. 8.1.2: rectangles on 80 x 100 cells", two_dimensions},
          {"alpha", "Xiao et al. Table 2: the influence of α", influence_of_alpha},
          {"parity", "Xiao et al. 8.2: learning a parity", parity_learning},
          {"maximum", "Xiao et al. 8.3: the maximum", maximum},
          {"uniform", "Xiao et al. Lemma 4.2 and Theorem 4.4", lemma_4_2},
          {"sizes", "Xiao et al. Table 1: sufficient rows", table_1}};
}

}  // namespace hearsay::examples
