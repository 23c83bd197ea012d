#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"

using namespace hearsay;

namespace {

struct Setting {
  Schema schema;
  Arrangement arrangement;
  Channel channel;

  Setting(Schema s, const LaplaceSpec& spec, const char* epsilon)
      : schema(std::move(s)),
        arrangement(Arrangement::create(LiteralsSpec{}, schema).value()),
        channel(Channel::create(spec, arrangement, Epsilon::parse(epsilon).value()).value()) {}

  LinearQuery compile(const std::string& text) const {
    tests::FailingBitSource none;
    auto linear = channel.compile(Query::parse(schema, text).value(), schema, arrangement, none);
    REQUIRE(linear);
    return *linear;
  }
  // Σ g_j²·Var Y_j: what the noise adds to the variance of one report's contribution.
  double noise(const LinearQuery& linear) const {
    const auto& laplace = std::get<LaplaceChannel>(channel.kind());
    double sum = 0;
    for (const auto& [coordinate, weight] : linear.weights) sum += weight * weight * laplace.noise_variance(coordinate);
    return sum;
  }
};

Schema booleans(std::size_t count) {
  std::vector<Attribute> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(Attribute::boolean("x" + std::to_string(i)).value());
  return Schema::create(std::move(list)).value();
}

// The least variance with which one report can answer one query at ε: c²/4, c = (e^ε+1)/(e^ε-1).
double limit(double epsilon) {
  const double c = (std::exp(epsilon) + 1) / (std::exp(epsilon) - 1);
  return c * c / 4;
}

}  // namespace

// A pair x0 ∧ x1 of k booleans has m1 = 1, m0 = -1/3 and so δ = 4/3 on both coordinates.
//
// tight: g = δ/(2δ²) = 3/8 twice, Σg² = 9/32; scale t = Δ/ε = 2k, variance 2t² = 8k². Ratio 9k²/4/(c²/4): 123, 492.
// paper: v = (1,1), t = r-1 = 1, ⟨v,δ⟩ = 8/3, so Σg² = (2 + 1/k)·9/64; scale 2√(2k(k+1)), variance 16k(k+1). Ratio
// 9(2k+1)(k+1)/4/(c²/4): 294, 1078.
// The discrete law's variance is below 2t² by 1/6 + O(t^-2), here at most 0.03 %.
TEST_CASE("variance of pairs over the one-query limit, both calibrations") {
  struct Case {
    std::size_t k;
    LaplaceCalibration calibration;
    double ratio;
  };
  for (const auto& [k, calibration, ratio] :
       {Case{8, LaplaceCalibration::kTight, 123}, Case{16, LaplaceCalibration::kTight, 492},
        Case{8, LaplaceCalibration::kPaper, 294}, Case{16, LaplaceCalibration::kPaper, 1078}}) {
    const Setting setting(booleans(k), {.calibration = calibration, .shares = {}}, "1");
    const LinearQuery linear = setting.compile("x0 and x1");
    const auto n = static_cast<double>(k);
    const double derived = calibration == LaplaceCalibration::kTight ? 9 * n * n / 4 : 9 * (2 * n + 1) * (n + 1) / 4;
    CHECK(setting.noise(linear) == doctest::Approx(derived).epsilon(0.0005));
    CHECK(setting.noise(linear) / limit(1) == doctest::Approx(ratio).epsilon(0.005));
  }
}

TEST_CASE("the calibration chooses the direction") {
  const Setting tight(booleans(4), {}, "1");
  const Setting paper(booleans(4), {.calibration = LaplaceCalibration::kPaper, .shares = {}}, "1");
  const std::string text = "x0 and (x1 or x2)";
  // Maximum margin: δ is the larger for x0. The paper's list (not x0: no, x1: yes, x2: yes, else: no) has W_1 = 1 for
  // x1 and x2 and W_2 = 1 + 2·1 = 3 for x0.
  const LinearQuery by_margin = tight.compile(text);
  REQUIRE(by_margin.weights.size() == 3);
  CHECK(by_margin.weights.back().coordinate == 2);
  const LinearQuery by_paper = paper.compile(text);
  REQUIRE(by_paper.weights.size() == 4);
  CHECK(by_paper.weights.back().coordinate == 4);  // the homogeneous one
  CHECK(by_paper.weights[0].value == doctest::Approx(3 * by_paper.weights[1].value).epsilon(1e-12));
  // m1: 3 records of x0 with x1 or x2: (1, 1/3, 1/3); m0 of the other 5: (-3/5, -1/5, -1/5).
  CHECK(by_margin.weights[0].value == doctest::Approx(3 * by_margin.weights[1].value).epsilon(1e-12));
  CHECK(paper.channel
            .compile(Query::parse(paper.schema, "x0 + x1 = 1").value(), paper.schema, paper.arrangement,
                     system_bit_source())
            .error()
            .code == ErrorCode::kQueryNotCovered);
}

// An attribute with the smaller share of ε has the noisier coordinates and so the smaller weights.
TEST_CASE("weights follow the attributes' own noise") {
  const Setting setting(booleans(2), {.calibration = LaplaceCalibration::kTight, .shares = {1, 3}}, "1");
  const auto& laplace = std::get<LaplaceChannel>(setting.channel.kind());
  const LinearQuery linear = setting.compile("x0 and x1");
  REQUIRE(linear.weights.size() == 2);
  CHECK(linear.weights[0].value * laplace.noise_variance(0) ==
        doctest::Approx(linear.weights[1].value * laplace.noise_variance(1)).epsilon(1e-12));
  CHECK(laplace.noise_variance(0) > 8 * laplace.noise_variance(1));
}
