// Estimates ranges by trees over the values: hierarchical histograms with constrained inference, and the Haar
// transform.
#pragma once

#include <cstddef>

#include "examples/comparison/reference/linear_mechanism.h"

namespace hearsay::examples {

// Both mechanisms are from Cormode, Kulkarni and Srivastava, "Answering range queries under local differential privacy"
// (PVLDB 2019). The cells are the leaves of a complete tree, padded with leaves without people. Every person reports
// about one level of the tree, drawn uniformly. Nobody reports about the root, whose fraction is known to be 1.

// A person reports the node that holds their value, by optimised unary encoding (TreeOUECI). Constrained inference
// (Hay, Rastogi, Miklau and Suciu, "Boosting the accuracy of differentially private histograms through consistency",
// PVLDB 2010) makes every node the sum of its children: weighted averages from the leaves up, then corrections from the
// root down. This is the least-squares fit of all levels if all levels have equal variances. `fanout` >= 2, `cells` >=
// 2.
LinearMechanism hierarchical_histogram(std::size_t cells, std::size_t fanout, double epsilon);

// HaarHRR: for the node that holds their value, a person reports on which side the value is, by Hadamard randomized
// response. In units of the one-query limit a range takes at most 2·h², h being the height of the tree. The paper
// states this as ½·h² times the oracle's variance, and uses the variance c²-1 of rare values in place of c². `cells` >=
// 2.
LinearMechanism haar_hrr(std::size_t cells, double epsilon);

}  // namespace hearsay::examples
