#include "aggregator/planner/workload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

namespace hearsay::planner {
namespace {

constexpr std::size_t kMaxQueries = 4096;

Query member(std::uint32_t attribute, ValueSet values) {
  return Query(query::Membership{attribute, std::move(values)});
}
Query negation(const Query& operand) { return Query(query::Not{std::make_shared<const Query>(operand)}); }
Query conjunction(std::vector<Query> operands) {
  return operands.size() == 1 ? operands.front() : Query(query::And{std::move(operands)});
}
Query exclusive_or(const Query& a, const Query& b) {
  return Query(query::Or{{conjunction({a, negation(b)}), conjunction({negation(a), b})}});
}

// Returns lists of attributes of one kind and size, each list in the schema's order.
std::vector<std::vector<std::uint32_t>> profiles(const Schema& schema) {
  std::map<std::tuple<AttributeKind, std::uint32_t>, std::vector<std::uint32_t>> found;
  for (std::uint32_t i = 0; i < schema.size(); ++i) found[{schema[i].kind(), schema[i].size()}].push_back(i);
  std::vector<std::vector<std::uint32_t>> list;
  for (auto& [key, attributes] : found) list.push_back(std::move(attributes));
  return list;
}

// Returns the literals of an attribute up to symmetry. For a range, returns the extreme and the middle thresholds.
std::vector<Query> literals(const Schema& schema, std::uint32_t attribute) {
  const std::uint32_t size = schema[attribute].size();
  switch (schema[attribute].kind()) {
    case AttributeKind::kBoolean:
      return {member(attribute, {{1, 1}})};
    case AttributeKind::kCategorical:
      return {member(attribute, {{0, 0}}), member(attribute, {{1, size - 1}})};
    case AttributeKind::kRange:
      break;
  }
  std::vector<Query> list{member(attribute, {{size - 1, size - 1}}), member(attribute, {{size / 2, size - 1}})};
  if (size > 2) list.push_back(member(attribute, {{1, size - 1}}));
  return list;
}

// Returns at most five ranges. Up to four ranges in the middle hold one value, about a quarter of the values, about a
// half, and all values but one. A range at the start holds the first half of the values.
std::vector<Query> ranges(const Schema& schema, std::uint32_t attribute) {
  const std::uint32_t size = schema[attribute].size();
  std::vector<Query> list{member(attribute, {{0, size / 2 - 1}})};
  // For 2 values, the first half is a range of one value already, so the list leaves out this length.
  std::uint32_t before = size == 2 ? 1 : 0;
  for (const std::uint32_t length : {1U, size / 4, size / 2, size - 1}) {
    if (length <= before || length == size) continue;
    before = length;
    const std::uint32_t low = (size - length) / 2;
    list.push_back(member(attribute, {{low, low + length - 1}}));
  }
  return list;
}

std::vector<Query> prefixes(const Schema& schema, std::uint32_t attribute) {
  const std::uint32_t size = schema[attribute].size();
  std::vector<Query> list{member(attribute, {{0, size / 2 - 1}})};
  if (size > 2) list.push_back(member(attribute, {{0, 0}}));
  if (size > 3) list.push_back(member(attribute, {{0, size - 2}}));
  return list;
}

Query balanced(const Schema& schema, std::uint32_t attribute) {
  ValueSet values;
  for (std::uint32_t v = 1; v < schema[attribute].size(); v += 2) values.emplace_back(v, v);
  return member(attribute, std::move(values));
}

// Calls visit(attributes) for every choice of 1 to `most` attributes, but only once for choices that are alike.
template <class Visit>
void for_each_choice(const std::vector<std::vector<std::uint32_t>>& profiles, std::size_t first, std::uint32_t most,
                     std::vector<std::uint32_t>& chosen, Visit&& visit) {
  if (!chosen.empty()) visit(chosen);
  if (chosen.size() == most) return;
  for (std::size_t p = first; p < profiles.size(); ++p) {
    const auto used =
        static_cast<std::size_t>(std::count_if(chosen.begin(), chosen.end(), [&](std::uint32_t attribute) {
          return std::find(profiles[p].begin(), profiles[p].end(), attribute) != profiles[p].end();
        }));
    if (used == profiles[p].size()) continue;
    chosen.push_back(profiles[p][used]);
    for_each_choice(profiles, p, most, chosen, visit);
    chosen.pop_back();
  }
}

// Returns all ways to choose one query from each list.
std::vector<std::vector<Query>> products(const std::vector<std::vector<Query>>& lists) {
  std::vector<std::vector<Query>> result{{}};
  for (const auto& list : lists) {
    std::vector<std::vector<Query>> longer;
    for (const auto& prefix : result) {
      for (const Query& query : list) {
        longer.push_back(prefix);
        longer.back().push_back(query);
      }
    }
    result = std::move(longer);
  }
  return result;
}

Error too_many() {
  return {ErrorCode::kLimitExceeded, "the workload stands for more than " + std::to_string(kMaxQueries) + " queries"};
}

// Returns the lists of profiles() that hold integer-range attributes.
std::vector<std::vector<std::uint32_t>> range_profiles(const Schema& schema) {
  std::vector<std::vector<std::uint32_t>> list = profiles(schema);
  std::erase_if(list, [&](const auto& alike) { return schema[alike.front()].kind() != AttributeKind::kRange; });
  return list;
}

Result<std::uint32_t> checked(std::uint32_t most, const Schema& schema, const char* what) {
  if (most < 1 || most > schema.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string("the number of ") + what + " must be from 1 to the number of attributes"};
  }
  return most;
}

Result<std::uint32_t> checked_ranges(std::uint32_t most, const Schema& schema) {
  const auto of_schema = static_cast<std::uint32_t>(integer_ranges(schema).size());
  if (of_schema == 0) return Error{ErrorCode::kInvalidArgument, "the schema has no integer-range attribute"};
  if (most < 1 || most > of_schema) {
    return Error{
        ErrorCode::kInvalidArgument,
        "the number of ranges must be from 1 to the number of integer-range attributes, " + std::to_string(of_schema)};
  }
  return most;
}

// Returns a function that lists, for a choice of attributes, all conjunctions of one condition on each attribute.
// `conditions` lists the conditions on an attribute.
auto conditions_of(const Schema& schema, std::vector<Query> (*conditions)(const Schema&, std::uint32_t)) {
  return [&schema, conditions](const std::vector<std::uint32_t>& attributes) {
    std::vector<std::vector<Query>> lists;
    for (const std::uint32_t attribute : attributes) lists.push_back(conditions(schema, attribute));
    std::vector<Query> list;
    for (auto& product : products(lists)) list.push_back(conjunction(std::move(product)));
    return list;
  };
}

struct Representatives {
  const Schema& schema;

