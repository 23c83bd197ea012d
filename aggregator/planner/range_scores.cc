#include "aggregator/planner/range_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <unsupported/Eigen/FFT>

namespace hearsay::planner {

RangeScores::RangeScores(std::uint32_t values, std::uint32_t bits)
    : size_(values), answers_(std::exp2(bits)), squares_(kLanes, values), windows_(kLanes, values) {
  const std::uint32_t answers = 1U << bits;
  const std::uint32_t longer = size_ % answers;
  arcs_.push_back({size_ / answers, answers - longer});
  if (longer > 0) arcs_.push_back({size_ / answers + 1, longer});
  std::vector<double> row(size_);
  for (std::uint32_t place = 0; place < size_; ++place) {
    const std::uint32_t apart = std::min(place, size_ - place);
    double together = 0;  // the number of turns for which both places are in one arc
    for (const Arcs& arcs : arcs_) together += arcs.places > apart ? arcs.count * (arcs.places - apart) : 0;
    row[place] = answers_ * together / size_ - 1;
  }
  Eigen::FFT<double> fft;
  std::vector<std::complex<double>> spectrum;
  fft.fwd(spectrum, row);
  for (const std::complex<double>& eigenvalue : spectrum) together_.push_back(std::max(0.0, eigenvalue.real()));
  together_[0] = 0;
}

// For the multiplier j, the frequency l of the multiplier 1 becomes the frequency l·j.
Eigen::VectorXd RangeScores::spectrum(std::uint32_t multiplier) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(size_ / 2 + 1);
  std::uint64_t at = 0;
  for (const double eigenvalue : together_) {
    if (2 * at <= size_) result[static_cast<Eigen::Index>(at)] += eigenvalue;
    at = (at + multiplier) % size_;
  }
  result[0] = 0;
  return result;
}

// No score depends on the mean of the sums C (range_scores.h). A mean of 0 keeps rounding errors smallest.
void RangeScores::set_weights(std::span<const double> h) {
  sums_.resize(size_);
  std::partial_sum(h.begin(), h.end(), sums_.begin());
  const double mean = std::accumulate(sums_.begin(), sums_.end(), 0.0) / size_;
  for (double& sum : sums_) sum -= mean;
}

void RangeScores::ask(std::uint32_t multiplier, const Arcs& arcs) {
  multiplier_ = multiplier % size_;
  asked_ = arcs;
  std::vector<double> at(size_, 0.0);
  std::uint32_t place = 0;
  value_step_ = 0;
  for (std::uint32_t x = 0; x < size_; ++x) {
    at[place] += sums_[x];
    if (place == 1) value_step_ = x;
    place += multiplier_;
    if (place >= size_) place -= size_;
  }
  steps_.resize(2 * std::size_t{size_});
  double sum = std::accumulate(at.begin(), at.begin() + arcs.places, 0.0);
  for (std::uint32_t u = 0; u < size_; ++u) {
    steps_[u] = steps_[u + size_] = answers_ * sum;
    const std::uint32_t next = u + arcs.places;
    sum += at[next < size_ ? next : next - size_] - at[u];
  }
}

// With the multiplier j and J places, j·L mod J for all lengths L takes all multiples of the greatest common divisor of
// j and J.
double RangeScores::largest() const {
  const std::uint32_t stride = std::gcd(multiplier_, size_);
  double largest = 0;
  for (std::uint32_t first = 0; first < stride; ++first) {
    double least = steps_[first];
    double most = least;
    for (std::uint32_t u = first; u < size_; u += stride) {
      least = std::min(least, steps_[u]);
      most = std::max(most, steps_[u]);
    }
    largest = std::max(largest, most - least);
  }
  return largest;
}

void RangeScores::add_moments(std::span<const std::uint32_t> lengths, double chance, std::vector<Lanes>& moments) {
  using Lane = Eigen::Array<double, kLanes, 1>;
  const Eigen::Index size = size_;
  const Eigen::Index places = asked_.places;
  scaled_.resize(steps_.size());
  const double root = std::sqrt(chance);
  std::ranges::transform(steps_, scaled_.begin(), [root](double step) { return root * step; });
  const double* const steps = scaled_.data() + size_;
  for (std::size_t group = 0; group < moments.size(); ++group) {
    std::array<const double*, kLanes> back{};
    for (std::size_t lane = 0; lane < back.size(); ++lane) {
      const std::size_t i = std::min(group * back.size() + lane, lengths.size() - 1);
      back[lane] = steps - turned(lengths[i]);
    }
    for (Eigen::Index u = 0; u < size; ++u) {
      const Lane score = steps[u] - Lane(back[0][u], back[1][u], back[2][u], back[3][u]);
      squares_.col(u) = score * score;
    }
    // The arcs that hold the place p start at the places p - places + 1 to p.
    Lanes& of_group = moments[group];
    Lane sum = squares_.rightCols(places - 1).rowwise().sum();
    Eigen::Index left = (size - places + 1) % size;  // the start of the arc that holds p, but not p + 1
    Eigen::Index at = 0;
    for (Eigen::Index p = 0; p < size; ++p) {
      sum += squares_.col(p);
      if (value_step_ > 0) {
        of_group.col(at) += sum;
        at += value_step_;
        if (at >= size) at -= size;
      } else {
        windows_.col(p) = sum;
      }
      sum -= squares_.col(left);
      if (++left == size) left = 0;
    }
    for (Eigen::Index x = 0, place = 0; value_step_ == 0 && x < size; ++x) {
      of_group.col(x) += windows_.col(place);
      place += multiplier_;
      if (place >= size) place -= size;
    }
  }
}

}  // namespace hearsay::planner
