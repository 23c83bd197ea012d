// Learns the hidden vector of a parity from published rows, by elimination and majority.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/central/parity/parity_release.h"

namespace hearsay::central {

// Suppose each label is wrong independently with probability η = `noise_rate`. Returns the probability that the labels
// of `rows` rows, added up modulo 2, agree with the hidden vector: 1/2 + (1 - 2η)^rows/2. Xiao, Xiong, Yuan 2010, Lemma
// 6.1.
double label_sum_correct(unsigned rows, double noise_rate);

// How many rows to draw: `samples` rows make one vote on one attribute, and the majority of `votes` votes decides.
struct ParityPlan {
  std::uint32_t samples;
  std::uint32_t votes;
  // Returns the number of rows drawn for a whole vector if no draw must be repeated. `attributes` counts the label,
  // too.
  std::uint64_t rows(unsigned attributes) const { return std::uint64_t{attributes - 1} * samples * votes; }
};

// Returns a plan for d attributes, the label included. Suppose each label is wrong independently with probability at
// most `noise_rate` η. Then all d - 1 attributes come out right together with probability at least 1 - delta. By
// Hoeffding's inequality and the union bound, votes = ⌈ln((d-1)/delta)/(2γ²)⌉, made odd, with γ = (1-2η)^(d-1)/2. (A
// vote adds up at most d - 1 labels, so the published exponent d - 2 is too small by one.) samples = d + 9. If the
// attributes are uniform, `samples` rows span all attributes with probability above 1 - 2^-10, so few draws are
// repeated. noise_rate in [0, 1/2), delta in (0, 1), 2 to 20 attributes. Errors: kInvalidArgument; kLimitExceeded above
// 10^7 votes.
Result<ParityPlan> plan_parity(unsigned attributes, double noise_rate, double delta);

struct LearnedParity {
  BitRow vector;
  // For each attribute except the label: the share of votes that select the attribute.
  std::vector<double> ones;
  std::uint64_t rows_drawn;
};

// Learns the hidden vector. To vote on an attribute, the learner draws rows and eliminates every other attribute. To
// eliminate an attribute, the learner XORs one row with the attribute into all other rows with the attribute, and drops
// the one row. Then a random row is taken from the rows that still have the attribute in question. The label of this
// row is the vote. Reads only published rows, so learning costs no privacy. Errors: kInvalidArgument (the plan has
// fewer samples than attributes besides the label, or no votes); kLimitExceeded (more than 2^16 samples or 10^7 votes,
// or 1,000 draws in a row give no vote). Throws EntropyError. Cost: rows_drawn times the number of attributes.
//
// Xiao, Xiong, Yuan 2010, section 6.3. The paper's step 2 works only if step 2 is read as "for all attributes but the
// j-th, XOR the rows that have the attribute". Step 3 must read the label of a sample in which the j-th attribute is
// left.
Result<LearnedParity> learn_parity(const ReleasedRows& rows, const ParityPlan& plan, BitSource& bits);

}  // namespace hearsay::central
