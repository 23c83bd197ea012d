// The queries that a task is to answer.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// All conjunctions of at most `literals` literals of different attributes. A literal is one of these conditions or its
// negation: a boolean, a categorical value, [value >= t] of an integer range.
struct Conjunctions {
  std::uint32_t literals;  // at least 1
};

// Any function of at most `attributes` attributes.
struct Functions {
  std::uint32_t attributes;  // at least 1
};

// All ranges lo..hi of values of each integer-range attribute, for one attribute at a time.
struct Ranges {};

// All prefixes [value <= t] of each integer-range attribute, for one attribute at a time, and so all [value >= t], too.
struct Prefixes {};

// All boxes: conjunctions of one range each of 1 to `ranges` different integer-range attributes.
struct Boxes {
  std::uint32_t ranges;  // at least 1
};

// The mean of each integer-range attribute, as a part of its span: the mean of (value - min)/(max - min). So a mean is
// from 0 to 1, like the fractions of other queries. An error of 0.01 is a hundredth of the span.
struct Means {};

// All queries of several workloads. The plan multiplies the variances of a part by the part's weight, so a part of
// larger weight gets smaller errors.
struct Mixture {
  struct Part;
  std::vector<Part> parts;  // at least 1
};

using Workload = std::variant<std::vector<Query>, Conjunctions, Functions, Ranges, Prefixes, Boxes, Means, Mixture>;

struct Mixture::Part {
  Workload workload;
  double weight = 1;  // positive
};

// A function of a record that is a product of functions of one attribute each. Examples are a box, and the function
// that a mean averages.
struct ProductFunction {
  struct Part {
    std::uint32_t attribute;
    std::vector<double> values;  // of the function, one for each value of the attribute
  };
  std::vector<Part> parts;  // ascending attributes
};

// Returns the integer-range attributes, ascending.
std::vector<std::uint32_t> integer_ranges(const Schema& schema);

// Returns the parts of a mixture that are no mixtures themselves. If the workload is no mixture, returns the workload
// with weight 1.
std::vector<Mixture::Part> parts_of(const Workload& workload);

// A function from `Means`: the workload asks for the function's mean. The weight is that of the mixture's part that
// holds `Means`.
struct WeightedFunction {
  ProductFunction function;
  double weight;
};
std::vector<WeightedFunction> functions_of(const Workload& workload, const Schema& schema);

// Returns the largest number of attributes that one query of the workload mentions. `characters` with this number as
// its order can answer all queries.
std::uint32_t order_of(const Workload& workload);

// Returns text for people such as "conjunctions of at most 2 literals" or "3 queries".
std::string describe(const Workload& workload);

// Returns the queries for which GroupPlanner plans weights, and over which averages are taken. For a class, the queries
// are on one choice of attributes for each combination of kinds and sizes.
// - A list: all its queries.
// - Conjunctions: literals that differ in more than names, with the extreme and the middle thresholds.
// - Functions: the exclusive or of one balanced condition on each attribute. If the numbers of values are powers of
//   two, no query on the same attributes has a larger average variance. Over the worst population other queries may
//   need more users: see worst_query.h.
// - Ranges and boxes: ranges of a few lengths. Prefixes: the extreme and the middle prefixes. Means: no queries.
// - A mixture: the queries for all its parts.
// Errors: kInvalidArgument (an empty list; 0 literals, attributes or ranges, or more than the schema has; a class of
// ranges for a schema without integer ranges; a weight of a mixture that is not positive and finite), kLimitExceeded
// (more than 4096 queries).
Result<std::vector<Query>> representatives(const Workload& workload, const Schema& schema);

}  // namespace hearsay::planner
