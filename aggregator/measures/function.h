// Numeric functions of records: weighted sums of queries and of attributes' numbers, each within a subpopulation.
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

  // Returns the function that is 1 if the query holds, and 0 otherwise.
  static Function of(Query query);
  // Returns the function that is the attribute's number less `origin` if `where` holds, and 0 otherwise. Numbers begin
  // at Attribute::min().
  static Function of_numbers(const Schema& schema, std::uint32_t attribute, double origin, std::optional<Query> where);

  // Adds scale·f.
  void add(double scale, const Function& f);
  // Returns true if the function is a query.
  bool is_query() const;
  // Returns a lower and an upper bound of the function over all records. Sharper bounds may exist.
  std::pair<double, double> range() const;
};

// Returns `q and r`. An absent query holds for everybody.
std::optional<Query> both(const std::optional<Query>& q, const std::optional<Query>& r);

// Returns f·g. Returns nothing if the product needs more than 1,024 pairs of values. Each product of the numbers of two
// different attributes needs all pairs of their values.
std::optional<Function> product(const Function& f, const Function& g);

struct CompiledFunction {
  // One affine form for the whole function, so that its variance includes all covariances.
  compiler::LinearQuery linear;
  // The single queries and their factors, if the form is average-case and a sum of several queries. The guaranteed
  // interval is computed query by query, since its bound applies to the classes of one query.
  std::vector<std::pair<double, compiler::LinearQuery>> parts = {};
};

// Returns Σ scale·form. Adds up the errors of average-case forms, from instances and from sampled class means, as if
// the errors always had the same sign. So the variance is too large rather than too small.
compiler::LinearQuery combination(const std::vector<std::pair<double, const compiler::LinearQuery*>>& parts);

// Compiles a function. An attribute's numbers are compiled as a sum of queries, one for each step from a value to the
// next. If reports ask questions other than parities of one bit, and the task has no cuts, numbers without a
// subpopulation are compiled as one function of the attribute. Errors: those of compiler::compile(); kLimitExceeded
// (numbers that are compiled as a sum, of an attribute of more than 4,096 values). Throws WorkStopped.
Result<CompiledFunction> compile(const Task& task, const Function& function, compiler::Work& work,
                                 compiler::Reference reference);

}  // namespace hearsay::measures
