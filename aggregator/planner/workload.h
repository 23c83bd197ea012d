// What a task is to answer, before anybody reports.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// All conjunctions of at most `literals` literals of different attributes: a boolean or its negation, a categorical
// value or its negation, a range's [value >= t] or its negation.
struct Conjunctions {
  std::uint32_t literals;  // at least 1
};

// Any function of at most `attributes` attributes.
struct Functions {
  std::uint32_t attributes;  // at least 1
};

// All ranges lo..hi of values of each integer-range attribute, alone.
struct Ranges {};

// All prefixes of values of each integer-range attribute, alone: [value <= t], and so [value >= t], too.
struct Prefixes {};

// All boxes: conjunctions of one range each of 1 to `ranges` different integer-range attributes.
struct Boxes {
  std::uint32_t ranges;  // at least 1
};

// The mean of each integer-range attribute, as a part of its span: of (value - min)/(max - min), which is from 0 to 1
// as the fractions are that queries ask for. An error of 0.01 is one of a hundredth of the span.
struct Means {};

// All of several workloads. The variances of a part count `weight` times: its errors are to be √weight times smaller.
struct Mixture {
  struct Part;
  std::vector<Part> parts;  // at least 1
};

using Workload =
    std::variant<std::vector<Query>, Conjunctions, Functions, Ranges, Prefixes, Boxes, Means, Mixture>;

struct Mixture::Part {
  Workload workload;
  double weight = 1;  // positive
};

// A function of a record that is a product of functions of one attribute each. A box is one, and so is what a mean is
// the mean of.
struct ProductFunction {
  struct Part {
    std::uint32_t attribute;
    std::vector<double> values;  // of the function, one for each value of the attribute
  };
  std::vector<Part> parts;  // ascending attributes
};

// The integer-range attributes, ascending.
std::vector<std::uint32_t> integer_ranges(const Schema& schema);

// The workload itself with weight 1, or the parts of a mixture that are no mixtures themselves.
std::vector<Mixture::Part> parts_of(const Workload& workload);

// The functions that the workload asks the means of, beside queries: those of `Means`, with the weights of their parts.
struct WeightedFunction {
  ProductFunction function;
  double weight;
};
std::vector<WeightedFunction> functions_of(const Workload& workload, const Schema& schema);

// The most attributes that one of its queries mentions: the order of `characters` that is enough for all.
std::uint32_t order_of(const Workload& workload);

// "conjunctions of at most 2 literals", "3 queries".
std::string describe(const Workload& workload);

// The queries that weights are planned for: the list itself; of a class, one for every way to choose attributes that
// differ in kind or size and literals that differ in more than names, thresholds being the extreme and the middle ones.
// For functions these are the exclusive ors of one balanced condition on each attribute, which no query on the same
// attributes exceeds in average variance when their numbers of values are powers of two. Over the worst population
// other queries may need more: see worst_query.h. Of ranges and boxes one of each of a few lengths. None for `Means`.
// Errors: kInvalidArgument (an empty list; 0 literals, attributes or ranges, or more than the schema has; a class of
// ranges for a schema without integer ranges; a weight of a mixture that is not positive and finite), kLimitExceeded
// (more than 4096 queries).
Result<std::vector<Query>> representatives(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
