#include "aggregator/bounds/sq_dimension.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace hearsay::bounds {
namespace {

// Looks for `wanted` columns such that any two have |inner product| <= `most`.
class CliqueSearch {
 public:
  CliqueSearch(const Eigen::MatrixXd& products, std::size_t wanted, double most)
      : products_(products), wanted_(wanted), most_(most) {}

  bool run() {
    std::vector<std::size_t> candidates(static_cast<std::size_t>(products_.rows()));
    for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i] = i;
    return extend(candidates);
  }
  bool exhausted() const { return steps_ < kMostSteps; }
  const std::vector<std::size_t>& found() const { return chosen_; }

 private:
  static constexpr std::size_t kMostSteps = 20'000;

  bool extend(const std::vector<std::size_t>& candidates) {
    if (chosen_.size() == wanted_) return true;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (chosen_.size() + candidates.size() - i < wanted_ || ++steps_ >= kMostSteps) return false;
      std::vector<std::size_t> rest;
      for (std::size_t j = i + 1; j < candidates.size(); ++j) {
        const double product =
            products_(static_cast<Eigen::Index>(candidates[i]), static_cast<Eigen::Index>(candidates[j]));
        if (std::abs(product) <= most_) rest.push_back(candidates[j]);
      }
      chosen_.push_back(candidates[i]);
      if (extend(rest)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  const Eigen::MatrixXd& products_;
  std::size_t wanted_;
  double most_;
  std::size_t steps_ = 0;
  std::vector<std::size_t> chosen_;
};

}  // namespace

SqDimension sq_dimension(const SignMatrix& matrix, std::optional<double> forster_high) {
  // The most columns that are searched: their inner products must fit into memory.
  constexpr std::size_t kMostColumns = 2048;
  const std::size_t columns = std::min(matrix.columns(), kMostColumns);
  Eigen::MatrixXd entries(static_cast<Eigen::Index>(matrix.rows()), static_cast<Eigen::Index>(columns));
  for (std::size_t x = 0; x < matrix.rows(); ++x) {
    for (std::size_t f = 0; f < columns; ++f) {
      entries(static_cast<Eigen::Index>(x), static_cast<Eigen::Index>(f)) = matrix(x, f);
    }
  }
  const Eigen::MatrixXd products = entries.transpose() * entries;  // exact: integers
  SqDimension result{1, matrix.columns(), {0}};
  if (forster_high) {
    const double most = std::floor(2 * *forster_high * *forster_high * (1 + 1e-9));
    result.high = std::max<std::size_t>(1, std::min(result.high, static_cast<std::size_t>(most)));
  }
  bool exact = columns == matrix.columns();
  for (std::size_t wanted = 2; wanted <= result.high; ++wanted) {
    // `wanted`·|inner product| <= rows, with integers on both sides.
    const double most = std::floor(static_cast<double>(matrix.rows()) / static_cast<double>(wanted));
    CliqueSearch search(products, wanted, most);
    if (search.run()) {
      result.low = wanted;
      result.queries = search.found();
    } else if (exact && search.exhausted()) {
      // A larger set cannot exist either: any `wanted` of its queries would have small enough correlations.
      result.high = wanted - 1;
      break;
    } else {
      exact = false;
      if (wanted > 2 * result.low + 8) break;  // no success since result.low
    }
  }
  return result;
}

}  // namespace hearsay::bounds