  Result<std::vector<Query>> operator()(const std::vector<Query>& queries) const {
    if (queries.empty()) return Error{ErrorCode::kInvalidArgument, "there is no query to plan for"};
    if (queries.size() > kMaxQueries) return too_many();
    return queries;
  }

  Result<std::vector<Query>> operator()(const Conjunctions& workload) const {
    return choose(checked(workload.literals, schema, "literals"), profiles(schema), conditions_of(schema, literals));
  }

  Result<std::vector<Query>> operator()(const Functions& workload) const {
    return choose(checked(workload.attributes, schema, "attributes"), profiles(schema),
                  [&](const std::vector<std::uint32_t>& attributes) {
                    Query query = balanced(schema, attributes.front());
                    for (std::size_t i = 1; i < attributes.size(); ++i) {
                      query = exclusive_or(query, balanced(schema, attributes[i]));
                    }
                    return std::vector<Query>{query};
                  });
  }

  Result<std::vector<Query>> operator()(const Ranges& /*workload*/) const { return (*this)(Boxes{1}); }

  Result<std::vector<Query>> operator()(const Prefixes& /*workload*/) const {
    return choose(checked_ranges(1, schema), range_profiles(schema), conditions_of(schema, prefixes));
  }

  Result<std::vector<Query>> operator()(const Boxes& workload) const {
    return choose(checked_ranges(workload.ranges, schema), range_profiles(schema), conditions_of(schema, ranges));
  }

  Result<std::vector<Query>> operator()(const Means& /*workload*/) const {
    const Result<std::uint32_t> one = checked_ranges(1, schema);
    if (!one) return one.error();
    return std::vector<Query>{};
  }

  Result<std::vector<Query>> operator()(const Mixture& workload) const {
    if (workload.parts.empty()) return Error{ErrorCode::kInvalidArgument, "a mixture must have at least one part"};
    std::vector<Query> all;
    for (const Mixture::Part& part : workload.parts) {
      if (!(part.weight > 0) || !std::isfinite(part.weight)) {
        return Error{ErrorCode::kInvalidArgument, "the weights of a mixture must be positive and finite"};
      }
      const Result<std::vector<Query>> list = std::visit(*this, part.workload);
      if (!list) return list.error();
      all.insert(all.end(), list->begin(), list->end());
    }
    if (all.size() > kMaxQueries) return too_many();
    return all;
  }

