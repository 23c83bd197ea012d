// Ranges by trees over the values: hierarchical histograms with constrained inference, and the Haar transform.
#pragma once

#include <cstddef>

#include "examples/comparison/reference/linear_mechanism.h"

namespace hearsay::examples {

// Both are of Cormode, Kulkarni and Srivastava, "Answering range queries under local differential privacy" (PVLDB
// 2019). The cells are the leaves of a complete tree, padded by leaves without people; every person reports about one
// level of the tree, drawn uniformly. The whole, which is 1, is known.

// A person reports the node that holds their value, by optimised unary encoding (TreeOUECI). Constrained inference
// (Hay, Rastogi, Miklau and Suciu, "Boosting the accuracy of differentially private histograms through consistency",
// PVLDB 2010) makes every node the sum of its children: by averages weighted from the leaves up, then by spreading what
// is left over from the root down. That is the least-squares fit of all levels, if they have equal variances.
// `fanout` >= 2, `cells` >= 2.
LinearMechanism hierarchical_histogram(std::size_t cells, std::size_t fanout, double epsilon);

// HaarHRR. A person reports on which side of the node that holds their value they are, by Hadamard randomized response.
// In units of the one-query limit a range takes at most 2·h², h the height of the tree: the paper's ½·h² times the
// oracle's variance, in which that of rare values, c²-1, stands for c². `cells` >= 2.
LinearMechanism haar_hrr(std::size_t cells, double epsilon);

}  // namespace hearsay::examples
