#include "common/audit/audit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/cut_tasks.h"
#include "tests/support/laplace_tasks.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay {
namespace {

using tests::laplace_of;
using tests::laplace_task;
using tests::planted;
using tests::ratio;

constexpr std::uint64_t k2To60 = std::uint64_t{1} << 60U;

// Returns log Pr[report|a] - log Pr[report|b] exactly. No intermediate sum may be negative.
Rational log_ratio(const Task& task, const LaplaceChannel& channel, const AuditResult& result) {
  std::vector<std::int8_t> a(task.arrangement().dimension());
  std::vector<std::int8_t> b(task.arrangement().dimension());
  task.arrangement().encode(result.worst_first, a);
  task.arrangement().encode(result.worst_second, b);
  Rational sum;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const std::int64_t y = result.worst_report[j];
    const std::int64_t units = channel.atom(j, b[j], y).power - channel.atom(j, a[j], y).power;
    REQUIRE(units >= 0);
    sum = sum.plus(ratio(static_cast<std::uint64_t>(units), 1).divided_by(channel.scale(j)).value()).value();
  }
  return sum;
}

TEST_CASE("the worst pair and report attain the stated log-ratio") {
  for (const std::string shape : {"b", "b b b", "c3", "r4", "b c3 r3"}) {
    for (const auto calibration : {LaplaceCalibration::kTight, LaplaceCalibration::kPaper}) {
      CAPTURE(shape);
      const Task task = laplace_task(shape, "1.3", {calibration, {}});
      const AuditResult result = audit(task, task.channel()).value();
      const std::uint64_t universe = task.schema().universe_size().value();
      CHECK(result.pairs == universe * (universe - 1));
      CHECK(result.claimed == ratio(13, 10));
      CHECK(result.exact);
      CHECK(result.holds);
      REQUIRE(result.worst_report.size() == laplace_of(task).coordinates());
      CHECK(log_ratio(task, laplace_of(task), result) == result.actual);
      for (std::size_t j = 0; j < result.worst_report.size(); ++j) {
        CHECK(std::abs(result.worst_report[j]) <= laplace_of(task).bound(j));
      }
    }
  }
}

TEST_CASE("the audit of a task with cuts reports cells") {
  const Task task = Task::create(tests::cut_spec()).value();
  const AuditResult result = audit(task, task.channel()).value();
  CHECK(result.holds);
  CHECK(result.pairs == 18 * 17);  // 2·3·3 records
  CHECK(result.worst_first[1] < 3);
}

TEST_CASE("the search finds the one pair that a planted fault betrays") {
  // Coordinate 1 of c4 says "value = v1". With almost no noise on this coordinate, one record of a worst pair has v1
  // and the other does not.
  const Task task = laplace_task("b c4", "1");
  std::vector<Rational> scales = tests::scales_of(task);
  scales[2] = ratio(1, 10);
  const Channel channel = planted(task, scales);
  const AuditResult result = audit(task, channel).value();
  CHECK_FALSE(result.holds);
  // The scale of the other coordinates is Δ/ε = 6. So the log-ratio is 2/6 for the boolean, 2/6 for the indicator of
  // the other value, and 2·10 for the planted coordinate.
  CHECK(result.actual == ratio(2 * 2, 6).plus(ratio(20, 1)).value());
  CHECK((result.worst_first[1] == 1) != (result.worst_second[1] == 1));
  CHECK(log_ratio(task, std::get<LaplaceChannel>(channel.kind()), result) == result.actual);
}

TEST_CASE("large domains are refused") {
  for (const std::string shape : {"b b b b b b b b b b b b b b", "r1025", "r65536", "c1025"}) {
    CAPTURE(shape);
    const Task task = laplace_task(shape, "1");
    const auto result = audit(task, task.channel());
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kDomainTooLarge);
  }
}

TEST_CASE("a channel over another arrangement is refused") {
  const Task task = laplace_task("b b", "1");
  for (const Task& other : {laplace_task("b", "1"), laplace_task("b b", "1", {LaplaceCalibration::kTight, {}}),
                            laplace_task("b", "1", {LaplaceCalibration::kPaper, {}})}) {
    const auto result = audit(task, other.channel());
    // The last channel has 2 coordinates like the first task's, but its arrangement has only 1.
    const bool fits = other.arrangement().dimension() == 2;
    CHECK(static_cast<bool>(result) == fits);
    if (!result) CHECK(result.error().code == ErrorCode::kInvalidArgument);
  }
}

