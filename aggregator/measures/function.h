// Real functions of records: weighted sums of queries and of the numbers of attributes, each within a subpopulation.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/model.h"
#include "aggregator/compiler/work.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// f(x) = Σ over the pieces of scale·v(x_attribute)·[x satisfies `where`]. A piece without an attribute has v = 1. A
// piece without `where` holds for everybody.
struct Function {
  struct Piece {
    double scale = 1;
    std::optional<std::uint32_t> attribute;
    std::vector<double> values;  // v, one for each value of the attribute
    std::optional<Query> where;
  };
  std::vector<Piece> pieces;

  // Makes the function that is 1 if the query holds, else 0.
  static Function of(Query query);
  // Makes the attribute's number less `origin`. Numbers begin at min(). If `where` does not hold, the function is 0.
  static Function of_numbers(const Schema& schema, std::uint32_t attribute, double origin, std::optional<Query> where);

  // Adds scale·f.
  void add(double scale, const Function& f);
  // Returns true if the function is a query.
  bool is_query() const;
  // Returns bounds of the function over all records. There may be sharper ones.
  std::pair<double, double> range() const;
};

// Returns `q and r`. An absent query is no condition.
std::optional<Query> both(const std::optional<Query>& q, const std::optional<Query>& r);

// Returns f·g. Returns nothing if numbers of attributes are multiplied that have more than 1,024 pairs of values, over
// all pairs of attributes.
std::optional<Function> product(const Function& f, const Function& g);

struct CompiledFunction {
  // One affine form for the whole function. So its variance holds all covariances.
  compiler::LinearQuery linear;
  // The single queries of an average-case form that is a sum of several queries. Bennett's bound of an instance term
  // knows the classes of one query only.
  std::vector<std::pair<double, compiler::LinearQuery>> parts = {};
};

// Returns Σ scale·form. Adds up instances and sampled class means of average-case forms as if they always had the same
// sign, which makes the variance too large rather than too small.
compiler::LinearQuery combination(const std::vector<std::pair<double, const compiler::LinearQuery*>>& parts);

// Compiles a function. Numbers of an attribute become one query for each step from a value to the next. If a report's
// questions are scored by attribute, they become one function of the attribute. Errors: those of compiler::compile();
// kLimitExceeded (an attribute of more than 4,096 values). Throws WorkStopped.
Result<CompiledFunction> compile(const Task& task, const Function& function, compiler::Work& work,
                                 compiler::Reference reference);

}  // namespace hearsay::measures
