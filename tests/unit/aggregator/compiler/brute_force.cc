#include "tests/unit/aggregator/compiler/brute_force.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace hearsay::tests {

compiler::Work& work() {
  static compiler::Work unbounded({}, {UINT64_MAX, UINT64_MAX});
  return unbounded;
}

Schema schema_of(std::vector<Result<Attribute>> attributes) {
  std::vector<Attribute> list;
  for (auto& attribute : attributes) list.push_back(std::move(attribute).value());
  return Schema::create(std::move(list)).value();
}

Schema booleans(std::size_t count) {
  std::vector<Attribute> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(Attribute::boolean("x" + std::to_string(i)).value());
  return Schema::create(std::move(list)).value();
}

Query parse(const Schema& schema, const std::string& text) {
  auto query = Query::parse(schema, text);
  if (!query) FAIL(text, ": ", query.error().message);
  return *std::move(query);
}

Result<compiler::LinearQuery> linear_of(Result<compiler::CompiledQuery> compiled) {
  if (!compiled) return compiled.error();
  return std::move(compiled->linear);
}

Universe::Universe(const Query& query, const Schema& schema, const Literals& literals) {
  std::vector<std::uint32_t> values(schema.size(), 0);
  sum_.fill(std::vector<std::int64_t>(literals.dimension(), 0));
  std::vector<bool> depends(schema.size(), false);
  for (;;) {
    const auto record = Record::create(schema, values);
    auto& a = embedding_.emplace_back(literals.dimension());
    literals.encode(*record, a);
    f_.push_back(query.evaluate(*record));
    const std::size_t b = f_.back() ? 1 : 0;
    ++members_[b];
    for (std::size_t j = 0; j < a.size(); ++j) sum_[b][j] += a[j];
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto changed = values;
      changed[i] = 0;
      if (query.evaluate(changed) != f_.back()) depends[i] = true;
    }
    std::size_t i = 0;
    while (i < values.size() && ++values[i] == schema[i].size()) values[i++] = 0;
    if (i == values.size()) break;
  }
  relevant_ = static_cast<std::size_t>(std::count(depends.begin(), depends.end(), true));
}

bool Universe::visible(std::size_t j) const {
  return sum_[1][j] * static_cast<std::int64_t>(members_[0]) != sum_[0][j] * static_cast<std::int64_t>(members_[1]);
}

bool Universe::visible() const {
  for (std::size_t j = 0; j < sum_[0].size(); ++j) {
    if (visible(j)) return true;
  }
  return false;
}

double Universe::mean(std::size_t j, bool b) const {
  const std::size_t i = b ? 1 : 0;
  return static_cast<double>(sum_[i][j]) / static_cast<double>(members_[i]);
}

double Universe::value(const compiler::LinearQuery& linear, std::size_t record) const {
  double sum = linear.offset;
  for (const auto& [coordinate, weight] : linear.weights) {
    if (coordinate < embedding_[record].size()) sum += weight * embedding_[record][coordinate];
  }
  return sum;
}

Universe::Moments Universe::moments(const compiler::LinearQuery& linear, bool b) const {
  double mean = 0;
  double squares = 0;
  double seen = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (f_[i] != b) continue;
    const double deviation = value(linear, i) - mean;
    mean += deviation / ++seen;
    squares += deviation * (value(linear, i) - mean);
  }
  return {mean, squares / seen};
}

std::uint64_t Generator::below(std::uint64_t n) { return bits_.bits(32) * n >> 32U; }

Schema Generator::schema() {
  std::vector<Attribute> list;
  const std::size_t size = 1 + below(5);
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::size_t kind = below(3);
    if (kind == 0) {
      list.push_back(Attribute::boolean(name).value());
    } else if (kind == 1) {
      std::vector<std::string> values{"v0", "v1", "v2", "v3"};
      values.resize(2 + below(3));
      list.push_back(Attribute::categorical(name, values).value());
    } else {
      const auto min = static_cast<std::int64_t>(below(7)) - 3;
      list.push_back(Attribute::range(name, min, min + 1 + static_cast<std::int64_t>(below(4))).value());
    }
  }
  return Schema::create(std::move(list)).value();
}

