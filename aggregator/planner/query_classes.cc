#include "aggregator/planner/query_classes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "common/arrangement/character_index.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMaxParts = 4096;
constexpr std::size_t kMaxListed = std::size_t{1} << 13U;
constexpr std::size_t kMaxWork = std::size_t{1} << 22U;
constexpr std::size_t kMaxFunctionCells = 16;

// A map of an attribute's values onto themselves.
using Permutation = std::vector<std::uint32_t>;

Query membership(std::uint32_t attribute, ValueSet values) {
  return Query(query::Membership{attribute, std::move(values)});
}

// Returns maps of bit patterns that map values to values. A map replaces bit i of v by v_i ⊕ (parity of v & others) ⊕
// constant. If all patterns of at most kMostBits bits are values, the maps generate all invertible affine maps.
std::vector<Permutation> bit_permutations(const Attribute& attribute) {
  constexpr std::uint32_t kMostBits = 4;
  const std::uint32_t bits = bits_of(attribute);
  std::vector<Permutation> list;
  for (std::uint32_t i = 0; i < bits; ++i) {
    for (std::uint32_t others = 0; others < (bits <= kMostBits ? 1U << bits : 1U); ++others) {
      if ((others >> i & 1U) != 0) continue;
      for (std::uint32_t constant = 0; constant < 2; ++constant) {
        Permutation map;
        for (std::uint32_t v = 0; v < attribute.size(); ++v) {
          const auto flip = (static_cast<std::uint32_t>(__builtin_popcount(v & others)) + constant) % 2;
          map.push_back(v ^ flip << i);
        }
        const bool moves = others != 0 || constant != 0;
        if (moves && *std::max_element(map.begin(), map.end()) < attribute.size()) list.push_back(std::move(map));
      }
    }
  }
  return list;
}

// Returns the smallest number of each orbit of 0, …, count-1 under the maps.
std::vector<std::uint32_t> orbits(std::size_t count,
                                  const std::vector<std::function<std::uint32_t(std::uint32_t)>>& maps) {
  std::vector<bool> seen(count, false);
  std::vector<std::uint32_t> smallest;
  std::vector<std::uint32_t> open;
  for (std::uint32_t start = 0; start < count; ++start) {
    if (seen[start]) continue;
    smallest.push_back(start);
    seen[start] = true;
    open.push_back(start);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const auto& map : maps) {
        const std::uint32_t next = map(at);
        if (!seen[next]) open.push_back(next);
        seen[next] = true;
      }
    }
  }
  return smallest;
}

// Returns one of each set of the attribute's literals that are alike.
std::vector<ValueSet> literals_of(const Attribute& attribute, Symmetry symmetry) {
  const std::uint32_t size = attribute.size();
  std::vector<ValueSet> list;
  if (attribute.kind() == AttributeKind::kBoolean) {
    list.push_back({{1, 1}});
    if (symmetry == Symmetry::kNone) list.push_back({{0, 0}});
    return list;
  }
  if (attribute.kind() == AttributeKind::kRange) {
    // If every bit pattern stands for a value, reading a range backwards flips all bits. Flipping all bits is an
    // invertible affine map.
    const bool backwards = symmetry == Symmetry::kLiterals ||
                           (symmetry == Symmetry::kBitPatterns && size == std::uint32_t{1} << bits_of(attribute));
    for (std::uint32_t t = 1; t < size; ++t) {
      list.push_back({{t, size - 1}});
      if (!backwards) list.push_back({{0, t - 1}});
    }
    return list;
  }
  std::vector<std::function<std::uint32_t(std::uint32_t)>> maps;
  if (symmetry == Symmetry::kLiterals) maps.emplace_back([size](std::uint32_t v) { return (v + 1) % size; });
  if (symmetry == Symmetry::kBitPatterns) {
    for (Permutation& map : bit_permutations(attribute)) {
      maps.emplace_back([map = std::move(map)](std::uint32_t v) { return map[v]; });
    }
  }
  for (const std::uint32_t v : orbits(size, maps)) {
    list.push_back({{v, v}});
    ValueSet others;
    if (v > 0) others.emplace_back(0, v - 1);
    if (v + 1 < size) others.emplace_back(v + 1, size - 1);
    list.push_back(std::move(others));
  }
  return list;
}

bool alike(const Attribute& a, const Attribute& b, Symmetry symmetry) {
  return symmetry != Symmetry::kNone && a.kind() == b.kind() && a.size() == b.size();
}

