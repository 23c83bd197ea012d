#include "examples/comparison/query_class.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <random>
#include <string>

#include "common/base/try.h"

namespace hearsay::examples {
namespace {

constexpr std::size_t kMaxCells = 64;  // most combinations of values that one function distinguishes
constexpr int kRandomFunctions = 3;

// A function with the values 0 and 1: bit c is its value in cell c.
using Function = std::uint64_t;

Query membership(std::uint32_t attribute, std::uint32_t first, std::uint32_t last) {
  return Query(query::Membership{attribute, {{first, last}}});
}

Query negation(Query query) { return Query(query::Not{std::make_shared<const Query>(std::move(query))}); }

std::vector<Query> literals_of(const Schema& schema, std::uint32_t attribute) {
  std::vector<Query> positive;
  const std::uint32_t size = schema[attribute].size();
  switch (schema[attribute].kind()) {
    case AttributeKind::kBoolean:
      positive.push_back(membership(attribute, 1, 1));
      break;
    case AttributeKind::kCategorical:
      for (std::uint32_t v = 0; v < size; ++v) positive.push_back(membership(attribute, v, v));
      break;
    case AttributeKind::kRange:
      for (std::uint32_t t = 1; t < size; ++t) positive.push_back(membership(attribute, t, size - 1));
      break;
  }
  std::vector<Query> literals;
  for (Query& query : positive) {
    literals.push_back(query);
    literals.push_back(negation(std::move(query)));
  }
  return literals;
}

Result<void> check_class(const Schema& schema, std::uint32_t least, std::uint32_t most) {
  if (least < 1 || least > most || most > schema.size()) {
    return Error{ErrorCode::kInvalidArgument, "a class must be of 1 to " + std::to_string(schema.size()) +
                                                  " literals or attributes; the schema has no more attributes"};
  }
  return {};
}

Error too_many() {
  return {ErrorCode::kLimitExceeded,
          "the class has more than " + std::to_string(kMaxClassQueries) + " queries; give a list instead"};
}

// Appends to `out` the conjunction of `chosen`, and the extensions of this conjunction by literals of attributes from
// `next` on. Appends only conjunctions of `least` to `most` literals.
Result<void> extend(const std::vector<std::vector<Query>>& literals, std::size_t next, std::uint32_t least,
                    std::uint32_t most, std::vector<Query>& chosen, std::vector<Query>& out) {
  if (chosen.size() >= least) {
    if (out.size() == kMaxClassQueries) return too_many();
    out.push_back(chosen.size() == 1 ? chosen.front() : Query(query::And{chosen}));
  }
  if (chosen.size() == most) return {};
  for (std::size_t i = next; i < literals.size(); ++i) {
    for (const Query& literal : literals[i]) {
      chosen.push_back(literal);
      HEARSAY_CHECK_OK(extend(literals, i + 1, least, most, chosen, out));
      chosen.pop_back();
    }
  }
  return {};
}

// The functions of one set of attributes. A cell is a combination of values; in the numbering of the cells, the first
// attribute's value runs fastest.
class SubsetFunctions {
 public:
  SubsetFunctions(const Schema& schema, std::vector<std::uint32_t> attributes) : attributes_(std::move(attributes)) {
    for (const std::uint32_t attribute : attributes_) {
      sizes_.push_back(schema[attribute].size());
      cells_ = std::min<std::size_t>(cells_ * schema[attribute].size(), kMaxCells + 1);
    }
  }

  Result<void> append(std::mt19937_64& random, std::vector<Query>& out) const {
    if (cells_ > kMaxCells) {
      return Error{ErrorCode::kLimitExceeded, "functions of more than " + std::to_string(kMaxCells) +
                                                  " combinations of values; give a list instead"};
    }
    std::vector<Function> chosen;
    if (cells_ <= 4) {
      for (Function f = 2; f < Function{1} << cells_; f += 2)
        chosen.push_back(f);  // only functions that are 0 in cell 0
    } else {
      chosen.push_back(parity());
      const Function all = ~Function{0} >> (kMaxCells - cells_);
      for (int i = 0; i < kRandomFunctions; ++i) chosen.push_back(random() & all);
    }
    for (const Function f : chosen) {
      if (!depends_on_all(f)) continue;
      if (out.size() == kMaxClassQueries) return too_many();
      out.push_back(query(f));
    }
    return {};
  }

 private:
  std::vector<std::uint32_t> values(std::size_t cell) const {
    std::vector<std::uint32_t> result;
    for (const std::uint32_t size : sizes_) {
      result.push_back(static_cast<std::uint32_t>(cell % size));
      cell /= size;
    }
    return result;
  }

  Function parity() const {
    Function f = 0;
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      std::uint32_t sum = 0;
      for (const std::uint32_t value : values(cell)) sum += value;
      f |= Function{sum % 2} << cell;
    }
    return f;
  }

  bool depends_on_all(Function f) const {
    std::size_t step = 1;
    for (const std::uint32_t size : sizes_) {
      bool depends = false;
      for (std::size_t cell = 0; cell < cells_; ++cell) {
        if (cell / step % size != 0) depends = depends || ((f >> cell ^ f >> (cell - step)) & 1U) != 0;
      }
      if (!depends) return false;
      step *= size;
    }
    return true;
  }

  Query query(Function f) const {
    std::vector<Query> cells;
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      if ((f >> cell & 1U) == 0) continue;
      const std::vector<std::uint32_t> at = values(cell);
      std::vector<Query> operands;
      for (std::size_t i = 0; i < at.size(); ++i) operands.push_back(membership(attributes_[i], at[i], at[i]));
      cells.push_back(operands.size() == 1 ? operands.front() : Query(query::And{std::move(operands)}));
    }
    return cells.size() == 1 ? cells.front() : Query(query::Or{std::move(cells)});
  }

  std::vector<std::uint32_t> attributes_;
  std::vector<std::uint32_t> sizes_;
  std::size_t cells_ = 1;
};

Result<void> choose_attributes(const Schema& schema, std::uint32_t next, std::uint32_t most,
                               std::vector<std::uint32_t>& chosen, std::mt19937_64& random, std::vector<Query>& out) {
  if (!chosen.empty()) HEARSAY_CHECK_OK(SubsetFunctions(schema, chosen).append(random, out));
  if (chosen.size() == most) return {};
  for (std::uint32_t i = next; i < schema.size(); ++i) {
    chosen.push_back(i);
    HEARSAY_CHECK_OK(choose_attributes(schema, i + 1, most, chosen, random, out));
    chosen.pop_back();
  }
  return {};
}

}  // namespace

Result<std::vector<Query>> conjunctions(const Schema& schema, std::uint32_t least, std::uint32_t most) {
  HEARSAY_CHECK_OK(check_class(schema, least, most));
  std::vector<std::vector<Query>> literals;
  for (std::uint32_t i = 0; i < schema.size(); ++i) literals.push_back(literals_of(schema, i));
  std::vector<Query> chosen;
  std::vector<Query> out;
  HEARSAY_CHECK_OK(extend(literals, 0, least, most, chosen, out));
  return out;
}

Result<std::vector<Query>> functions(const Schema& schema, std::uint32_t most, std::uint64_t seed) {
  HEARSAY_CHECK_OK(check_class(schema, 1, most));
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> chosen;
  std::vector<Query> out;
  HEARSAY_CHECK_OK(choose_attributes(schema, 0, most, chosen, random, out));
  return out;
}

}  // namespace hearsay::examples