 private:
  template <class Make>
  Result<std::vector<Query>> choose(const Result<std::uint32_t>& most,
                                    const std::vector<std::vector<std::uint32_t>>& alike, Make&& make) const {
    if (!most) return most.error();
    std::vector<Query> list;
    std::vector<std::uint32_t> chosen;
    for_each_choice(alike, 0, *most, chosen, [&](std::vector<std::uint32_t> attributes) {
      if (list.size() > kMaxQueries) return;
      std::sort(attributes.begin(), attributes.end());
      for (Query& query : make(attributes)) list.push_back(std::move(query));
    });
    if (list.size() > kMaxQueries) return too_many();
    return list;
  }
};

std::string plural(std::size_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

struct Description {
  std::string operator()(const std::vector<Query>& queries) const { return plural(queries.size(), "query", "queries"); }
  std::string operator()(const Conjunctions& workload) const {
    return "conjunctions of at most " + plural(workload.literals, "literal", "literals");
  }
  std::string operator()(const Functions& workload) const {
    return "any function of at most " + plural(workload.attributes, "attribute", "attributes");
  }
  std::string operator()(const Ranges& /*workload*/) const { return "all ranges"; }
  std::string operator()(const Prefixes& /*workload*/) const { return "all prefixes"; }
  std::string operator()(const Boxes& workload) const {
    return "boxes of at most " + plural(workload.ranges, "range", "ranges");
  }
  std::string operator()(const Means& /*workload*/) const { return "means"; }
  std::string operator()(const Mixture& workload) const {
    std::string text;
    for (const Mixture::Part& part : parts_of(workload)) {
      std::array<char, 32> weight{};
      std::snprintf(weight.data(), weight.size(), "%g", part.weight);
      text += (text.empty() ? "" : ", ") + describe(part.workload);
      if (part.weight != 1) text += " (weight " + std::string(weight.data()) + ")";
    }
    return text;
  }
};

}  // namespace

std::vector<std::uint32_t> integer_ranges(const Schema& schema) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < schema.size(); ++i) {
    if (schema[i].kind() == AttributeKind::kRange) list.push_back(i);
  }
  return list;
}

std::vector<Mixture::Part> parts_of(const Workload& workload) {
  const auto* mixture = std::get_if<Mixture>(&workload);
  if (mixture == nullptr) return {{workload, 1}};
  std::vector<Mixture::Part> list;
  for (const Mixture::Part& part : mixture->parts) {
    for (Mixture::Part& inner : parts_of(part.workload)) {
      list.push_back({std::move(inner.workload), part.weight * inner.weight});
    }
  }
  return list;
}

std::vector<WeightedFunction> functions_of(const Workload& workload, const Schema& schema) {
  std::vector<WeightedFunction> list;
  for (const Mixture::Part& part : parts_of(workload)) {
    if (!std::holds_alternative<Means>(part.workload)) continue;
    for (const std::uint32_t attribute : integer_ranges(schema)) {
      std::vector<double> values(schema[attribute].size());
      for (std::size_t v = 0; v < values.size(); ++v) {
        values[v] = static_cast<double>(v) / static_cast<double>(values.size() - 1);
      }
      list.push_back({{{{attribute, std::move(values)}}}, part.weight});
    }
  }
  return list;
}

std::uint32_t order_of(const Workload& workload) {
  std::uint32_t most = 1;
  for (const Mixture::Part& part : parts_of(workload)) {
    if (const auto* conjunctions = std::get_if<Conjunctions>(&part.workload)) {
      most = std::max(most, conjunctions->literals);
    } else if (const auto* functions = std::get_if<Functions>(&part.workload)) {
      most = std::max(most, functions->attributes);
    } else if (const auto* boxes = std::get_if<Boxes>(&part.workload)) {
      most = std::max(most, boxes->ranges);
    } else if (const auto* queries = std::get_if<std::vector<Query>>(&part.workload)) {
      for (const Query& query : *queries) {
        most = std::max(most, static_cast<std::uint32_t>(query.attributes().size()));
      }
    }
  }
  return most;
}

std::string describe(const Workload& workload) { return std::visit(Description{}, workload); }

Result<std::vector<Query>> representatives(const Workload& workload, const Schema& schema) {
  return std::visit(Representatives{schema}, workload);
}

}  // namespace hearsay::planner
