#include "common/query/comparison.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/base/try.h"
#include "common/query/value_set.h"
#include "common/schema/names.h"

namespace hearsay::query {
namespace {

// The comparison `Σ terms relation bound`. Each attribute occurs at most once, with a coefficient that is not 0.
struct Normalized {
  std::vector<Sum::Term> terms;
  Int128 bound = 0;
};

Normalized normalize(const Sum& left, const Sum& right) {
  Normalized result;
  std::unordered_map<std::uint32_t, std::size_t> place;
  const auto add = [&](const Sum::Term& term, int sign) {
    const auto [slot, inserted] = place.emplace(term.attribute, result.terms.size());
    if (inserted) result.terms.push_back({0, term.attribute});
    result.terms[slot->second].coefficient += sign * term.coefficient;
  };
  for (const Sum::Term& term : left.terms) add(term, 1);
  for (const Sum::Term& term : right.terms) add(term, -1);
  std::erase_if(result.terms, [](const Sum::Term& term) { return term.coefficient == 0; });
  result.bound = right.constant - left.constant;
  return result;
}

bool holds(Int128 left, Relation relation, Int128 right) {
  switch (relation) {
    case Relation::kGreaterEqual:
      return left >= right;
    case Relation::kLessEqual:
      return left <= right;
    case Relation::kGreater:
      return left > right;
    case Relation::kLess:
      return left < right;
    case Relation::kEqual:
      return left == right;
    case Relation::kNotEqual:
      break;
  }
  return left != right;
}

// Returns the relation between −left and −right.
Relation mirrored(Relation relation) {
  switch (relation) {
    case Relation::kGreaterEqual:
      return Relation::kLessEqual;
    case Relation::kLessEqual:
      return Relation::kGreaterEqual;
    case Relation::kGreater:
      return Relation::kLess;
    case Relation::kLess:
      return Relation::kGreater;
    case Relation::kEqual:
    case Relation::kNotEqual:
      break;
  }
  return relation;
}

// Returns the indices of the attribute's integers from `first` to `last`.
ValueSet clipped(const Attribute& attribute, Int128 first, Int128 last) {
  first = std::max<Int128>(first, attribute.min());
  last = std::min<Int128>(last, attribute.max());
  if (first > last) return {};
  return {{static_cast<std::uint32_t>(first - attribute.min()), static_cast<std::uint32_t>(last - attribute.min())}};
}

// Returns the values v for which `coefficient·v relation bound` holds.
ValueSet solutions(const Attribute& attribute, Int128 coefficient, Relation relation, Int128 bound) {
  if (coefficient < 0) return solutions(attribute, -coefficient, mirrored(relation), -bound);
  const Int128 remainder = bound % coefficient;
  const Int128 floor = bound / coefficient - (remainder < 0 ? 1 : 0);
  const Int128 ceiling = bound / coefficient + (remainder > 0 ? 1 : 0);
  switch (relation) {
    case Relation::kGreaterEqual:
      return clipped(attribute, ceiling, attribute.max());
    case Relation::kLessEqual:
      return clipped(attribute, attribute.min(), floor);
    case Relation::kGreater:
      return clipped(attribute, floor + 1, attribute.max());
    case Relation::kLess:
      return clipped(attribute, attribute.min(), ceiling - 1);
    case Relation::kEqual:
      return clipped(attribute, ceiling, floor);  // empty unless the coefficient divides the bound
    case Relation::kNotEqual:
      break;
  }
  return complement(clipped(attribute, ceiling, floor), attribute.size());
}

// Returns the query Σ terms >= bound; with `negate`, the query −Σ terms >= bound.
Result<Query> at_or_above(const Schema& schema, const std::vector<Sum::Term>& terms, bool negate, Int128 bound) {
  constexpr Int128 kMaxCoefficient = Int128{1} << 31U;
  using Bounds = std::numeric_limits<std::int64_t>;
  if (bound < Bounds::min() || bound > Bounds::max()) {
    return Error{ErrorCode::kQueryTooLarge, "the bound of the comparison does not fit 64 bits"};
  }
  Linear linear{{}, static_cast<std::int64_t>(bound)};
  linear.terms.reserve(terms.size());
  for (const auto& [coefficient, attribute] : terms) {
    if (coefficient > kMaxCoefficient || coefficient < -kMaxCoefficient) {
      return Error{ErrorCode::kQueryTooLarge,
                   "the coefficient of " + shown_name(schema[attribute].name()) + " is beyond 2^31"};
    }
    const auto signed_coefficient = static_cast<std::int64_t>(negate ? -coefficient : coefficient);
    linear.terms.push_back({signed_coefficient, attribute, schema[attribute].min()});
  }
  return Query(std::move(linear));
}

}  // namespace

Result<Query> compare(const Schema& schema, const Sum& left, Relation relation, const Sum& right) {
  if (left.terms.empty() && right.terms.empty()) {
    return Error{ErrorCode::kQuerySyntax, "a comparison must name an attribute"};
  }
  const auto [terms, bound] = normalize(left, right);
  if (terms.empty()) {
    const std::uint32_t attribute = (left.terms.empty() ? right : left).terms[0].attribute;
    const ValueSet all{{0, schema[attribute].size() - 1}};
    return Query(Membership{attribute, holds(0, relation, bound) ? all : ValueSet{}});
  }
  if (terms.size() == 1) {
    const auto& [coefficient, attribute] = terms[0];
    return Query(Membership{attribute, solutions(schema[attribute], coefficient, relation, bound)});
  }
  switch (relation) {
    case Relation::kGreaterEqual:
      return at_or_above(schema, terms, false, bound);
    case Relation::kLessEqual:
      return at_or_above(schema, terms, true, -bound);
    case Relation::kGreater:
      return at_or_above(schema, terms, false, bound + 1);
    case Relation::kLess:
      return at_or_above(schema, terms, true, 1 - bound);
    case Relation::kEqual:
    case Relation::kNotEqual:
      break;
  }
  HEARSAY_TRY(Query above, at_or_above(schema, terms, false, bound));
  HEARSAY_TRY(Query below, at_or_above(schema, terms, true, -bound));
  Query equal(And{{std::move(above), std::move(below)}});
  if (relation == Relation::kEqual) return equal;
  return Query(Not{std::make_shared<const Query>(std::move(equal))});
}

}  // namespace hearsay::query