// Returns every product of one literal for each attribute. For attributes that are alike, returns only products in
// which the literals' places in their list ascend.
std::vector<Query> conjunctions_of(const Schema& schema, const std::vector<std::uint32_t>& attributes,
                                   Symmetry symmetry) {
  std::vector<std::vector<ValueSet>> lists;
  for (const std::uint32_t attribute : attributes) lists.push_back(literals_of(schema[attribute], symmetry));
  std::vector<Query> queries;
  std::vector<std::size_t> at(lists.size(), 0);
  for (;;) {
    bool ascending = true;
    std::vector<Query> operands;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      operands.push_back(membership(attributes[i], lists[i][at[i]]));
      for (std::size_t j = 0; j < i; ++j) {
        ascending = ascending && (at[j] <= at[i] || !alike(schema[attributes[j]], schema[attributes[i]], symmetry));
      }
    }
    if (ascending) queries.push_back(operands.size() == 1 ? operands.front() : Query(query::And{std::move(operands)}));
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == lists[i].size()) at[i++] = 0;
    if (i == at.size()) return queries;
  }
}

std::size_t count_products(const Schema& schema, const std::vector<std::uint32_t>& attributes, Symmetry symmetry) {
  std::size_t count = 1;
  for (const std::uint32_t i : attributes) {
    // For a large attribute, takes kMaxListed for the number of literals without listing them.
    const std::size_t some = schema[i].size() > kMaxListed ? kMaxListed : literals_of(schema[i], symmetry).size();
    count = std::min(count * some, 4 * kMaxListed);
  }
  return count;
}

// Lists functions of some attributes as sets of cells. A cell is a combination of values, numbered so that the first
// attribute's value changes fastest.
class CellFunctions {
 public:
  CellFunctions(const Schema& schema, std::vector<std::uint32_t> attributes, Symmetry symmetry)
      : schema_(schema), attributes_(std::move(attributes)), symmetry_(symmetry) {
    for (const std::uint32_t attribute : attributes_) {
      strides_.push_back(cells_);
      cells_ = std::min(cells_ * schema[attribute].size(), kMaxFunctionCells + 1);
    }
  }

  bool too_many() const { return cells_ > kMaxFunctionCells; }

  std::vector<Query> queries() const {
    std::vector<std::function<std::uint32_t(std::uint32_t)>> maps;
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << cells_) - 1);
    maps.emplace_back([all](std::uint32_t f) { return f ^ all; });
    for (Permutation& cell_map : cell_maps()) {
      maps.emplace_back([cell_map = std::move(cell_map)](std::uint32_t f) {
        std::uint32_t moved = 0;
        for (std::size_t cell = 0; cell < cell_map.size(); ++cell) moved |= (f >> cell & 1U) << cell_map[cell];
        return moved;
      });
    }
    std::vector<Query> list;
    for (const std::uint32_t f : orbits(std::size_t{1} << cells_, maps)) {
      if (f != 0) list.push_back(query(f));
    }
    return list;
  }

 private:
  std::uint32_t value(std::size_t cell, std::size_t i) const {
    return static_cast<std::uint32_t>(cell / strides_[i] % schema_[attributes_[i]].size());
  }

  std::vector<Permutation> cell_maps() const {
    std::vector<Permutation> maps;
    if (symmetry_ == Symmetry::kNone) return maps;
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      for (const Permutation& of_values : bit_permutations(schema_[attributes_[i]])) {
        Permutation& map = maps.emplace_back();
        for (std::size_t cell = 0; cell < cells_; ++cell) {
          const std::uint32_t v = value(cell, i);
          map.push_back(static_cast<std::uint32_t>(cell + of_values[v] * strides_[i] - v * strides_[i]));
        }
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (!alike(schema_[attributes_[i]], schema_[attributes_[j]], symmetry_)) continue;
        Permutation& map = maps.emplace_back();
        for (std::size_t cell = 0; cell < cells_; ++cell) {
          const std::size_t a = value(cell, i);
          const std::size_t b = value(cell, j);
          map.push_back(static_cast<std::uint32_t>(cell + (b * strides_[i] + a * strides_[j]) -
                                                   (a * strides_[i] + b * strides_[j])));
        }
      }
    }
    return maps;
  }

  // Returns the disjunction of the function's cells.
  Query query(std::uint32_t f) const {
    std::vector<Query> cells;
    ValueSet of_one;
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      if ((f >> cell & 1U) == 0) continue;
      of_one.emplace_back(value(cell, 0), value(cell, 0));
      std::vector<Query> operands;
      for (std::size_t i = 0; i < attributes_.size(); ++i) {
        operands.push_back(membership(attributes_[i], {{value(cell, i), value(cell, i)}}));
      }
      cells.push_back(Query(query::And{std::move(operands)}));
    }
    if (attributes_.size() == 1) return membership(attributes_.front(), std::move(of_one));
    return cells.size() == 1 ? cells.front() : Query(query::Or{std::move(cells)});
  }

  const Schema& schema_;
  std::vector<std::uint32_t> attributes_;
  Symmetry symmetry_;
  std::vector<std::size_t> strides_;
  std::size_t cells_ = 1;
};

