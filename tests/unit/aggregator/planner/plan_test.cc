#include "aggregator/planner/plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/compiler/question_law.h"
#include "aggregator/tails/paper.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "common/report/report.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

Task task_of(std::vector<Attribute> attributes, LaplaceSpec channel, const char* epsilon) {
  return Task::create(TaskSpec{.title = "t",
                               .schema = Schema::create(std::move(attributes)).value(),
                               .arrangement = LiteralsSpec{},
                               .channel = std::move(channel),
                               .epsilon = Epsilon::parse(epsilon).value(),
                               .task_start = 1'700'002'800,
                               .task_duration = 86400,
                               .time_precision = 3600,
                               .min_batch_size = 1})
      .value();
}

Task booleans(int attributes, LaplaceCalibration calibration, const char* epsilon = "1") {
  std::vector<Attribute> list;
  for (int i = 0; i < attributes; ++i) list.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  return task_of(std::move(list), LaplaceSpec{calibration, {}}, epsilon);
}

Result<PlannedQuery> plan_one(const Task& task, const char* text, Target target = {0.05, 0.05}) {
  return plan(task, {Query::parse(task.schema(), text).value()}, target).front();
}

double laplace_variance(double scale) { return 0.5 / std::pow(std::sinh(0.5 / scale), 2); }

// The query is `b0 and b1`. Its class means differ by δ = (4/3, 4/3), and its weights are g = (3/8)(1, 1). `paper` also
// has the weight -(3/8)/√k on the homogeneous coordinate of (24). In class 0 the value has the variance 1/8. Drawing
// the people anew adds (1-ω)/8 + ω(1-ω) to the variance of the noise, at most 81/256 at ω = 7/16.
TEST_CASE("pairs of booleans cost the multiples of the one-query limit that a calculation by hand gives") {
  struct Expected {
    int attributes;
    double tight, paper;
  };
  const double limit = std::pow((std::exp(1.0) + 1) / (std::exp(1.0) - 1), 2) / 4;
  for (const Expected& expected : {Expected{8, 123, 294}, Expected{16, 492, 1078}}) {
    const double k = expected.attributes;
    const PlannedQuery tight = plan_one(booleans(expected.attributes, LaplaceCalibration::kTight), "b0 and b1").value();
    const double noise = 2 * 9 / 64.0 * laplace_variance(2 * k);
    const double by_hand = noise + 0.125;
    CHECK(tight.variance.worst_among_reporters == doctest::Approx(by_hand).epsilon(1e-9));
    CHECK(tight.limit_ratio == doctest::Approx((noise + 81 / 256.0) / limit).epsilon(1e-9));
    CHECK(std::abs(tight.limit_ratio - expected.tight) < 0.5);
    CHECK(tight.margin == doctest::Approx(0.5 * std::sqrt(32 / 9.0 / k)).epsilon(1e-9));
    CHECK(tight.guarantee == compiler::Guarantee::kAverageCase);

    const PlannedQuery paper = plan_one(booleans(expected.attributes, LaplaceCalibration::kPaper), "b0 and b1").value();
    const double printed = 9 / 64.0 * (2 + 1 / k) * laplace_variance(2 * std::sqrt(2 * k * (k + 1))) + 0.125;
    CHECK(paper.variance.worst_among_reporters ==
          doctest::Approx(printed).epsilon(1e-4));  // the scale is rounded up to a multiple of 2^-16
    CHECK(std::abs(paper.limit_ratio - expected.paper) < 0.6);
  }
}

// The query is one boolean. If people are drawn anew, ω(1-ω) = 1/4 is added to the variance of each channel.
TEST_CASE("limit_ratio compares all channels in the same way") {
  const Task laplace = booleans(1, LaplaceCalibration::kTight, "4");
  const double c = (std::exp(4.0) + 1) / (std::exp(4.0) - 1);
  const double ratio = (laplace_variance(0.5) / 4 + 0.25) / (c * c / 4);
  CHECK(ratio == doctest::Approx(1.266).epsilon(1e-3));
  CHECK(plan_one(laplace, "b0").value().limit_ratio == doctest::Approx(ratio).epsilon(1e-9));
  const Task asked = tests::task_over("b", "4", LiteralsSpec{}, SampledSpec{.groups = {}, .group_size = 1});
  CHECK(plan_one(asked, "a0").value().limit_ratio == doctest::Approx(1).epsilon(1e-9));
}

