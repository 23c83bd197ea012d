// Functions of single attributes, so that all products of one function for each attribute are computed at once.
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

// A list of functions g = mean + M·h for each of some attributes ("axes").
class FunctionFamilies {
 public:
  // Makes the functions [x = v], one for every value v. Errors: kQueryNotCovered. Throws compiler::WorkStopped.
  static Result<FunctionFamilies> indicators(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                             compiler::Work& work);
  // Makes the parities of the value's bits, as +1 and -1. Function number f has the mask f + 1.
  static Result<FunctionFamilies> parities(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                           compiler::Work& work);

  std::span<const std::uint32_t> attributes() const { return attributes_; }
  std::size_t size() const { return axes_.size(); }
  std::size_t count(std::size_t axis) const { return axes_[axis].means.size(); }
  double mean(std::size_t axis, std::size_t function) const { return axes_[axis].means[function]; }
  double energy(std::size_t axis, std::size_t function) const { return axes_[axis].energies[function]; }
  // Returns true if some product has a part on exactly these attributes that is not rounding.
  bool needs(AxisSet axes) const;

  // The results of value_functions() and score_functions() refer to this object.
  // Computes, for a (question, answer), κ of each value; see aggregator/compiler/question_law.h.
  PartFunctions value_functions() const;
  // Returns Σ_y κ·h for all functions, given the sums over κ for each value. Replaces the values of these axes by their
  // functions.
  void weigh(std::span<const std::size_t> axes, std::vector<double>& sums, compiler::Work& work) const;
  // Computes, for a (question, answer), 1, the scores t of all functions, and the squares of the scores.
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
