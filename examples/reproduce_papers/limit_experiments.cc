#include <algorithm>
#include <cmath>
#include <set>

#include "aggregator/central/intervals/interval_release.h"
#include "aggregator/console/table.h"
#include "aggregator/planner/plan.h"
#include "common/base/try.h"
#include "examples/reproduce_papers/interval_errors.h"
#include "hearsay/task.h"

namespace hearsay::examples {
namespace {

using console::short_number;

// Returns the largest error of a released synthetic database, over all intervals between occupied cells. A cell is
// occupied if it holds a record or a point of the release.
double largest_interval_error(std::vector<std::uint64_t> cells, const std::vector<std::uint64_t>& points) {
  std::sort(cells.begin(), cells.end());
  std::set<std::uint64_t> ends(cells.begin(), cells.end());
  ends.insert(points.begin(), points.end());
  // `before` and `at` are differences of the two distribution functions, just before an end and at the end. The error
  // on an interval is the difference of two such numbers.
  double least = 0;
  double most = 0;
  const auto share = [](const std::vector<std::uint64_t>& sorted, auto end) {
    return static_cast<double>(end - sorted.begin()) / static_cast<double>(sorted.size());
  };
  for (const std::uint64_t end : ends) {
    const double before = share(cells, std::lower_bound(cells.begin(), cells.end(), end)) -
                          share(points, std::lower_bound(points.begin(), points.end(), end));
    const double at = share(cells, std::upper_bound(cells.begin(), cells.end(), end)) -
                      share(points, std::upper_bound(points.begin(), points.end(), end));
    least = std::min({least, before, at});
    most = std::max({most, before, at});
  }
  return most - least;
}

Result<double> released_interval_error(unsigned bits, const std::vector<std::uint64_t>& cells, const char* error,
                                       const char* alpha, const Dice& dice) {
  HEARSAY_TRY(const auto grid, central::Grid::create(0, 1, bits));
  HEARSAY_TRY(const Epsilon epsilon, Epsilon::parse(alpha));
  HEARSAY_TRY(const Rational target, Rational::parse_decimal(error));
  HEARSAY_TRY(const auto release, central::IntervalRelease::create(grid, epsilon, target));
  HEARSAY_TRY(const auto released, release.release_cells(cells, dice.bits));
  return largest_interval_error(cells, released.points());
}

// Returns the largest error of cell release over all intervals between occupied cells, under replaced rows. The answers
// of cell release are sums of noisy cells.
Result<double> cell_interval_error(unsigned bits, const std::vector<std::uint64_t>& cells, const char* alpha,
                                   const Dice& dice) {
  HEARSAY_TRY(const Epsilon epsilon, Epsilon::parse(alpha));
  HEARSAY_TRY(const auto release, central::CellRelease::create(epsilon, central::Neighbours::kReplaceOne));
  double sum = 0;
  double least = 0;
  double most = 0;
  for (std::uint64_t cell = 0; cell < std::uint64_t{1} << bits; ++cell) {
    sum += static_cast<double>(release.noise().sample(dice.bits));
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  return (most - least) / static_cast<double>(cells.size());
}

std::vector<std::uint64_t> bell_rows(unsigned bits, std::size_t rows, const Dice& dice) {
  std::normal_distribution<double> normal(0.45, 0.1);
  const double cells = std::exp2(bits);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < rows; ++i) {
    all.push_back(static_cast<std::uint64_t>(std::clamp(normal(dice.made_up), 0.0, 0.999999999) * cells));
  }
  return all;
}

// Compares interval release ("search") with cell release at the same α and n, by the worst interval.
Result<std::vector<Figure>> search_against_cells(const Dice& dice) {
  std::vector<Figure> figures;
  for (const unsigned bits : {4U, 7U, 10U, 14U}) {
    const auto rows = bell_rows(bits, 1'000'000, dice);
    HEARSAY_TRY(const double search, released_interval_error(bits, rows, "0.1", "0.05", dice));
    HEARSAY_TRY(const double cells, cell_interval_error(bits, rows, "0.05", dice));
    figures.push_back(
        {"worst interval, " + std::to_string(bits) + " bits, n = 1e6, α = 0.05", "cells need fewer rows",
         "search " + short_number(search, 3) + ", cells " + short_number(cells, 3),
         "the search errs by the size of its pieces (ε = 0.1) for every n; cell release errs by √(2^bits)/(αn)"});
  }
  return figures;
}

// Theorem 5.1: on the reals no release answers intervals. A program cannot run on the reals. So this experiment keeps n
// and α fixed, and lets the domain grow.
Result<std::vector<Figure>> growing_domain(const Dice& dice) {
  std::vector<Figure> figures;
  for (const unsigned bits : {4U, 8U, 16U, 32U, 52U}) {
    double mean = 0;
    constexpr int kReleases = 20;
    for (int i = 0; i < kReleases; ++i) {
      // All rows lie within 16 cells of one random place. The noisy search must find this place.
      std::uniform_int_distribution<std::uint64_t> place(0, (std::uint64_t{1} << bits) - 16);
      const std::uint64_t first = place(dice.made_up);
      std::vector<std::uint64_t> rows;
      for (std::uint64_t k = 0; k < 1'000; ++k) rows.push_back(first + dice.made_up() % 16);
      HEARSAY_TRY(const double error, released_interval_error(bits, rows, "0.4", "1", dice));
      mean += error / kReleases;
    }
    figures.push_back({"worst interval, 2^" + std::to_string(bits) + " cells, n = 1,000, α = 1", "useless in the limit",
                       short_number(mean, 3), "an error is at most 1; mean of 20 releases"});
  }
  return figures;
}

// Compares Theorem 7, with both tails of its proof, with the users that the normal approximation needs.
Result<std::vector<Figure>> theorem_7(const Dice&) {
  std::vector<Attribute> attributes;
  for (const char* name : {"a", "b", "c", "d"}) {
    HEARSAY_TRY(Attribute attribute, Attribute::boolean(name));
    attributes.push_back(std::move(attribute));
  }
  HEARSAY_TRY(const Schema schema, Schema::create(std::move(attributes)));
  std::vector<Figure> figures;
  for (const char* epsilon_text : {"1", "4", "8"}) {
    HEARSAY_TRY(const Epsilon epsilon, Epsilon::parse(epsilon_text));
    HEARSAY_TRY(const Task task, Task::create({.title = "Theorem 7",
                                               .schema = schema,
                                               .arrangement = LiteralsSpec{},
                                               .channel = LaplaceSpec{LaplaceCalibration::kPaper, {}},
                                               .epsilon = epsilon,
                                               .task_duration = 86'400,
                                               .time_precision = 86'400}));
    for (const char* text : {"a", "a and not b", "a and b and not c"}) {
      HEARSAY_TRY(const Query query, Query::parse(schema, text));
      const auto plans = planner::plan(task, {query}, {0.1, 0.05});
      if (!plans.front()) return plans.front().error();
      figures.push_back(
          {std::string(text) + ", ε = " + epsilon_text + ", error 0.1 with probability 0.95",
           short_number(static_cast<double>(plans.front()->users_paper.value_or(0)), 4) +
               " users by the proof of Theorem 7",
           short_number(static_cast<double>(plans.front()->users_exact), 4) + " users",
           "with both tails of the proof; the printed n of (20) drops one tail. Both numbers are larger than needed"});
    }
  }
  return figures;
}

}  // namespace

std::vector<Experiment> limit_experiments() {
  return {{"search", "Blum et al. 4.2 beside cell release", search_against_cells},
          {"growing", "Blum et al. Theorem 5.1: intervals on a growing domain", growing_domain},
          {"users", "Aldà and Simon Theorem 7: users of the paper's scheme", theorem_7}};
}

}  // namespace hearsay::examples