// With ε = 1 over two booleans both scales are 4. No 64-bit fraction holds the sums 2/t₁ + 2/t₂ of the planted scales.
TEST_CASE("the verdict is right even if no 64-bit fraction holds the loss") {
  const Task task = laplace_task("b b", "1");
  const auto verdict = [&](std::uint64_t first, std::uint64_t second) {
    return audit(task, planted(task, {ratio(first, k2To60), ratio(second, k2To60)})).value();
  };
  // The sum is about 1 + 2^-61 here, and 1 - 2^-61 in the next case.
  const AuditResult above = verdict(4 * k2To60 - 1, 4 * k2To60 - 3);
  CHECK_FALSE(above.exact);
  CHECK_FALSE(above.holds);
  CHECK(above.actual > above.claimed);
  CHECK(above.actual <= ratio((std::uint64_t{1} << 32U) + 2, std::uint64_t{1} << 32U));

  const AuditResult below = verdict(4 * k2To60 + 1, 4 * k2To60 + 3);
  CHECK_FALSE(below.exact);
  CHECK(below.holds);
  CHECK(below.actual == below.claimed);

  const AuditResult mixed = verdict(4 * k2To60 + 1, 4 * k2To60 - 1);  // 1/(4+e) + 1/(4-e) > 2/4
  CHECK_FALSE(mixed.holds);
  CHECK(verdict(4 * k2To60, 4 * k2To60).actual == ratio(1, 1));
}

TEST_CASE("for scales without a common denominator the audit returns an overflow") {
  // Odd numbers whose difference is 2 or 4 have no common factor.
  const std::uint64_t base = (std::uint64_t{1} << 63U) - 1;
  const Task task = laplace_task("b b b", "1");
  const auto result =
      audit(task, planted(task, {ratio(base, k2To60), ratio(base - 2, k2To60), ratio(base - 4, k2To60)}));
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kOverflow);

  // The log-ratio is 2^41 + 2/3. An inexact result is a multiple of 2^-32, so it cannot hold this number.
  const Task pair = laplace_task("b b", "1");
  const AuditResult huge = audit(pair, planted(pair, {ratio(1, std::uint64_t{1} << 40U), ratio(3, 1)})).value();
  CHECK(huge.exact);
  CHECK(huge.actual == ratio(2 * 3 * (std::uint64_t{1} << 40U) + 2, 3));
  CHECK_FALSE(huge.holds);
}

TEST_CASE("the audit of `sampled` finds a fault of one class at a group of this class") {
  const tests::SampledCase c{
      "", "b c3 r5", CharactersSpec{2},
      tests::groups_of({{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 3}, {GroupKind::kEven, 3, 2}})};
  const Task task = tests::sampled_task(c, "1");
  const SampledChannel& channel = tests::sampled_of(task);
  for (std::size_t planted = 0; planted < 3; ++planted) {
    std::vector<std::uint64_t> gammas;
    for (const auto& group_class : channel.classes()) gammas.push_back(group_class.gamma);
    gammas[planted] += gammas[planted] / 20;
    const AuditResult result = audit(task, Channel(channel.with_gammas(gammas).value())).value();
    CHECK_FALSE(result.holds);
    CHECK_FALSE(result.exact);
    CHECK(result.actual > result.claimed);
    const auto group = static_cast<std::uint64_t>(result.worst_report.at(0));
    CHECK(&channel.class_of(group) == &channel.classes()[planted]);
    CHECK(channel.true_value(group, result.worst_first) == static_cast<std::uint32_t>(result.worst_report.at(1)));
    CHECK(channel.true_value(group, result.worst_second) != static_cast<std::uint32_t>(result.worst_report.at(1)));
  }
}

TEST_CASE("the audit of `sampled` refuses large domains and channels over other arrangements") {
  const auto singles = tests::groups_of({{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 1}});
  std::string shape = "b";
  for (int i = 1; i < 17; ++i) shape += " b";
  // 2^17 records, 153 groups and 4 draws for each are 8.0e7 cases. With one boolean less there are 3.6e7.
  const Task large = tests::sampled_task({"", shape, CharactersSpec{2}, singles}, "1");
  const auto refused = audit(large, large.channel());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kDomainTooLarge);
  // The number of a group takes 62 bits.
  std::string quarters;
  for (int i = 0; i < 40; ++i) quarters += "c4 ";
  const Task many =
      tests::sampled_task({"", quarters, CharactersSpec{2}, tests::groups_of({{GroupKind::kRaw, 16, 1}})}, "1");
  CHECK(audit(many, many.channel()).error().code == ErrorCode::kDomainTooLarge);

  const Task task = tests::sampled_task({"", "b c3", CharactersSpec{2}, singles}, "1");
  for (const Task& other : {tests::sampled_task({"", "c3 b", CharactersSpec{2}, singles}, "1"),
                            tests::sampled_task({"", "b c3", LiteralsSpec{}, tests::partition(2)}, "1")}) {
    const auto result = audit(task, other.channel());
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay
