// Computes exact class laws (class_laws.h) of integer thresholds, by dynamic programming over the sum of the weights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/query_form.h"

namespace hearsay::compiler {

// f(x) = [Σ_i weight_i(x_i) >= bound] with independent x_i. All sums of at least `bound` are one state, so there are
// bound + 1 states. The mirrored threshold is about Σ_i (largest weight - weight_i(x_i)). The object uses the threshold
// with the smaller bound. All additions are of positive numbers, so the laws have relative errors near the rounding
// error, however rare a class is.
class ThresholdLaws {
 public:
  static constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 25U;  // additions of one pass
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 26U;  // the memory of the numbers kept

  // Returns nothing if the laws take more than kMaxSteps or kMaxBytes, or if a class is so rare that a long double
  // would hold its probability with fewer digits.
  static std::optional<ThresholdLaws> create(const PredicateThreshold& threshold, Work& work);

  // Returns a predicate if f depends on one attribute only; otherwise the threshold itself.
  QueryForm form(const PredicateThreshold& threshold) const;

  ClassLaws laws(Work& work) const;
  ScoreMoments moments(std::span<const AttributeScore> scores, Work& work) const;
  // Steps of Work that moments() takes, for each state and each Step of an attribute.
  static constexpr std::uint64_t kStepsPerMoments = 4;

 private:
  // One weight of an attribute, and its probability. Values with equal weights are one Step.
  struct Step {
    std::uint64_t weight;
    long double probability;
    bool operator==(const Step&) const = default;
  };
  struct Axis {
    std::uint32_t attribute;
    std::vector<Step> steps;                     // ascending weights, capped at bound_
    std::vector<std::uint32_t> step_of;          // per value
    std::array<std::vector<double>, 2> of_step;  // per class: probability of each step
    bool matters = false;
  };
  using States = std::vector<long double>;

  ThresholdLaws() = default;
  void set_axes(const PredicateThreshold& threshold);
  bool affordable(Work& work) const;
  bool set_laws(Work& work);
  void set_run(std::size_t first, std::size_t last, const States& before, const States& behind, Work& work);
  States convolved(const States& law, const std::vector<Step>& steps, Work& work) const;

  std::uint64_t bound_ = 0;
  bool mirrored_ = false;   // the class of sums below bound_ is f = 1
  std::vector<Axis> axes_;  // axes with equal steps are neighbours
};

}  // namespace hearsay::compiler