// Returns a condition on the attribute. If `interval`, or on a boolean, the condition is a single literal or an
// interval. Otherwise the condition is a random set of values.
std::string Generator::predicate(const Attribute& attribute, bool interval) {
  const std::string& name = attribute.name();
  if (attribute.kind() == AttributeKind::kBoolean) return below(2) == 0 ? name : "not " + name;
  if (interval && attribute.kind() == AttributeKind::kCategorical) {
    return name + (below(2) == 0 ? " = v" : " != v") + std::to_string(below(attribute.size()));
  }
  if (interval) {
    const std::uint64_t first = below(attribute.size());
    const std::uint64_t last = first + below(attribute.size() - first);
    return name + " in " + attribute.value_text(static_cast<std::uint32_t>(first)) + ".." +
           attribute.value_text(static_cast<std::uint32_t>(last));
  }
  std::string set;
  for (std::uint32_t v = 0; v < attribute.size(); ++v) {
    if (below(2) == 0) set += (set.empty() ? "" : ", ") + attribute.value_text(v);
  }
  return name + " in {" + set + "}";
}

std::string Generator::any_predicate(const Schema& schema) {
  return predicate(schema[below(schema.size())], below(2) == 0);
}

std::string Generator::joined(const Schema& schema, const std::string& word) {
  std::string text = any_predicate(schema);
  for (std::size_t i = 1 + below(4); i > 0; --i) text += word + any_predicate(schema);
  return text;
}

std::string Generator::nested(const Schema& schema, int depth) {
  if (depth == 0) return any_predicate(schema);
  const std::string left = nested(schema, depth - 1);
  const std::string right = nested(schema, depth - 1);
  switch (below(4)) {
    case 0:
      return "(" + left + " and " + right + ")";
    case 1:
      return "(" + left + " or not (" + right + "))";
    case 2:
      return "at_least(2, " + left + ", " + right + ", " + any_predicate(schema) + ")";
    default:
      return "decision_list(" + left + ": no, " + any_predicate(schema) + ": yes, " + right + ": no, else: yes)";
  }
}

std::string Generator::query(const Schema& schema, Kind kind) {
  std::string text;
  switch (kind) {
    case Kind::kPredicate:
      return any_predicate(schema);
    case Kind::kConjunction:
      return joined(schema, " and ");
    case Kind::kDisjunction:
      return joined(schema, " or ");
    case Kind::kBox:
      for (const Attribute& attribute : schema.attributes()) {
        if (below(4) != 0) text += (text.empty() ? "" : " and ") + predicate(attribute, true);
      }
      return text.empty() ? predicate(schema[0], true) : text;
    case Kind::kDecisionList:
      for (std::size_t i = 1 + below(6); i > 0; --i) {
        text += predicate(schema[below(schema.size())], below(4) != 0) + (below(2) == 0 ? ": yes, " : ": no, ");
      }
      return "decision_list(" + text + (below(2) == 0 ? "else: yes)" : "else: no)");
    case Kind::kAtLeast: {
      const std::size_t operands = 1 + below(6);
      for (std::size_t i = 0; i < operands; ++i) text += ", " + any_predicate(schema);
      return "at_least(" + std::to_string(below(operands + 1)) + text + ")";
    }
    case Kind::kLinear:
      for (const Attribute& attribute : schema.attributes()) {
        if (attribute.kind() == AttributeKind::kCategorical || below(5) == 0) continue;
        text += (below(2) == 0 ? " - " : (text.empty() ? "" : " + ")) + std::to_string(1 + below(4)) + "*" +
                attribute.name();
      }
      if (text.empty()) return any_predicate(schema);
      return text + " >= " + std::to_string(static_cast<std::int64_t>(below(13)) - 6);
    case Kind::kNested:
      break;
  }
  return nested(schema, 1 + static_cast<int>(below(3)));
}

}  // namespace hearsay::tests
