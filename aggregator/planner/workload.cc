#include "aggregator/planner/workload.h"

#include <algorithm>
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

// Attributes that look alike to every arrangement and channel, in the schema's order.
std::vector<std::vector<std::uint32_t>> profiles(const Schema& schema) {
  std::map<std::tuple<AttributeKind, std::uint32_t>, std::vector<std::uint32_t>> found;
  for (std::uint32_t i = 0; i < schema.size(); ++i) found[{schema[i].kind(), schema[i].size()}].push_back(i);
  std::vector<std::vector<std::uint32_t>> list;
  for (auto& [key, attributes] : found) list.push_back(std::move(attributes));
  return list;
}

// The literals of an attribute up to symmetry. Of a range the extreme and the middle thresholds.
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

// Every second value.
Query balanced(const Schema& schema, std::uint32_t attribute) {
  ValueSet values;
  for (std::uint32_t v = 1; v < schema[attribute].size(); v += 2) values.emplace_back(v, v);
  return member(attribute, std::move(values));
}

// Calls visit(attributes) for every choice of 1 to `most` attributes up to profile.
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

// All products of one literal from each list.
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

Result<std::uint32_t> checked(std::uint32_t most, const Schema& schema, const char* what) {
  if (most < 1 || most > schema.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string("the number of ") + what + " must be from 1 to the number of attributes"};
  }
  return most;
}

struct Representatives {
  const Schema& schema;

  Result<std::vector<Query>> operator()(const std::vector<Query>& queries) const {
    if (queries.empty()) return Error{ErrorCode::kInvalidArgument, "there is no query to plan for"};
    if (queries.size() > kMaxQueries) return too_many();
    return queries;
  }

  Result<std::vector<Query>> operator()(const Conjunctions& workload) const {
    return choose(checked(workload.literals, schema, "literals"), [&](const std::vector<std::uint32_t>& attributes) {
      std::vector<std::vector<Query>> lists;
      for (const std::uint32_t attribute : attributes) lists.push_back(literals(schema, attribute));
      std::vector<Query> list;
      for (auto& product : products(lists)) list.push_back(conjunction(std::move(product)));
      return list;
    });
  }

  Result<std::vector<Query>> operator()(const Functions& workload) const {
    return choose(checked(workload.attributes, schema, "attributes"),
                  [&](const std::vector<std::uint32_t>& attributes) {
                    Query query = balanced(schema, attributes.front());
                    for (std::size_t i = 1; i < attributes.size(); ++i) {
                      query = exclusive_or(query, balanced(schema, attributes[i]));
                    }
                    return std::vector<Query>{query};
                  });
  }

 private:
  template <class Make>
  Result<std::vector<Query>> choose(const Result<std::uint32_t>& most, Make&& make) const {
    if (!most) return most.error();
    std::vector<Query> list;
    std::vector<std::uint32_t> chosen;
    for_each_choice(profiles(schema), 0, *most, chosen, [&](std::vector<std::uint32_t> attributes) {
      if (list.size() > kMaxQueries) return;
      std::sort(attributes.begin(), attributes.end());
      for (Query& query : make(attributes)) list.push_back(std::move(query));
    });
    if (list.size() > kMaxQueries) return too_many();
    return list;
  }
};

}  // namespace

std::uint32_t order_of(const Workload& workload) {
  if (const auto* conjunctions = std::get_if<Conjunctions>(&workload)) return conjunctions->literals;
  if (const auto* functions = std::get_if<Functions>(&workload)) return functions->attributes;
  std::size_t most = 1;
  for (const Query& query : std::get<std::vector<Query>>(workload)) most = std::max(most, query.attributes().size());
  return static_cast<std::uint32_t>(most);
}

std::string describe(const Workload& workload) {
  const auto plural = [](std::size_t n, const std::string& one, const std::string& many) {
    return std::to_string(n) + " " + (n == 1 ? one : many);
  };
  if (const auto* conjunctions = std::get_if<Conjunctions>(&workload)) {
    return "conjunctions of at most " + plural(conjunctions->literals, "literal", "literals");
  }
  if (const auto* functions = std::get_if<Functions>(&workload)) {
    return "any function of at most " + plural(functions->attributes, "attribute", "attributes");
  }
  return plural(std::get<std::vector<Query>>(workload).size(), "query", "queries");
}

Result<std::vector<Query>> representatives(const Workload& workload, const Schema& schema) {
  return std::visit(Representatives{schema}, workload);
}

}  // namespace hearsay::planner
