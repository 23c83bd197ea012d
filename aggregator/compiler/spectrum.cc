#include "aggregator/compiler/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <variant>

#include "aggregator/compiler/fourier.h"

namespace hearsay::compiler {
namespace {

// Returns the eigenvalues for the multiplier 1, one for each frequency f of a circle of N places. The probability that
// two places lie in the same arc is 1/N times the sum of the arcs' autocorrelations. So the eigenvalue for K arcs is
// K/N times a sum of squares of the arcs' transforms: (sin(π·f·L/N) / sin(π·f/N))² for an arc of L places.
std::vector<double> circle_eigenvalues(std::uint32_t places, std::uint32_t arcs) {
  const auto n = static_cast<double>(places);
  const std::uint32_t longer = places % arcs;  // the number of arcs that have one place more than the others
  std::vector<double> result(places);
  const auto add_arcs = [&](std::uint32_t count, std::uint32_t length) {
    if (count == 0) return;
    const double scale = static_cast<double>(arcs) * count / n;
    result[0] += scale * length * length;
    for (std::uint32_t f = 1; f < places; ++f) {
      const auto turn = static_cast<std::uint32_t>(std::uint64_t{f} * length % places);
      if (turn == 0) continue;
      const double ratio = std::sin(std::numbers::pi * turn / n) / std::sin(std::numbers::pi * f / n);
      result[f] += scale * ratio * ratio;
    }
  };
  add_arcs(arcs - longer, places / arcs);
  add_arcs(longer, places / arcs + 1);
  // At the frequency 0 the code computes K·Σ L² - N², for K arcs of lengths L, in integers. So an eigenvalue 0 comes
  // out as exactly 0.
  const std::uint64_t l = places / arcs;
  const std::uint64_t squares = (arcs - longer) * l * l + longer * (l + 1) * (l + 1);
  result[0] = static_cast<double>(arcs * squares - std::uint64_t{places} * places) / n;
  return result;
}

// With the multiplier j, the eigenvalue of the multiplier 1 at frequency f belongs to the frequency j·f modulo N.
std::vector<double> eigenvalues_of(const CircleQuestions& circle, const Questions& questions, Work& work) {
  const std::vector<double> base = circle_eigenvalues(circle.places, 1U << circle.bits);
  std::vector<double> result(circle.places);
  for (std::size_t m = 0; m < circle.multipliers.size(); ++m) {
    work.spend(circle.places);
    const double probability = circle.weights[m] / static_cast<double>(questions.total_weight());
    std::uint32_t at = 0;
    for (const double value : base) {
      result[at] += probability * value;
      at += circle.multipliers[m];
      if (at >= circle.places) at -= circle.places;
    }
  }
  return result;
}

// The parity of any non-empty set of an answer's bits is the parity of a mask, and every non-zero mask is equally
// likely. So all levels have the same eigenvalue.
std::vector<double> eigenvalues_of(const ParityQuestions& parities, const Questions& questions, Work& /*work*/) {
  const double patterns = std::exp2(questions.value_bits());
  return std::vector<double>(questions.value_bits(), patterns * (std::exp2(parities.bits) - 1) / (patterns - 1));
}

// A question asks one parity for each of its levels. The mask of a parity of level l has l as its lowest bit; the mask
// lacks the question's other levels, and all other higher bits of the mask are drawn at random.
std::vector<double> eigenvalues_of(const LevelQuestions& levels, const Questions& questions, Work& work) {
  const std::uint32_t bits = questions.value_bits();
  std::vector<double> result(bits);
  for (std::size_t s = 0; s < levels.levels.size(); ++s) {
    const double probability = levels.weights[s] / static_cast<double>(questions.total_weight());
    const std::vector<std::uint32_t>& set = levels.levels[s];
    work.spend(set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
      const std::size_t levels_above = set.size() - i - 1;
      const int drawn = static_cast<int>(bits - 1 - set[i] - levels_above);
      result[set[i]] += probability * std::ldexp(1.0, static_cast<int>(bits) - drawn);
    }
  }
  return result;
}

// Any two different values have the same answer with the same probability p. So M has one eigenvalue for the constants,
// and one for all functions with the mean 0.
std::vector<double> eigenvalues_of(const HashQuestions& hash, const Questions& questions, Work& /*work*/) {
  const std::uint64_t n = questions.places();
  const std::uint64_t k = hash.answers;
  const std::uint64_t longer = n % k;  // the number of parts that have one place more than the others
  const std::uint64_t l = n / k;
  const auto pairs = static_cast<double>((k - longer) * l * (l - 1) + longer * (l + 1) * l);
  const double p = pairs / (static_cast<double>(n) * static_cast<double>(n - 1));
  const double own = hash.answers - 1.0;
  const double other = hash.answers * p - 1;
  if (questions.answers() == questions.values()) return {0, own - other};
  return {own + (questions.values() - 1.0) * other, own - other};
}

void fourier_by_chirps(const FourierTransform& transform, std::span<double> v, std::span<const double> factors) {
  Eigen::FFT<double> plans;
  Complexes values(v.begin(), v.end());
  Complexes frequencies(v.size());
  transform.forward(values, frequencies, plans);
  // Up to the factor 1/size, the inverse transform is the conjugate of the transform of the conjugates.
  for (std::size_t f = 0; f < v.size(); ++f) frequencies[f] = std::conj(frequencies[f]) * factors[f];
  transform.forward(frequencies, values, plans);
  for (std::size_t x = 0; x < v.size(); ++x) v[x] = values[x].real() / static_cast<double>(v.size());
}

void fourier(std::span<double> v, std::span<const double> factors) {
  const FourierTransform transform(v.size());
  if (transform.by_chirps()) {
    fourier_by_chirps(transform, v, factors);
    return;
  }
  Eigen::FFT<double> fft;
  std::vector<double> values(v.begin(), v.end());
  Complexes frequencies;
  fft.fwd(frequencies, values);
  for (std::size_t f = 0; f < values.size(); ++f) frequencies[f] *= factors[f];
  fft.inv(values, frequencies);
  std::copy(values.begin(), values.end(), v.begin());
}

// Multiplies each Haar function's coefficient by the factor of its level. First takes half the difference and half the
// sum of each block's halves, from the smallest blocks to the largest. The sums are the values of the next level. Then
// puts the blocks together again, from the largest to the smallest.
void haar(std::span<double> v, std::span<const double> factors) {
  std::size_t half = 1;
  for (std::size_t level = 0; level < factors.size(); ++level, half *= 2) {
    for (std::size_t block = 0; block < v.size(); block += 2 * half) {
      const double first = v[block];
      const double second = v[block + half];
      v[block] = (first + second) / 2;
      v[block + half] = (first - second) / 2 * factors[level];
    }
  }
  v[0] = 0;  // the eigenvalue of the constants is 0
  for (std::size_t level = factors.size(); level-- > 0;) {
    half /= 2;
    for (std::size_t block = 0; block < v.size(); block += 2 * half) {
      const double mean = v[block];
      const double difference = v[block + half];
      v[block] = mean + difference;
      v[block + half] = mean - difference;
    }
  }
}

void scale_mean_and_rest(std::span<double> v, std::span<const double> factors) {
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  for (double& x : v) x = factors[0] * mean + factors[1] * (x - mean);
}

}  // namespace

Spectrum::Spectrum(const Questions& questions, Work& work)
    : is_circle_(std::holds_alternative<CircleQuestions>(questions.spec())),
      is_hash_(std::holds_alternative<HashQuestions>(questions.spec())),
      eigenvalues_(
          std::visit([&](const auto& kind) { return eigenvalues_of(kind, questions, work); }, questions.spec())) {
  size_ = is_circle_ ? eigenvalues_.size() : is_hash_ ? questions.values() : std::size_t{1} << questions.value_bits();
  steps_ = is_circle_ ? 2 * fourier_steps(size_) : 4 * size_;
  for (const double value : eigenvalues_) inverses_.push_back(value > 0 ? 1 / value : 0);
}

void Spectrum::transform(std::span<double> v, std::span<const double> factors) const {
  if (is_circle_) {
    fourier(v, factors);
  } else if (is_hash_) {
    scale_mean_and_rest(v, factors);
  } else {
    haar(v, factors);
  }
}

}  // namespace hearsay::compiler