// A range has m of J values. In the worst population the share m/J of the people is in the range. Among the reporters,
// the worst case is that all or none are in the range, and the variance is less by (m/J)² or (1-m/J)², whichever is
// smaller.
TEST_CASE("with half-circles the variance of a range depends on its length") {
  const Task task = tests::task_over("r8", "1", CharactersSpec{1},
                                     SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}},
                                                 .group_size = 0,
                                                 .questions = {CircleQuestions{8, 1, {1, 2, 3, 4}, {6, 3, 2, 1}}}});
  const compiler::QuestionLaw law(std::get<SampledChannel>(task.channel().kind()).questions(0));
  const double c = 1 / std::tanh(0.5);  // 1/γ
  for (std::uint32_t last = 0; last < 7; ++last) {
    std::vector<double> values(8, 0.0);
    std::fill(values.begin(), values.begin() + last + 1, 1.0);
    const double worst = law.solve(values).value().energy * c * c;
    const double mean = (last + 1) / 8.0;
    for (std::uint32_t first = 0; first + last < 8; ++first) {
      const Query range(query::Membership{0, {{first, first + last}}});
      const PlannedQuery planned = plan(task, {range}, {0.05, 0.05}).front().value();
      CHECK(planned.guarantee == compiler::Guarantee::kWorstCase);
      CHECK(planned.variance.exact);
      CHECK(planned.variance.worst == doctest::Approx(worst).epsilon(1e-9));
      CHECK(planned.variance.average == doctest::Approx(worst).epsilon(1e-9));
      CHECK(planned.limit_ratio == doctest::Approx(worst / (c * c / 4)).epsilon(1e-9));
      const double among = worst - std::min(mean * mean, (1 - mean) * (1 - mean));
      CHECK(planned.variance.worst_among_reporters == doctest::Approx(among).epsilon(1e-6));
      CHECK(planned.users_exact ==
            std::ceil(planned.variance.worst_among_reporters * std::pow(1.959963984540054 / 0.05, 2)));
    }
  }
}

