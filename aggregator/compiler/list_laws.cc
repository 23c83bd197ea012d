#include "aggregator/compiler/list_laws.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

constexpr std::uint64_t kStepsPerScore = 8;

// A positive number, mantissa·2^exponent. A double would underflow at 2^-4096, the probability of a conjunction of 4096
// booleans.
struct Scaled {
  long double mantissa = 1;
  std::int64_t exponent = 0;

  Scaled times(long double factor) const {
    int shift = 0;
    const long double product = std::frexp(mantissa * factor, &shift);
    return {product, exponent + shift};
  }
};

long double share(const ValueSet& part, const ValueSet& whole) {
  return static_cast<long double>(query::count(part)) / static_cast<long double>(query::count(whole));
}

class LawSum {
 public:
  explicit LawSum(std::uint32_t size) : slope_(size + 1, 0) {}

  void add(const ValueSet& values, long double weight) {
    const long double density = weight / static_cast<long double>(query::count(values));
    for (const auto& [first, last] : values) {
      slope_[first] += density;
      slope_[last + 1] -= density;
    }
  }

  std::vector<double> law() const {
    std::vector<double> result;
    long double density = 0;
    for (std::size_t v = 0; v + 1 < slope_.size(); ++v) {
      density += slope_[v];
      result.push_back(static_cast<double>(std::max(0.0L, density)));
    }
    return result;
  }

 private:
  std::vector<long double> slope_;  // slope_[v]: the law at v minus the law at v-1
};

// Removing an item's values adds at most one interval for each interval of the item. For each item, ListLaws keeps the
// values that the item decides and the values that the item leaves.
Cost cost_of(const PredicateList& list) {
  std::map<std::uint32_t, std::uint64_t> left;
  std::uint64_t intervals = 0;
  for (const auto& item : list.items) {
    std::uint64_t& of_attribute = left[item.predicate.attribute];
    of_attribute += item.predicate.values.size() + 1;
    intervals += 2 * of_attribute;
  }
  return {4 * intervals * kStepsPerInterval, intervals * sizeof(ValueSet::value_type)};
}

}  // namespace

ListLaws::ListLaws(const PredicateList& list, const Schema& schema, Work& work) {
  work.foresee(cost_of(list), "ask fewer conditions on one attribute");
  std::map<std::uint32_t, std::uint32_t> axis_of;
  for (const auto& item : list.items) axis_of.emplace(item.predicate.attribute, 0);
  for (auto& [attribute, axis] : axis_of) {
    axis = static_cast<std::uint32_t>(attributes_.size());
    attributes_.push_back(attribute);
    size_.push_back(schema[attribute].size());
  }
  Region region(schema, work);
  Scaled passed;  // the probability that a record satisfies none of the items so far
  std::vector<long double> mantissa;
  std::vector<std::int64_t> exponent;
  for (const auto& [predicate, label] : list.items) {
    Box box{label, 0, axis_of.at(predicate.attribute), region.satisfying(predicate), {}};
    const ValueSet before = region.values(predicate.attribute);
    region.remove(predicate);
    box.left = region.values(predicate.attribute);
    const Scaled probability = passed.times(share(box.decided, before));
    mantissa.push_back(probability.mantissa);
    exponent.push_back(probability.exponent);
    passed = passed.times(share(box.left, before));
    boxes_.push_back(std::move(box));
  }
  boxes_.push_back({list.otherwise, 0, 0, {}, {}});
  mantissa.push_back(passed.mantissa);
  exponent.push_back(passed.exponent);
  set_weights(mantissa, exponent);
}

void ListLaws::set_weights(const std::vector<long double>& mantissa, const std::vector<std::int64_t>& exponent) {
  for (const bool label : {false, true}) {
    std::int64_t largest = INT64_MIN;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (boxes_[i].label == label) largest = std::max(largest, exponent[i]);
    }
    const auto relative = [&](std::size_t i) {
      constexpr std::int64_t kNegligible = -4000;  // 2^-4000 is too small to change the total
      return std::ldexp(mantissa[i], static_cast<int>(std::max(kNegligible, exponent[i] - largest)));
    };
    long double total = 0;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (boxes_[i].label == label) total += relative(i);
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (boxes_[i].label == label) boxes_[i].weight = static_cast<double>(relative(i) / total);
    }
  }
}

// Between two items on one attribute, all boxes hold the same values of this attribute. So the code sums the weights of
// these boxes first, and then spreads the sum over the values.
ClassLaws ListLaws::laws(Work& work) const {
  using ClassWeights = std::array<long double, 2>;
  std::vector<std::array<LawSum, 2>> sums;
  std::vector<ValueSet> left;
  for (const std::uint32_t size : size_) {
    sums.push_back({LawSum(size), LawSum(size)});
    left.push_back({{0, size - 1}});
  }
  ClassWeights passed{0, 0};  // total weight of the boxes so far, per class
  std::vector<ClassWeights> accounted(size_.size(), ClassWeights{0, 0});
  const auto settle = [&](std::size_t axis) {
    for (std::size_t b = 0; b < 2; ++b) sums[axis][b].add(left[axis], passed[b] - accounted[axis][b]);
  };
  for (std::size_t i = 0; i + 1 < boxes_.size(); ++i) {
    const Box& box = boxes_[i];
    work.spend(kStepsPerInterval * (left[box.axis].size() + box.decided.size()));
    settle(box.axis);
    sums[box.axis][box.label ? 1 : 0].add(box.decided, box.weight);
    passed[box.label ? 1 : 0] += box.weight;
    accounted[box.axis] = passed;
    left[box.axis] = box.left;
  }
  passed[boxes_.back().label ? 1 : 0] += boxes_.back().weight;
  ClassLaws laws;
  for (std::size_t axis = 0; axis < size_.size(); ++axis) {
    settle(axis);
    laws.push_back({attributes_[axis], {sums[axis][0].law(), sums[axis][1].law()}});
  }
  return laws;
}

ScoreMoments ListLaws::moments(std::span<const AttributeScore> scores, Work& work) const {
  std::vector<ScoreAverages> averages;
  std::vector<ScoreAverages::Average> left;  // per axis: mean and variance over the values that are left so far
  long double mean = 0;
  long double variance = 0;
  auto score = scores.begin();
  for (std::size_t axis = 0; axis < size_.size(); ++axis) {
    const bool scored = score != scores.end() && score->attribute == attributes_[axis];
    work.spend(kStepsPerScore * size_[axis]);
    averages.emplace_back(scored ? (score++)->score : std::vector<double>(size_[axis], 0));
    left.push_back(averages.back().over({{0, size_[axis] - 1}}));
    mean += left.back().mean;
    variance += left.back().variance;
  }
  struct Moments {
    long double mean, variance;
  };
  std::vector<Moments> of_box;
  for (std::size_t i = 0; i + 1 < boxes_.size(); ++i) {
    const Box& box = boxes_[i];
    work.spend(kStepsPerInterval * (box.decided.size() + box.left.size()));
    const auto decided = averages[box.axis].over(box.decided);
    mean -= left[box.axis].mean;
    variance -= left[box.axis].variance;
    of_box.push_back({mean + decided.mean, variance + decided.variance});
    left[box.axis] = averages[box.axis].over(box.left);
    mean += left[box.axis].mean;
    variance += left[box.axis].variance;
  }
  of_box.push_back({mean, variance});

  std::array<long double, 2> class_mean{0, 0};
  std::array<long double, 2> class_variance{0, 0};
  for (std::size_t i = 0; i < boxes_.size(); ++i)
    class_mean[boxes_[i].label ? 1 : 0] += boxes_[i].weight * of_box[i].mean;
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const std::size_t b = boxes_[i].label ? 1 : 0;
    const long double deviation = of_box[i].mean - class_mean[b];
    class_variance[b] += boxes_[i].weight * (of_box[i].variance + deviation * deviation);
  }
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    moments.mean[b] = static_cast<double>(class_mean[b]);
    moments.variance[b] = static_cast<double>(std::max(0.0L, class_variance[b]));
  }
  return moments;
}

}  // namespace hearsay::compiler
