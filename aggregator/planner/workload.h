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

// The mean of each integer-range attribute, as a part of its span: the mean of (value - min)/(max - min). So a mean is
// from 0 to 1, like the fractions that queries ask for. An error of 0.01 is a hundredth of the span.
struct Means {};

// All of several workloads. The variances of a part count `weight` times, so its errors become √weight times smaller.
struct Mixture {
  struct Part;
  std::vector<Part> parts;  // at least 1
};

using Workload = std::variant<std::vector<Query>, Conjunctions, Functions, Ranges, Prefixes, Boxes, Means, Mixture>;

struct Mixture::Part {
  Workload workload;
  double weight = 1;  // positive
};

// A function of a record that is a product of functions of one attribute each. A box is one. So is the function that a
// mean averages.
struct ProductFunction {
  struct Part {
    std::uint32_t attribute;
    std::vector<double> values;  // of the function, one for each value of the attribute
  };
  std::vector<Part> parts;  // ascending attributes
};

// Returns the integer-range attributes, ascending.
std::vector<std::uint32_t> integer_ranges(const Schema& schema);

// Returns the workload itself with weight 1. For a mixture, returns the parts that are no mixtures themselves.
std::vector<Mixture::Part> parts_of(const Workload& workload);

// A function that the workload asks the mean of, from `Means`, with the weight of its part.
struct WeightedFunction {
  ProductFunction function;
  double weight;
};
std::vector<WeightedFunction> functions_of(const Workload& workload, const Schema& schema);

// Returns the most attributes that one query of the workload mentions. `characters` of this order can answer all.
std::uint32_t order_of(const Workload& workload);

// Returns text such as "conjunctions of at most 2 literals" or "3 queries".
std::string describe(const Workload& workload);

// Returns the queries that weights are planned for:
// - a list: itself;
// - conjunctions: one for every choice of attributes that differ in kind or size and of literals that differ in more
//   than names, with the extreme and the middle thresholds;
// - functions: the exclusive ors of one balanced condition on each attribute. If the numbers of values are powers of
//   two, no query on the same attributes has a larger average variance. Over the worst population other queries may
//   need more: see worst_query.h;
// - ranges and boxes: one of each of a few lengths; means: none.
// Errors: kInvalidArgument (an empty list; 0 literals, attributes or ranges, or more than the schema has; a class of
// ranges for a schema without integer ranges; a weight of a mixture that is not positive and finite), kLimitExceeded
// (more than 4096 queries).
Result<std::vector<Query>> representatives(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