// Returns functions of one attribute for literals with the same noise. For a range, the function that changes with
// every value has the largest possible weights. For a categorical attribute, functions differ only in how many values
// satisfy the function.
std::vector<Query> literal_functions(const Schema& schema, std::uint32_t attribute) {
  std::vector<Query> list;
  const std::uint32_t size = schema[attribute].size();
  if (schema[attribute].kind() != AttributeKind::kRange) {
    for (std::uint32_t most = 0; most < std::max(size / 2, 1U); ++most)
      list.push_back(membership(attribute, {{0, most}}));
    return list;
  }
  ValueSet alternating;
  for (std::uint32_t v = 1; v < size; v += 2) alternating.emplace_back(v, v);
  return {membership(attribute, std::move(alternating))};
}

// Returns all choices of `least` to `most` attributes. A choice takes the first of several attributes that are alike.
// Returns nothing if there are too many choices.
std::optional<std::vector<ClassPart>> choices(const Schema& schema, std::uint32_t least, std::uint32_t most,
                                              Symmetry symmetry) {
  std::vector<ClassPart> parts;
  std::vector<std::uint32_t> chosen;
  std::size_t visited = 0;
  const std::function<bool(std::uint32_t)> extend = [&](std::uint32_t next) {
    if (chosen.size() >= least) parts.push_back({chosen, std::nullopt});
    if (parts.size() > kMaxParts || ++visited > 4 * kMaxParts) return false;
    if (chosen.size() == most) return true;
    for (std::uint32_t i = next; i < schema.size(); ++i) {
      bool first = true;  // true if all earlier attributes like this one are chosen, too
      for (std::uint32_t j = 0; j < i; ++j) {
        first =
            first && (!alike(schema[i], schema[j], symmetry) || std::binary_search(chosen.begin(), chosen.end(), j));
      }
      if (!first) continue;
      chosen.push_back(i);
      const bool few = extend(i + 1);
      chosen.pop_back();
      if (!few) return false;
    }
    return true;
  };
  if (!extend(0)) return std::nullopt;
  return parts;
}

std::size_t bit_patterns(const Schema& schema, const std::vector<std::uint32_t>& attributes, Symmetry symmetry) {
  if (symmetry == Symmetry::kLiterals) return 1;
  std::size_t patterns = 1;
  for (const std::uint32_t i : attributes) patterns = std::min(patterns << bits_of(schema[i]), kMaxWork + 1);
  return patterns;
}

// Limits how many queries all parts together list, and how many bit patterns these queries have.
class Budget {
 public:
  bool take(std::size_t queries, std::size_t patterns) {
    if (queries > listed_ || queries * patterns > work_) return false;
    listed_ -= queries;
    work_ -= queries * patterns;
    return true;
  }

 private:
  std::size_t listed_ = kMaxListed;
  std::size_t work_ = kMaxWork;
};

}  // namespace

std::optional<std::vector<ClassPart>> class_parts(const Conjunctions& workload, const Schema& schema,
                                                  Symmetry symmetry) {
  auto parts = choices(schema, 1, workload.literals, symmetry);
  // Without lists of queries, attributes of one kind and size are alike, even for kNone.
  if (!parts && symmetry == Symmetry::kNone) return choices(schema, 1, workload.literals, Symmetry::kLiterals);
  if (!parts) return std::nullopt;
  Budget budget;
  for (ClassPart& part : *parts) {
    if (count_products(schema, part.attributes, symmetry) > 2 * kMaxListed) continue;
    std::vector<Query> queries = conjunctions_of(schema, part.attributes, symmetry);
    if (budget.take(queries.size(), bit_patterns(schema, part.attributes, symmetry))) part.queries = std::move(queries);
  }
  return parts;
}

std::optional<std::vector<ClassPart>> class_parts(const Functions& workload, const Schema& schema, Symmetry symmetry) {
  // A function of fewer attributes is also a function of more attributes.
  auto parts = choices(schema, workload.attributes, workload.attributes, symmetry);
  if (!parts) return std::nullopt;
  Budget budget;
  for (ClassPart& part : *parts) {
    std::vector<Query> queries;
    if (symmetry == Symmetry::kLiterals && part.attributes.size() == 1) {
      queries = literal_functions(schema, part.attributes.front());
    } else {
      const CellFunctions functions(schema, part.attributes, symmetry);
      if (functions.too_many()) continue;
      queries = functions.queries();
    }
    if (budget.take(queries.size(), bit_patterns(schema, part.attributes, symmetry))) part.queries = std::move(queries);
  }
  return parts;
}

}  // namespace hearsay::planner
