// What a sample costs, random bits included. The baseline is what an unsafe client would do with the same bits: the
// inverse of a floating-point Laplace distribution function, rounded.
//
// Counters: bytes = random bytes per sample.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>

#include "common/privacy/discrete_laplace.h"
#include "common/privacy/samplers.h"

namespace hearsay {
namespace {

// The system source's bits, counted. One virtual call per 4 KiB, as in the source itself.
class CountingBitSource final : public BitSource {
 public:
  std::uint64_t consumed() const { return produced_ - static_cast<std::uint64_t>(end_ - next_); }

 private:
  void refill() override {
    system_bit_source().fill(buffer_);
    next_ = buffer_.data();
    end_ = next_ + buffer_.size();
    produced_ += buffer_.size();
  }

  std::array<std::uint8_t, 4096> buffer_{};
  std::uint64_t produced_ = 0;
};

template <class Sampler>
double bytes_per_sample(const Sampler& sampler) {
  constexpr int kSamples = 100'000;
  CountingBitSource source;
  for (int i = 0; i < kSamples; ++i) benchmark::DoNotOptimize(sampler(source));
  return static_cast<double>(source.consumed()) / kSamples;
}

template <class Sampler>
void run(benchmark::State& state, const Sampler& sampler) {
  BitSource& source = system_bit_source();
  for (auto _ : state) benchmark::DoNotOptimize(sampler(source));
  state.counters["bytes"] = bytes_per_sample(sampler);
}

void random_byte(benchmark::State& state) {
  run(state, [](BitSource& source) { return source.byte(); });
}
BENCHMARK(random_byte);

void bernoulli_third(benchmark::State& state) {
  run(state, [](BitSource& source) { return bernoulli(source, 1, 3); });
}
BENCHMARK(bernoulli_third);

void bernoulli_exp_minus_one(benchmark::State& state) {
  run(state, [](BitSource& source) { return bernoulli_exp_minus(source, 1, 1); });
}
BENCHMARK(bernoulli_exp_minus_one);

// Arguments: numerator and denominator of the scale.
void discrete_laplace(benchmark::State& state) {
  const auto scale =
      Rational::create(static_cast<std::uint64_t>(state.range(0)), static_cast<std::uint64_t>(state.range(1)));
  const DiscreteLaplace noise = DiscreteLaplace::create(scale.value()).value();
  run(state, [&](BitSource& source) { return noise.sample(source); });
}
BENCHMARK(discrete_laplace)->Args({1, 2})->Args({10, 1})->Args({32, 1})->Args({4096, 3})->Args({1'000'003, 1'000});

// The noise of one report of 16 booleans at epsilon 1.
void report_of_16(benchmark::State& state) {
  const DiscreteLaplace noise = DiscreteLaplace::create(Rational::create(32, 1).value()).value();
  run(state, [&](BitSource& source) {
    std::int64_t sum = 0;
    for (int j = 0; j < 16; ++j) sum += noise.sample(source);
    return sum;
  });
}
BENCHMARK(report_of_16);

void naive_laplace(benchmark::State& state) {
  const double t = 32;
  run(state, [&](BitSource& source) {
    const double u = static_cast<double>(source.bits(53)) * 0x1p-53 - 0.5;
    return std::llround(std::copysign(t * std::log1p(-2 * std::abs(u)), -u));
  });
}
BENCHMARK(naive_laplace);

}  // namespace
}  // namespace hearsay
