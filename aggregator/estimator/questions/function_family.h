// Lists of functions of one attribute, for computing all products of one function from each list at once.
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

// For each of several attributes ("axes"): a list of functions g = mean + M·h. M is the matrix of the attribute's
// questions, see aggregator/compiler/question_law.h.
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
  // Returns true if some product has a part on exactly these attributes that is larger than rounding.
  bool needs(AxisSet axes) const;

  // Returns functions that give κ of each value for a question and an answer; see aggregator/compiler/question_law.h.
  // This object must outlive the result.
  PartFunctions value_functions() const;
  // Given sums over reports of κ for each value y, computes the sums of the scores Σ_y κ(y)·h(y) for all functions. On
  // these axes, the index of `sums` then stands for the function, no longer for the value.
  void weigh(std::span<const std::size_t> axes, std::vector<double>& sums, compiler::Work& work) const;
  // Returns functions that give, for a question and an answer, the number 1, the scores t of all functions, and the
  // squares of these scores. This object must outlive the result.
  PartFunctions score_functions() const;

 private:
  struct Axis {
    const Questions* questions;
    std::vector<double> means;
    std::vector<double> energies;
    std::vector<double> weights;  // h of each function at each value; the function changes fastest
  };
  using Family = std::vector<std::vector<double>>;
  FunctionFamilies() = default;
  Result<void> add(const QuestionIndex& index, std::uint32_t attribute, std::size_t count,
                   double (*function)(std::size_t f, std::size_t value), compiler::Work& work);

  std::vector<std::uint32_t> attributes_;
  std::vector<Axis> axes_;
};

}  // namespace hearsay::estimator
