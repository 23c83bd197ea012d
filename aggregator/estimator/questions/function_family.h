// Functions of single attributes whose products are asked for all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/questions/asked_blocks.h"
#include "aggregator/estimator/questions/product_sums.h"
#include "aggregator/estimator/questions/question_index.h"

namespace hearsay::estimator {

// For each of some attributes ("axes"), a list of functions g = mean + M·h.
class FunctionFamilies {
 public:
  // [x = v] for every value v. Errors: kQueryNotCovered. Throws compiler::WorkStopped.
  static Result<FunctionFamilies> indicators(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                             compiler::Work& work);
  // The parities of the value's bits in the mask f + 1, as +1 and -1, for every function f.
  static Result<FunctionFamilies> parities(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                           compiler::Work& work);

  std::span<const std::uint32_t> attributes() const { return attributes_; }
  std::size_t size() const { return axes_.size(); }
  std::size_t count(std::size_t axis) const { return axes_[axis].means.size(); }
  double mean(std::size_t axis, std::size_t function) const { return axes_[axis].means[function]; }
  double energy(std::size_t axis, std::size_t function) const { return axes_[axis].energies[function]; }
  // Whether some product has a part on exactly these attributes, beyond rounding.
  bool needs(AxisSet axes) const;

  // Both refer to this object.
  // Of a (question, answer): κ for each value, see aggregator/compiler/question_law.h.
  PartFunctions value_functions() const;
  // Σ_y κ·h for all functions, from such sums over κ by value: replaces the values of these axes by their functions.
  void weigh(std::span<const std::size_t> axes, std::vector<double>& sums, compiler::Work& work) const;
  // Of a (question, answer): 1, the scores t of all functions, and their squares.
  PartFunctions score_functions() const;

 private:
  struct Axis {
    const Questions* questions;
    std::vector<double> means;
    std::vector<double> energies;
    std::vector<double> weights;  // h by value, function by function
  };
  using Family = std::vector<std::vector<double>>;
  FunctionFamilies() = default;
  Result<void> add(const QuestionIndex& index, std::uint32_t attribute, std::size_t count,
                   double (*function)(std::size_t f, std::size_t value), compiler::Work& work);

  std::vector<std::uint32_t> attributes_;
  std::vector<Axis> axes_;
};

}  // namespace hearsay::estimator
