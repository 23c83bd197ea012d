// Estimates ranges by trees over the values: hierarchical histograms with constrained inference, and the Haar
// transform.
#pragma once

#include <cstddef>

#include "examples/comparison/reference/linear_mechanism.h"

namespace hearsay::examples {

// Both mechanisms are from Cormode, Kulkarni and Srivastava, "Answering range queries under local differential privacy"
// (PVLDB 2019). The cells are the leaves of a complete tree, padded with leaves without people. Every person reports
// about one level of the tree, drawn uniformly. The root is no level, because the root's fraction is 1.

// A person reports the node that holds the person's value, by optimised unary encoding (TreeOUECI). Then constrained
// inference makes every node's estimate the sum of the children's estimates: by weighted averages from the leaves up,
// then by corrections from the root down (Hay, Rastogi, Miklau and Suciu, "Boosting the accuracy of differentially
// private histograms through consistency", PVLDB 2010). The result is the least-squares fit of all levels if all levels
// have equal variances. `fanout`: children of a node, at least 2. `cells`: at least 2.
LinearMechanism hierarchical_histogram(std::size_t cells, std::size_t fanout, double epsilon);

// HaarHRR: the person reports whether the level's node that holds the person's value is the left or the right child of
// its parent, by Hadamard randomized response. The variance of a range is at most 2·h² times the one-query limit c²/4,
// for a tree of height h and c = (e^ε+1)/(e^ε-1). The paper states this as ½·h² times the oracle's variance, with the
// variance c²-1 of rare values in place of c². `cells`: at least 2.
LinearMechanism haar_hrr(std::size_t cells, double epsilon);

}  // namespace hearsay::examples