// At ε = 8 one answer in 3,000 is wrong. Most runs with 13 users have no wrong answer, so their error is 0.
TEST_CASE("a plan says if its users are too few for the normal approximation") {
  const Task rare = tests::task_over("b", "8", LiteralsSpec{}, SampledSpec{.groups = {}, .group_size = 1});
  const PlannedQuery few = plan_one(rare, "a0", {0.01, 0.05}).value();
  CHECK(few.users_exact < 20);
  CHECK_FALSE(near_normal(few.variance, few.users_exact));
  CHECK(near_normal(few.variance, 100'000));
  const PlannedQuery many = plan_one(booleans(8, LaplaceCalibration::kTight), "b0 and b1", {0.01, 0.05}).value();
  CHECK(near_normal(many.variance, many.users_exact));
  CHECK(remarks_on_users(false, true).empty());
  CHECK(remarks_on_users(true, false).size() == 2);
  CHECK(remarks_on_users(true, true).front().starts_with("at most"));
}

TEST_CASE("the exact number of users is the number by the normal approximation, rounded up") {
  const PlannedQuery line = plan_one(booleans(8, LaplaceCalibration::kTight), "b0 and b1", {0.01, 0.05}).value();
  const double users = std::pow(1.959963984540054, 2) * line.variance.worst_among_reporters / 1e-4;
  CHECK(static_cast<double>(line.users_exact) >= users * (1 - 1e-12));
  CHECK(static_cast<double>(line.users_exact) < users * (1 + 1e-12) + 1);
}

// At ε = 64 nearly all of the variance comes from drawing people, which does not count here.
TEST_CASE("the average population needs at most as many users as the worst") {
  const SampledSpec all{.groups = {{GroupKind::kRaw, 4, 1}}, .group_size = 0};
  const Task task = tests::task_over(tests::booleans(4), "64", CharactersSpec{2}, all);
  const PlannedQuery line = plan_one(task, "a0 and a1", {0.01, 0.05}).value();
  CHECK(line.users_average <= line.users_exact);
  CHECK(line.users_exact < 10);
}

// The scale of the noise is 2√d/ε for `paper` with d = k+1, and t/√d with t = 2d/ε for `tight`. At ε ≪ 4√d the second
// tail adds less than one user to equation (20).
TEST_CASE("the paper's number of users is that of equation (20)") {
  const double logarithm = std::log(2 / 0.05);
  for (const LaplaceCalibration calibration : {LaplaceCalibration::kTight, LaplaceCalibration::kPaper}) {
    const PlannedQuery line = plan_one(booleans(8, calibration), "b0 and not b3").value();
    const double d = calibration == LaplaceCalibration::kPaper ? 9 : 8;
    const double printed = 32 * d / (0.05 * 0.05 * line.margin * line.margin) * logarithm;
    CHECK(static_cast<double>(*line.users_paper) == doctest::Approx(printed).epsilon(1e-5));
    CHECK(*line.users_paper > 10 * line.users_exact);
  }
}

// With shares of ε the scales differ. Then the squared scale in the bound is the average of the squared scales,
// weighted by the squared weights of the query.
TEST_CASE("with shares of epsilon the bound on users contains the weighted scale") {
  std::vector<Attribute> list{Attribute::boolean("a").value(), Attribute::boolean("b").value()};
  const Task task = task_of(list, LaplaceSpec{LaplaceCalibration::kTight, {3, 1}}, "1");
  // The scales are 2·4/3 and 2·4/1. The query `a` has the weight 1/2 on coordinate 0.
  const PlannedQuery a = plan_one(task, "a").value();
  CHECK(a.guarantee == compiler::Guarantee::kWorstCase);
  CHECK(a.variance.worst_among_reporters == doctest::Approx(laplace_variance(8.0 / 3) / 4).epsilon(1e-9));
  CHECK(a.users_paper == tails::theorem7_users({8.0 / 3 / std::sqrt(2.0), a.margin}, 0.05, 0.05).value());
  const PlannedQuery both = plan_one(task, "a and b").value();
  // The weights are in proportion to δ/v, where v is the noise's variance, and both differences δ of class means are
  // equal. So the weight of the noisier coordinate b is v_a/v_b times the weight of a.
  const double ratio = laplace_variance(8.0 / 3) / laplace_variance(8);
  const double square = (std::pow(8.0 / 3, 2) + std::pow(8 * ratio, 2)) / (1 + ratio * ratio) / 2;
  CHECK(
      static_cast<double>(*both.users_paper) ==
      doctest::Approx(static_cast<double>(tails::theorem7_users({std::sqrt(square), both.margin}, 0.05, 0.05).value()))
          .epsilon(1e-6));
}

TEST_CASE("the planned size of a report is the size of an encoded report") {
  const Task task = booleans(16, LaplaceCalibration::kTight);
  std::vector<std::uint8_t> bytes;
  append_report(Report{ReportId{}, 1'700'002'800, std::vector<std::uint8_t>(task.channel().payload_size())}, bytes);
  CHECK(plan_one(task, "b0").value().report_bytes == bytes.size());
  CHECK(bytes.size() > task.channel().payload_size() + 16);
}

TEST_CASE("a constant query needs one user, and the plan says that the query is constant") {
  const PlannedQuery line = plan_one(booleans(2, LaplaceCalibration::kTight), "b0 or not b0").value();
  CHECK(line.users_exact == 1);
  CHECK(line.users_paper == 1);
  CHECK(line.variance.worst == 0);
  CHECK(line.limit_ratio == 0);
}

TEST_CASE("if one query of a list cannot be planned, the other queries still are") {
  const Task task = booleans(3, LaplaceCalibration::kTight);
  std::vector<Query> queries;
  for (const char* text : {"b0", "at_least(1, b0 and not b1, b1 and not b0)", "b1 and b2"}) {
    queries.push_back(Query::parse(task.schema(), text).value());
  }
  const auto lines = plan(task, queries, {0.05, 0.05});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]);
  CHECK(lines[1].error().code == ErrorCode::kQueryNotVisible);  // a parity
  CHECK(lines[2]);
  CHECK(lines[2].value().query == queries[2]);
}

TEST_CASE("more than 2^53 users are a typed error, and targets out of range are refused") {
  const Task task = booleans(3, LaplaceCalibration::kTight, "0.0001");
  CHECK(plan_one(task, "b0", {1e-9, 0.05}).error().code == ErrorCode::kOverflow);
  CHECK(plan_one(task, "b0", {1e-300, 0.05}).error().code == ErrorCode::kOverflow);  // the square of 1e-300 is 0
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Target& bad : {Target{0, 0.5}, Target{1, 0.5}, Target{0.5, 0}, Target{0.5, 1}, Target{nan, 0.5}}) {
    CHECK(plan_one(task, "b0", bad).error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::planner
