// A query compiled for a task: an affine function of the coordinates' means.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hearsay::compiler {

enum class Guarantee : std::uint8_t {
  kWorstCase,    // unbiased for every population
  kAverageCase,  // unbiased for (f,ω,n)-random populations (Aldà and Simon 2014, section 2.3)
};

std::string_view guarantee_name(Guarantee guarantee);  // "worst-case", "average-case"

// One product of functions of one attribute each: factor·Π_parts g(x_attribute). The compiler uses products if reports
// ask questions other than parities of one bit. Each function is g = mean + M·weights, where M is the matrix of the
// attribute's questions (question_law.h).
struct ProductTerm {
  struct Part {
    std::uint32_t attribute;
    double mean;
    std::vector<double> weights;  // h, one for each value
    // hᵀ·M·h, with h = `weights`. The larger the energy, the larger the variance of an estimate of the mean of g.
    double energy;
  };
  double factor = 1;
  std::vector<Part> parts;  // ascending attributes, at least one
};

// The estimate of ω, the fraction of reporters whose record satisfies the query, is offset + Σ weight·m̂[coordinate].
// Here m̂[j] is the unbiased estimate of the mean of coordinate j. If there are terms, the estimate of ω is offset plus
// the sum of the estimates of the terms' means.
struct LinearQuery {
  struct Weight {
    std::uint32_t coordinate;
    double value;
  };

  double offset = 0;
  std::vector<Weight> weights;  // ascending coordinates
  // The products. Empty if there are weights.
  std::vector<ProductTerm> terms;
  Guarantee guarantee = Guarantee::kWorstCase;
  // The margin γ̃(f) of Aldà and Simon 2014, section 2.3, for the weights used. The larger the margin, the fewer
  // reports the query needs. The margin is 0 for constant queries and for queries written as terms, for which the paper
  // defines no margin.
  double margin = 0;
  // class_variance[b] is the variance of h(x) = offset + ⟨a(x), weights⟩, if the record x, with the coordinates a(x),
  // is drawn from the reference distribution within the class f = b. The variances are 0 for worst-case queries, where
  // h(x) is f(x) itself.
  std::array<double, 2> class_variance{0, 0};
  // class_members[b] is the number of sampled records that the mean of h in class b averages over, at least 2. The
  // number is 0 if the mean is exact.
  std::array<std::uint32_t, 2> class_members{0, 0};
  // class_mean_variance[b] is the variance of the sampled mean of h in class b. The variance is 0 if the mean is exact.
  // Otherwise the variance is positive, even if the sampled records look alike (ScoreMoments).
  std::array<double, 2> class_mean_variance{0, 0};
  // Set these two members if the function of records is not a query: `range` to its least and largest value, and
  // `population_variance` to an estimate of the function's variance among the reporters. For a query the defaults are
  // right: a query has the values 0 and 1, and the variance ω(1-ω).
  std::array<double, 2> range{0, 1};
  std::optional<double> population_variance = {};
  // True if the estimate on the channel `strategy` uses scores that are computed for this query alone
  // (worst_people_scores.h). False for sums of queries, which need scores that are linear in the function.
  bool best_for_worst_people = false;
};

// Returns the memory of the query's weights or terms, in bytes.
std::uint64_t bytes_of(const LinearQuery& linear);

}  // namespace hearsay::compiler
