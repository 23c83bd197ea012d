// Measures the cost of one draw from each sampler, with its random bits. The baseline is what an unsafe client would
// compute with the same generator of random bits: the inverse of the Laplace distribution function in floating point,
// rounded.
//
// Counters: `bytes` is the number of random bytes per sample; `ratio` is the sampler's time divided by the baseline's
// time at the same scale. For the ratio, sampler and baseline run in turns, five times each. The counter has the median
// of the five ratios.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include "common/privacy/discrete_laplace.h"
#include "common/privacy/samplers.h"
#include "tests/bench/counting_bit_source.h"

namespace hearsay {
namespace {

constexpr int kSamples = 100'000;

template <class Sampler>
double bytes_per_sample(const Sampler& sampler) {
  bench::CountingBitSource source;
  for (int i = 0; i < kSamples; ++i) benchmark::DoNotOptimize(sampler(source));
  return static_cast<double>(source.consumed()) / kSamples;
}

template <class Sampler>
void run(benchmark::State& state, const Sampler& sampler) {
  BitSource& source = system_bit_source();
  for (auto _ : state) benchmark::DoNotOptimize(sampler(source));
  state.counters["bytes"] = bytes_per_sample(sampler);
}

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Sampler>
double time_of(const Sampler& sampler) {
  BitSource& source = system_bit_source();
  const double start = seconds();
  for (int i = 0; i < kSamples; ++i) benchmark::DoNotOptimize(sampler(source));
  return seconds() - start;
}

template <class Sampler, class Baseline>
double ratio(const Sampler& sampler, const Baseline& baseline) {
  std::vector<double> ratios;
  for (int round = 0; round < 5; ++round) {
    const double base = time_of(baseline);
    ratios.push_back(time_of(sampler) / base);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

void random_byte(benchmark::State& state) {
  run(state, [](BitSource& source) { return source.byte(); });
}
BENCHMARK(random_byte);

void random_word(benchmark::State& state) {
  run(state, [](BitSource& source) { return source.bits(64); });
}
BENCHMARK(random_word);

void bernoulli_third(benchmark::State& state) {
  run(state, [](BitSource& source) { return bernoulli(source, 1, 3); });
}
BENCHMARK(bernoulli_third);

void bernoulli_exp_minus_one(benchmark::State& state) {
  run(state, [](BitSource& source) { return bernoulli_exp_minus(source, 1, 1); });
}
BENCHMARK(bernoulli_exp_minus_one);

auto naive(double t) {
  return [t](BitSource& source) {
    const double u = static_cast<double>(source.bits(53)) * 0x1p-53 - 0.5;
    return std::llround(std::copysign(t * std::log1p(-2 * std::abs(u)), -u));
  };
}

// The arguments are the scale's numerator and denominator.
void naive_laplace(benchmark::State& state) {
  run(state, naive(static_cast<double>(state.range(0)) / static_cast<double>(state.range(1))));
}

void discrete_laplace(benchmark::State& state) {
  const auto num = static_cast<std::uint64_t>(state.range(0));
  const auto den = static_cast<std::uint64_t>(state.range(1));
  const DiscreteLaplace noise = DiscreteLaplace::create(Rational::create(num, den).value()).value();
  const auto sampler = [&](BitSource& source) { return noise.sample(source); };
  run(state, sampler);
  state.counters["ratio"] = ratio(sampler, naive(static_cast<double>(num) / static_cast<double>(den)));
}

void scales(benchmark::internal::Benchmark* bench) {
  bench->Args({1, 2})->Args({1, 1})->Args({10, 1})->Args({32, 1})->Args({3001, 3})->Args({1'000'000, 1});
}
BENCHMARK(naive_laplace)->Apply(scales);
BENCHMARK(discrete_laplace)->Apply(scales);

}  // namespace
}  // namespace hearsay
