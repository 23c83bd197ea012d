#include "examples/comparison/ordered_class.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "examples/comparison/boxes.h"
#include "examples/comparison/report.h"
#include "examples/comparison/synthetic.h"

namespace hearsay::examples {
namespace {

Schema ordered(std::size_t attributes, std::uint32_t values) {
  return synthetic_ordered_population(attributes, values, 1, SyntheticKind::kUniform, 1).value().schema;
}

Setting setting_of(const std::string& name, std::uint32_t values, const char* epsilon = "1") {
  return ordered_class(ordered(name == "boxes" ? 2 : 1, values), Epsilon::parse(epsilon).value(), name).value();
}

double best_of(const std::vector<Mechanism>& mechanisms) {
  double best = std::numeric_limits<double>::infinity();
  for (const LimitRatio& ratio : limit_ratios_of(mechanisms)) best = std::fmin(best, ratio.value);
  return best;
}

std::map<std::string, LimitRatio> ratios(const Setting& setting) {
  std::vector<Mechanism> all = own_mechanisms(setting).value();
  for (Mechanism& mechanism : literature_mechanisms(setting)) all.push_back(std::move(mechanism));
  const std::vector<LimitRatio> list = limit_ratios_of(all);
  std::map<std::string, LimitRatio> by_name;
  for (std::size_t i = 0; i < all.size(); ++i) by_name[all[i].name] = list[i];
  return by_name;
}

TEST_CASE("the class has each box once, except the box that holds everybody") {
  for (const std::vector<std::uint32_t>& sizes : {std::vector<std::uint32_t>{2}, {7}, {8}, {3, 4}, {2, 3, 5}}) {
    const Boxes boxes(sizes);
    std::set<std::vector<Boxes::Interval>> all;
    for (std::uint64_t i = 0; i < boxes.count(); ++i) {
      const std::vector<Boxes::Interval> box = boxes[i];
      bool everybody = true;
      for (std::size_t a = 0; a < sizes.size(); ++a) {
        CHECK(box[a].first <= box[a].second);
        CHECK(box[a].second < sizes[a]);
        everybody = everybody && box[a].second - box[a].first + 1 == sizes[a];
      }
      CHECK_FALSE(everybody);
      all.insert(box);
    }
    std::uint64_t count = 1;
    for (const std::uint64_t size : sizes) count *= size * (size + 1) / 2;
    CHECK(all.size() == count - 1);
  }
}

TEST_CASE("ranges take J-1 times the limit with planned parities, and means take the limit with thresholds") {
  const auto ranges = ratios(setting_of("ranges", 8));
  CHECK(ranges.at("planned singles").value == doctest::Approx(7).epsilon(1e-3));
  CHECK(ranges.at("half-circles for ranges").value < 0.75 * ranges.at("planned singles").value);
  CHECK(ranges.at("OUE").value > ranges.at("OUE, sum-to-one").value);
  CHECK(std::isnan(ranges.at("sampled Fourier (2018)").value));

  const auto means = ratios(setting_of("means", 8));
  CHECK(means.at("planned singles").value == doctest::Approx(3).epsilon(1e-3));  // (J+1)/3
  CHECK(means.at("thresholds").value == doctest::Approx(1).epsilon(1e-3));
  CHECK(means.at("one-bit mean").value == doctest::Approx(1).epsilon(1e-3));
  // The worst population has half of the people at either end. There a report z has E[z²] = 4s/(3(s-1)²) + 1 with s =
  // e^{ε/2}. The one-query limit for values from -1 to 1 is c².
  const double s = std::exp(0.5);
  const double c = (std::exp(1.0) + 1) / (std::exp(1.0) - 1);
  CHECK(means.at("piecewise mean").value ==
        doctest::Approx((4 * s / (3 * (s - 1) * (s - 1)) + 1) / (c * c)).epsilon(1e-3));
  // HaarHRR is good at means, because a mean is a sum of thresholds.
  CHECK(means.at("HaarHRR").value < means.at("planned singles").value);
}

TEST_CASE("the reference mechanisms try a list of boxes, and the planner plans for the class of all boxes") {
  const Setting few = setting_of("boxes", 4);
  CHECK(few.queries.size() == 99);  // 10·10 - 1
  CHECK(std::get<planner::Boxes>(few.workload).ranges == 2);
  CHECK(setting_of("boxes", 16).queries.size() == kMaxSimulatedBoxes);
  CHECK(std::holds_alternative<planner::Ranges>(setting_of("ranges", 8).workload));
  const auto boxes = ratios(few);
  CHECK(boxes.at("planned singles").value <= 15.01);  // 4·4 - 1, if all parities are asked equally often
  CHECK(std::isnan(boxes.at("HDG").value));
  // The variance of OUE for m cells is m·(c²-1) + 1. The largest query has all cells but a row, so m = 12.
  const double c = (std::exp(1.0) + 1) / (std::exp(1.0) - 1);
  CHECK(boxes.at("OUE").value == doctest::Approx(4 * (12 * (c * c - 1) + 1) / (c * c)).epsilon(1e-3));
}

// With means, the planned task asks about one random threshold, as the one-bit mean does, so both take equally many
// users.
TEST_CASE("no reference point takes clearly fewer users than the planned task") {
  for (const char* const epsilon : {"1", "2", "4"}) {
    for (const auto& [name, values, most] :
         {std::tuple{"ranges", 64U, 0.999}, {"boxes", 8U, 1.001}, {"means", 64U, 1.02}}) {
      CAPTURE(epsilon);
      CAPTURE(name);
      const Setting setting = setting_of(name, values, epsilon);
      CHECK(best_of(own_mechanisms(setting).value()) <= most * best_of(literature_mechanisms(setting)));
    }
  }
}

TEST_CASE("ranges take at most 0.53 times the users of HaarHRR") {
  // For 1,024 values HaarHRR takes 90.0 times the one-query limit. To compute this number here would take too long.
  CHECK(best_of(own_mechanisms(setting_of("ranges", 1024)).value()) <= 0.53 * 90.0);
  for (const std::uint32_t values : {64U, 256U}) {
    CAPTURE(values);
    const Setting setting = setting_of("ranges", values);
    std::vector<Mechanism> haar = literature_mechanisms(setting);
    std::erase_if(haar, [](const Mechanism& mechanism) { return mechanism.name != "HaarHRR"; });
    REQUIRE(haar.size() == 1);
    CHECK(best_of(own_mechanisms(setting).value()) <= 0.53 * best_of(haar));
  }
}

TEST_CASE("the class refuses other schemas, and the error says which schema is needed") {
  const Epsilon epsilon = Epsilon::parse("1").value();
  const auto two = ordered_class(ordered(2, 8), epsilon, "ranges");
  CHECK(two.error().code == ErrorCode::kInvalidArgument);
  CHECK(two.error().message.find("--synthetic 1") != std::string::npos);
  const Schema colours = Schema::create({Attribute::categorical("colour", {"red", "green"}).value()}).value();
  CHECK(ordered_class(colours, epsilon, "means").error().code == ErrorCode::kInvalidArgument);
  CHECK(ordered_class(colours, epsilon, "points").value().queries.size() == 2);
  CHECK(ordered_class(ordered(1, 5'000), epsilon, "points").error().code == ErrorCode::kDomainTooLarge);
  CHECK(ordered_class(ordered(2, 300), epsilon, "boxes").error().code == ErrorCode::kDomainTooLarge);
}

}  // namespace
}  // namespace hearsay::examples
