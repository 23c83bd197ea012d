// Tests the literature's mechanisms of examples/comparison against their published variances.
//
// A variance from R runs has the relative standard error √((2+κ)/R), where κ is the estimate's excess kurtosis. An
// estimate counts certain ones of 500 independent reports, and the expected count is at least 15. So κ < 0.1, and with
// R = 40,000 runs the standard error is 0.73 %. The allowed 5 % are 6.8 standard errors, a false alarm of 1e-11. If
// levels are drawn, the varying numbers of reports add at most (levels-1)/500 = 0.6 % to the variance. The rest of the
// 5 % is 6.0 standard errors, a false alarm of 2e-9. The false alarm of a check of bias is 1e-9. There are 77 checks of
// each kind. Detected for certain: a variance that is off by 9 %.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "examples/comparison/reference/domain.h"
#include "examples/comparison/reference/hadamard_response.h"
#include "examples/comparison/reference/hierarchies.h"
#include "examples/comparison/reference/kary_response.h"
#include "examples/comparison/reference/mean_mechanisms.h"
#include "examples/comparison/reference/sampled_fourier.h"
#include "examples/comparison/reference/unary_encoding.h"
#include "tests/support/statistics.h"

namespace hearsay::examples {
namespace {

constexpr int kRuns = 40'000;
constexpr double kTolerance = 0.05;

class Moments {
 public:
  void add(double x) {
    ++n_;
    sum_ += x;
    squares_ += x * x;
  }
  double mean() const { return sum_ / n_; }
  double variance() const { return (squares_ - sum_ * sum_ / n_) / (n_ - 1); }
  bool unbiased_for(double truth) const {
    return std::abs(mean() - truth) < tests::normal_threshold(1e-9) * std::sqrt(variance() / n_);
  }
  bool varies_by(double expected) const { return std::abs(variance() / expected - 1) < kTolerance; }

 private:
  double n_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

const std::vector<std::uint64_t> kPeople{0, 330, 0, 1, 60, 0, 25, 0, 3, 40, 41, 0};
constexpr std::uint64_t kUsers = 500;

const std::vector<std::vector<std::uint32_t>> kQueries{{1}, {5}, {0, 1, 4, 7, 9}, {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};

double truth(const std::vector<std::uint32_t>& cells) {
  double sum = 0;
  for (const std::uint32_t cell : cells) sum += static_cast<double>(kPeople[cell]);
  return sum / kUsers;
}

std::vector<double> indicator(const std::vector<std::uint32_t>& cells) {
  std::vector<double> weights(kPeople.size());
  for (const std::uint32_t cell : cells) weights[cell] = 1;
  return weights;
}

template <class Mechanism>
double published(const Mechanism& mechanism, const std::vector<double>& weights) {
  return population_variance(kPeople, mechanism.report_variances(weights));
}

double exact_variance(const LinearMechanism& mechanism, const std::vector<std::uint32_t>& cells) {
  std::vector<double> parts(kPeople.begin(), kPeople.end());
  for (double& part : parts) part /= kUsers;
  return (mechanism.variance(indicator(cells), parts) - truth(cells) * (1 - truth(cells))) / kUsers;
}

using Run = std::function<std::vector<double>(std::mt19937_64&)>;

std::vector<Moments> simulate(const Run& run, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Moments> moments(kQueries.size());
  for (int i = 0; i < kRuns; ++i) {
    const std::vector<double> estimates = run(random);
    for (std::size_t q = 0; q < kQueries.size(); ++q) {
      double sum = 0;
      for (const std::uint32_t cell : kQueries[q]) sum += estimates[cell];
      moments[q].add(sum);
    }
  }
  return moments;
}

// `client` makes the reports, and `honest` estimates from the reports.
template <class Mechanism>
Run run_of(const Mechanism& client, const Mechanism& honest) {
  return [client, honest](std::mt19937_64& random) { return honest.estimate(client.counts(kPeople, random), kUsers); };
}

template <class Mechanism>
void check_published(const Mechanism& mechanism, const Run& run, std::uint64_t seed) {
  const std::vector<Moments> moments = simulate(run, seed);
  for (std::size_t q = 0; q < kQueries.size(); ++q) {
    CAPTURE(q);
    CAPTURE(moments[q].variance() / published(mechanism, indicator(kQueries[q])));
    CHECK(moments[q].varies_by(published(mechanism, indicator(kQueries[q]))));
    CHECK(moments[q].unbiased_for(truth(kQueries[q])));
  }
}

template <class Mechanism>
bool looks_published(const Mechanism& mechanism, const Run& run, std::uint64_t seed) {
  const std::vector<Moments> moments = simulate(run, seed);
  bool all = true;
  for (std::size_t q = 0; q < kQueries.size(); ++q) {
    all = all && moments[q].varies_by(published(mechanism, indicator(kQueries[q])));
  }
  return all;
}

TEST_CASE("the variance of symmetric unary encoding is the published one") {
  for (const double epsilon : {1.0, 3.0}) {
    CAPTURE(epsilon);
    const auto mechanism = UnaryEncoding::symmetric(epsilon);
    CHECK(mechanism.p * (1 - mechanism.q) / (mechanism.q * (1 - mechanism.p)) ==
          doctest::Approx(std::exp(epsilon)).epsilon(1e-12));
    // For an empty cell the published approximation is exact.
    CHECK(kUsers * published(mechanism, indicator({5})) ==
          doctest::Approx(std::exp(epsilon / 2) / std::pow(std::exp(epsilon / 2) - 1, 2)).epsilon(1e-12));
    check_published(mechanism, run_of(mechanism, mechanism), 11);
  }
}

TEST_CASE("the variance of optimised unary encoding is the published one") {
  for (const double epsilon : {1.0, 3.0}) {
    CAPTURE(epsilon);
    const auto mechanism = UnaryEncoding::optimised(epsilon);
    CHECK(mechanism.p * (1 - mechanism.q) / (mechanism.q * (1 - mechanism.p)) ==
          doctest::Approx(std::exp(epsilon)).epsilon(1e-12));
    CHECK(kUsers * published(mechanism, indicator({5})) ==
          doctest::Approx(4 * std::exp(epsilon) / std::pow(std::exp(epsilon) - 1, 2)).epsilon(1e-12));
    check_published(mechanism, run_of(mechanism, mechanism), 12);
  }
}

// counts() draws binomials. This test draws a coin for every bit of every report.
TEST_CASE("unary reports that are drawn bit by bit have the variance of their counts") {
  const auto mechanism = UnaryEncoding::optimised(1);
  const std::vector<double> some = indicator(kQueries[2]);
  std::mt19937_64 random(13);
  Moments moments;
  // The standard error of the variance is 1.4 %. With a random seed this check would fail with probability 6e-4.
  for (int run = 0; run < kRuns / 4; ++run) {
    std::vector<std::uint64_t> ones(kPeople.size());
    for (std::size_t cell = 0; cell < kPeople.size(); ++cell) {
      for (std::uint64_t person = 0; person < kPeople[cell]; ++person) {
        const std::vector<std::uint8_t> bits = mechanism.randomize(cell, kPeople.size(), random);
        for (std::size_t c = 0; c < bits.size(); ++c) ones[c] += bits[c];
      }
    }
    const std::vector<double> estimates = mechanism.estimate(ones, kUsers);
    moments.add(std::inner_product(estimates.begin(), estimates.end(), some.begin(), 0.0));
  }
  CHECK(moments.varies_by(published(mechanism, some)));
  CHECK(moments.unbiased_for(truth(kQueries[2])));
}

TEST_CASE("sum-to-one leaves unary encodings unbiased, with the variance of the residual weights") {
  const auto mechanism = UnaryEncoding::optimised(1);
  const auto adjusted = [&](std::mt19937_64& random) {
    std::vector<double> estimates = mechanism.estimate(mechanism.counts(kPeople, random), kUsers);
    make_sum_to_one(estimates);
    return estimates;
  };
  std::mt19937_64 random(14);
  const std::vector<double> once = adjusted(random);
  CHECK(std::accumulate(once.begin(), once.end(), 0.0) == doctest::Approx(1).epsilon(1e-12));
  const std::vector<Moments> moments = simulate(adjusted, 15);
  for (std::size_t q = 0; q < kQueries.size(); ++q) {
    CAPTURE(q);
    CHECK(moments[q].varies_by(exact_variance(sum_to_one(mechanism, kPeople.size()), kQueries[q])));
    CHECK(moments[q].unbiased_for(truth(kQueries[q])));
  }
}

TEST_CASE("the variance of k-ary randomized response is the published one") {
  for (const double epsilon : {1.0, 3.0}) {
    CAPTURE(epsilon);
    const auto mechanism = KaryResponse::create(kPeople.size(), epsilon);
    CHECK(mechanism.p / mechanism.q == doctest::Approx(std::exp(epsilon)).epsilon(1e-12));
    CHECK(kUsers * published(mechanism, indicator({5})) ==
          doctest::Approx((12 - 2 + std::exp(epsilon)) / std::pow(std::exp(epsilon) - 1, 2)).epsilon(1e-12));
    check_published(mechanism, run_of(mechanism, mechanism), 16);
  }
}

TEST_CASE("the variance of Hadamard response is the derived one") {
  for (const double epsilon : {1.0, 3.0}) {
    CAPTURE(epsilon);
    const auto mechanism = HadamardResponse::create(kPeople.size(), epsilon);
    CHECK(mechanism.blocks() == (epsilon < 2 ? 1 : 8));
    for (std::size_t cell = 0; cell < kPeople.size(); ++cell) {
      double sum = 0;
      std::size_t likely = 0;
      // The smaller probability of a report, 1/(s·e^ε + K - s).
      const double least = 1 / (static_cast<double>(mechanism.block_size()) / 2 * (std::exp(epsilon) - 1) +
                                static_cast<double>(mechanism.outputs()));
      for (std::size_t y = 0; y < mechanism.outputs(); ++y) {
        sum += mechanism.probability(cell, y);
        if (mechanism.probability(cell, y) > least * 1.001) {
          ++likely;
          CHECK(mechanism.probability(cell, y) / least == doctest::Approx(std::exp(epsilon)).epsilon(1e-12));
        }
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-12));
      CHECK(likely == mechanism.block_size() / 2);
    }
    check_published(mechanism, run_of(mechanism, mechanism), 17);
  }
  const double c = (std::exp(1.0) + 1) / (std::exp(1.0) - 1);
  CHECK(kUsers * published(HadamardResponse::create(kPeople.size(), 1), indicator({1})) ==
        doctest::Approx(c * c - 330.0 / 500).epsilon(1e-12));
}

TEST_CASE("the variance of subset selection is the derived one") {
  const auto mechanism = SubsetSelection::create(kPeople.size(), 1);
  CHECK(mechanism.chosen() == 3);  // 12/(e+1) = 3.2
  check_published(mechanism, run_of(mechanism, mechanism), 22);
}

// The 12 values are leaves of trees with 16 leaves. The trees have two or four levels of OUE, or four levels of
// Hadamard responses. Cells are estimated by constrained inference or by the inverse transform. The expected variances
// come from the least-squares weights.
TEST_CASE("the variances of hierarchical histograms with constrained inference and of HaarHRR are the derived ones") {
  for (const LinearMechanism& mechanism : {hierarchical_histogram(kPeople.size(), 4, 1),
                                           hierarchical_histogram(kPeople.size(), 2, 1), haar_hrr(kPeople.size(), 1)}) {
    CAPTURE(mechanism.levels.size());
    const std::vector<Moments> moments =
        simulate([&](std::mt19937_64& random) { return mechanism.run(kPeople, random); }, 23);
    for (std::size_t q = 0; q < kQueries.size(); ++q) {
      CAPTURE(q);
      CAPTURE(moments[q].variance() / exact_variance(mechanism, kQueries[q]));
      CHECK(moments[q].varies_by(exact_variance(mechanism, kQueries[q])));
      CHECK(moments[q].unbiased_for(truth(kQueries[q])));
    }
  }
}

// With a million reports, the measured variance has a relative standard error of at most √(3/10^6) = 0.17 %.
template <class Kind>
void check_mean_mechanism(const Kind& kind) {
  for (const double x : {-1.0, 0.0, 0.3, 1.0}) {
    CAPTURE(x);
    std::mt19937_64 random(24);
    Moments moments;
    for (int i = 0; i < 1'000'000; ++i) moments.add(kind.randomize(x, random));
    CHECK(std::abs(moments.variance() / kind.variance(x) - 1) < 0.02);
    CHECK(moments.unbiased_for(x));
  }
}

TEST_CASE("the variances of mean mechanisms are the published ones") {
  for (const double epsilon : {1.0, 4.0}) {
    check_mean_mechanism(OneBitMean(epsilon));
    check_mean_mechanism(PiecewiseMean(epsilon));
  }
}

// Planted: clients flip bits with the probability of a smaller ε than agreed.
TEST_CASE("a wrong flip probability is detected by the variance") {
  for (const auto make : {&UnaryEncoding::symmetric, &UnaryEncoding::optimised}) {
    CHECK_FALSE(looks_published(make(3), run_of(make(2.5), make(3)), 18));
  }
  const auto kary = KaryResponse::create(kPeople.size(), 3);
  CHECK_FALSE(looks_published(kary, run_of(KaryResponse::create(kPeople.size(), 2.5), kary), 19));
  const auto hadamard = HadamardResponse::create(kPeople.size(), 3);
  CHECK_FALSE(looks_published(hadamard, run_of(hadamard.with_client_epsilon(2.5), hadamard), 20));
}

// Returns a schema of a colour and two booleans. The colour has three values, so one pattern of its two bits is no
// colour. Everybody says yes to the first boolean.
Schema fourier_schema() {
  return Schema::create({Attribute::categorical("colour", {"red", "green", "blue"}).value(),
                         Attribute::boolean("always").value(), Attribute::boolean("rarely").value()})
      .value();
}

std::vector<Record> fourier_people(const Schema& schema) {
  std::vector<Record> people;
  for (std::uint32_t i = 0; i < kUsers; ++i) {
    people.push_back(Record::create(schema, {i % 10 < 7 ? 0U : i % 10 - 7U, 1, i % 9 == 0 ? 1U : 0U}).value());
  }
  return people;
}

struct FourierRun {
  Moments moments;
  double truth;
  double published;
};

FourierRun simulate_fourier(const std::string& text, double epsilon, double client_epsilon) {
  const Schema schema = fourier_schema();
  const std::vector<Record> people = fourier_people(schema);
  const Query query = Query::parse(schema, text).value();
  const SampledFourier honest = SampledFourier::create(schema, 2, epsilon).value();
  const SampledFourier client = honest.with_client_epsilon(client_epsilon);
  const auto expansion = honest.expand(query).value();
  double satisfied = 0;
  for (const Record& record : people) satisfied += query.evaluate(record) ? 1 : 0;
  FourierRun run{{}, satisfied / kUsers, honest.variance(expansion, people)};
  std::mt19937_64 random(21);
  for (int i = 0; i < kRuns; ++i) run.moments.add(honest.estimate(expansion, client.collect(people, random)));
  return run;
}

TEST_CASE("the variances of sampled Fourier coefficients are the published ones") {
  // There are 3 + 1 + 1 parities on one attribute, and 3·1 + 3·1 + 1·1 on two.
  CHECK(SampledFourier::create(fourier_schema(), 2, 1).value().parities() == 12);
  for (const double epsilon : {1.0, 3.0}) {
    for (const char* text : {"always", "rarely", "colour = red and not rarely", "colour in {red, blue} and always"}) {
      CAPTURE(epsilon);
      CAPTURE(text);
      const FourierRun run = simulate_fourier(text, epsilon, epsilon);
      CAPTURE(run.moments.variance() / run.published);
      CHECK(run.moments.varies_by(run.published));
      CHECK(run.moments.unbiased_for(run.truth));
    }
  }
  // Planted: ε = 2.5 although 3 was agreed.
  const FourierRun planted = simulate_fourier("always", 3, 2.5);
  CHECK_FALSE(planted.moments.varies_by(planted.published));
}

}  // namespace
}  // namespace hearsay::examples
