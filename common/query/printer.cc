#include <string>

#include "common/query/value_set.h"
#include "common/query/visit.h"
#include "common/schema/names.h"
#include "hearsay/query.h"

namespace hearsay {
namespace {

// Writes one query, appending to `out`. format.md describes under "Printed form" how sets are written.
class Printer {
 public:
  Printer(const Schema& schema, std::string& out) : schema_(schema), out_(out) {}

  void print(const Query& query) {
    std::visit(query::Visitor{
                   [&](const query::Membership& m) { membership(m); },
                   [&](const query::Not& n) { negation(n); },
                   [&](const query::And& a) { joined(a.operands, " and ", true); },
                   [&](const query::Or& o) { joined(o.operands, " or ", false); },
                   [&](const query::AtLeast& a) { at_least(a); },
                   [&](const query::Linear& l) { linear(l); },
                   [&](const query::DecisionList& d) { decision_list(d); },
               },
               query.node());
  }

 private:
  void parenthesized(const Query& query, bool needed) {
    if (needed) out_ += '(';
    print(query);
    if (needed) out_ += ')';
  }

  static bool is_and(const Query& query) { return std::holds_alternative<query::And>(query.node()); }
  static bool is_or(const Query& query) { return std::holds_alternative<query::Or>(query.node()); }

  void negation(const query::Not& node) {
    out_ += "not ";
    parenthesized(*node.operand, is_and(*node.operand) || is_or(*node.operand));
  }

  void joined(const std::vector<Query>& operands, std::string_view word, bool conjunction) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) out_ += word;
      parenthesized(operands[i], is_or(operands[i]) || (conjunction && is_and(operands[i])));
    }
  }

  void at_least(const query::AtLeast& node) {
    out_ += "at_least(" + std::to_string(node.count);
    for (const Query& operand : node.operands) {
      out_ += ", ";
      print(operand);
    }
    out_ += ')';
  }

  void decision_list(const query::DecisionList& node) {
    out_ += "decision_list(";
    for (const auto& [condition, label] : node.items) {
      print(condition);
      out_ += label ? ": yes, " : ": no, ";
    }
    out_ += node.otherwise ? "else: yes)" : "else: no)";
  }

  void linear(const query::Linear& node) {
    for (std::size_t i = 0; i < node.terms.size(); ++i) {
      const auto& term = node.terms[i];
      const bool negative = term.coefficient < 0;
      if (i > 0) out_ += negative ? " - " : " + ";
      if (i == 0 && negative) out_ += '-';
      const std::int64_t magnitude = negative ? -term.coefficient : term.coefficient;
      if (magnitude != 1) out_ += std::to_string(magnitude) + '*';
      out_ += shown_name(schema_[term.attribute].name());
    }
    out_ += " >= " + std::to_string(node.bound);
  }

  void membership(const query::Membership& node) {
    const Attribute& attribute = schema_[node.attribute];
    out_ += shown_name(attribute.name());
    switch (attribute.kind()) {
      case AttributeKind::kBoolean:
        return boolean(attribute, node.values);
      case AttributeKind::kCategorical:
        return categorical(attribute, node.values);
      case AttributeKind::kRange:
        return range(attribute, node.values);
    }
  }

  void boolean(const Attribute& attribute, const ValueSet& values) {
    if (query::count(values) != 1) {
      out_ += " in ";
      listed(attribute, values);
    } else if (values[0].first == 0) {
      out_ += " = no";
    }
  }

  void categorical(const Attribute& attribute, const ValueSet& values) {
    const ValueSet others = query::complement(values, attribute.size());
    const bool negated = query::count(others) < query::count(values);
    const ValueSet& shown = negated ? others : values;
    if (query::count(shown) == 1) {
      out_ += negated ? " != " : " = ";
      value(attribute, shown[0].first);
    } else {
      out_ += negated ? " not in " : " in ";
      listed(attribute, shown);
    }
  }

  void range(const Attribute& attribute, const ValueSet& values) {
    const std::uint32_t last = attribute.size() - 1;
    const ValueSet others = query::complement(values, attribute.size());
    const bool negated = others.size() == 1 && values.size() == 2;
    const ValueSet& shown = negated ? others : values;
    if (shown.size() != 1) {
      out_ += " in ";
      return listed(attribute, shown);
    }
    const auto [from, to] = shown[0];
    if (from == to) {
      out_ += negated ? " != " : " = ";
      value(attribute, from);
    } else if (from == 0 && to < last) {
      out_ += " <= ";
      value(attribute, to);
    } else if (to == last && from > 0) {
      out_ += " >= ";
      value(attribute, from);
    } else {
      out_ += negated ? " not in " : " in ";
      interval(attribute, from, to);
    }
  }

  // Writes the set in braces: as intervals for a range, as single values for the other kinds.
  void listed(const Attribute& attribute, const ValueSet& values) {
    bool first_item = true;
    const auto separate = [&] {
      if (!first_item) out_ += ", ";
      first_item = false;
    };
    out_ += '{';
    for (const auto& [from, to] : values) {
      if (attribute.kind() == AttributeKind::kRange) {
        separate();
        interval(attribute, from, to);
        continue;
      }
      for (std::uint32_t i = from; i <= to; ++i) {
        separate();
        value(attribute, i);
      }
    }
    out_ += '}';
  }

  void interval(const Attribute& attribute, std::uint32_t from, std::uint32_t to) {
    value(attribute, from);
    if (from == to) return;
    out_ += "..";
    value(attribute, to);
  }

  void value(const Attribute& attribute, std::uint32_t index) {
    const std::string text = attribute.value_text(index);
    out_ += attribute.kind() == AttributeKind::kCategorical ? shown_name(text) : text;
  }

  const Schema& schema_;
  std::string& out_;
};

}  // namespace

std::string Query::to_string(const Schema& schema) const {
  std::string text;
  Printer(schema, text).print(*this);
  return text;
}

}  // namespace hearsay
