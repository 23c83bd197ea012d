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

// One product of functions, each of one attribute: factor·Π_parts g(x_attribute). The compiler uses products if reports
// ask other questions than parities of one bit. Each function is written g = mean + M·weights, where M is the matrix of
// the attribute's questions (question_law.h).
struct ProductTerm {
  struct Part {
    std::uint32_t attribute;
    double mean;
    std::vector<double> weights;  // h, one for each value
    // h'·M·h. The variance of an estimate of the mean of g grows with it.
    double energy;
  };
  double factor = 1;
  std::vector<Part> parts;  // ascending attributes, at least one
};

// The estimate of ω is offset + Σ weight·m̂[coordinate], where m̂ are the debiased means of the channel's coordinates.
// If there are terms, it is offset + Σ over terms of the estimate of the term's mean.
struct LinearQuery {
  struct Weight {
    std::uint32_t coordinate;
    double value;
  };

  double offset = 0;
  std::vector<Weight> weights;  // ascending coordinates
  // Empty if there are weights.
  std::vector<ProductTerm> terms;
  Guarantee guarantee = Guarantee::kWorstCase;
  // γ̃(f) of the direction used, in the paper's unit vectors. 0 for a constant query, which needs no report, and for
  // terms, which are no direction in the paper's sense.
  double margin = 0;
  // The instance term: the variance of h(x) = offset + ⟨a(x), g⟩ over one record drawn from the class f=0 and f=1 of
  // the reference distribution. 0 for worst-case queries, where h(x) is f(x) itself.
  std::array<double, 2> class_variance{0, 0};
  // How many sampled records the mean of h in each class averages over, at least 2. 0 if the mean is exact.
  std::array<std::uint32_t, 2> class_members{0, 0};
  // The variance of the sampled class means of h. Positive even if the sampled members look alike, see ScoreMoments. 0
  // if the mean is exact.
  std::array<double, 2> class_mean_variance{0, 0};
  // For functions of records that are no queries: the least and the largest value of the function, and an estimate of
  // its variance among the reporters. A query has the values 0 and 1, and its variance is ω(1-ω), so nothing is given
  // for it.
  std::array<double, 2> range{0, 1};
  std::optional<double> population_variance = {};
  // True on the channel `strategy` if the estimate uses the scores that are best for this query's own worst people
  // (worst_people_scores.h). False for sums of queries, which need scores that are linear in the function.
  bool best_for_worst_people = false;
};

// Returns the memory of the query's weights or terms.
std::uint64_t bytes_of(const LinearQuery& linear);

}  // namespace hearsay::compiler
