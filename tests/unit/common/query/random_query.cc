#include "tests/unit/common/query/random_query.h"

#include <array>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

namespace hearsay::test {
namespace {

// The precedence of a piece of text decides where parentheses are needed.
enum class Level : std::uint8_t { kOr, kAnd, kNot, kPrimary };

struct Piece {
  std::string text;
  Level level;
  std::function<bool(Values)> holds;
};

class Generator {
 public:
  Generator(const Schema& schema, std::mt19937& random) : schema_(schema), random_(random) {
    for (const Attribute& attribute : schema.attributes()) {
      origins_.push_back(attribute.kind() == AttributeKind::kRange ? attribute.min() : 0);
    }
  }

  Piece query(int size) {
    if (size <= 1) return pick(5) == 0 ? sum() : condition();
    switch (pick(7)) {
      case 0:
        return negation(size);
      case 1:
        return at_least(size);
      case 2:
        return decision_list(size);
      case 3:
      case 4:
        return connective(size, true);
      default:
        return connective(size, false);
    }
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  bool coin() { return pick(2) == 0; }
  std::string space() {
    constexpr std::array<const char*, 6> kSpaces = {"", " ", " ", "\n", "\t ", "\r\n"};
    return kSpaces[pick(kSpaces.size())];
  }
  std::string gap() { return " " + space(); }

  // Returns the text of `piece` for a place that needs a precedence of at least `level`.
  std::string at(const Piece& piece, Level level) {
    if (piece.level >= level && pick(6) != 0) return piece.text;
    return "(" + space() + piece.text + space() + ")";
  }

  std::vector<Piece> split(int size, std::uint32_t parts) {
    std::vector<Piece> pieces;
    for (std::uint32_t i = 0; i < parts; ++i) pieces.push_back(query(size / static_cast<int>(parts)));
    return pieces;
  }

  Piece negation(int size) {
    Piece operand = query(size - 1);
    const std::string text = "not" + gap() + at(operand, Level::kNot);
    return {text, Level::kNot, [f = operand.holds](Values v) { return !f(v); }};
  }

  Piece connective(int size, bool conjunction) {
    const std::vector<Piece> pieces = split(size, 2 + pick(3));
    const Level level = conjunction ? Level::kAnd : Level::kOr;
    std::string text;
    for (const Piece& piece : pieces) {
      if (!text.empty()) text += gap() + (conjunction ? "and" : "or") + gap();
      text += at(piece, level);
    }
    return {text, level, [pieces, conjunction](Values v) {
              bool result = conjunction;
              for (const Piece& piece : pieces)
                result = conjunction ? (result && piece.holds(v)) : (result || piece.holds(v));
              return result;
            }};
  }

  Piece at_least(int size) {
    const std::vector<Piece> pieces = split(size, 1 + pick(4));
    const auto n = static_cast<std::uint32_t>(pieces.size());
    const std::uint32_t count = pick(8) == 0 ? pick(2) * (n + 1) : 1 + pick(n);
    std::string text = "at_least" + space() + "(" + std::to_string(count);
    for (const Piece& piece : pieces) text += space() + "," + space() + at(piece, Level::kOr);
    return {text + ")", Level::kPrimary, [pieces, count](Values v) {
              std::uint32_t held = 0;
              for (const Piece& piece : pieces) held += piece.holds(v) ? 1 : 0;
              return held >= count;
            }};
  }

  Piece decision_list(int size) {
    const std::vector<Piece> pieces = split(size, 1 + pick(4));
    std::vector<bool> labels;
    std::string text = "decision_list(" + space();
    for (const Piece& piece : pieces) {
      labels.push_back(coin());
      text += at(piece, Level::kOr) + space() + ":" + (labels.back() ? "yes" : "no") + space() + "," + space();
    }
    labels.push_back(coin());
    text += std::string("else: ") + (labels.back() ? "yes" : "no") + ")";
    return {text, Level::kPrimary, [pieces, labels](Values v) {
              for (std::size_t i = 0; i < pieces.size(); ++i) {
                if (pieces[i].holds(v)) return static_cast<bool>(labels[i]);
              }
              return static_cast<bool>(labels.back());
            }};
  }

  Piece condition() {
    const std::uint32_t i = pick(static_cast<std::uint32_t>(schema_.size()));
    const Attribute& attribute = schema_[i];
    if (attribute.kind() == AttributeKind::kBoolean && coin()) {
      return {name_of(i), Level::kPrimary, [i](Values v) { return v[i] == 1; }};
    }
    if (coin()) return membership(i);
    if (attribute.kind() == AttributeKind::kRange) return sum_of({i});
    const std::uint32_t wanted = pick(attribute.size());
    const bool negated = coin();
    const std::string relation = negated ? "!=" : coin() ? "=" : "==";
    return {name_of(i) + space() + relation + space() + spell(attribute, wanted), Level::kPrimary,
            [i, wanted, negated](Values v) { return (v[i] == wanted) != negated; }};
  }

  std::string spell(const Attribute& attribute, std::uint32_t index) {
    if (attribute.kind() == AttributeKind::kBoolean) return coin() ? std::to_string(index) : index == 1 ? "yes" : "no";
    const std::string& value = attribute.values()[index];
    const bool bare = value == "north" || value == "yes";
    if (bare && coin()) return value;
    return quoted(value);
  }

  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + '"';
  }

  // Returns the attribute's name, in quotes where quotes are needed, and sometimes elsewhere.
  std::string name_of(std::uint32_t i) {
    static const std::set<std::string> kBare{"smoker", "age", "region", "diabetic", "income"};
    const std::string& name = schema_[i].name();
    return kBare.contains(name) && pick(8) != 0 ? name : quoted(name);
  }

  Piece membership(std::uint32_t i) {
    const Attribute& attribute = schema_[i];
    const bool negated = pick(3) == 0;
    const std::string head = name_of(i) + gap() + (negated ? "not in " : "in ") + space();
    std::set<std::int64_t> wanted;  // indices, or integers of which some are outside the range
    std::string list;
    bool interval = false;
    if (attribute.kind() == AttributeKind::kRange) {
      const std::uint32_t items = pick(12) == 0 ? 0 : 1 + pick(3);
      for (std::uint32_t item = 0; item < items; ++item)
        list += (item > 0 ? "," + space() : "") + integers(attribute, wanted);
      interval = items == 1 && list.find("..") != std::string::npos && coin();
    } else {
      const std::uint32_t items = pick(12) == 0 ? 0 : 1 + pick(attribute.size() - 1);
      for (std::uint32_t item = 0; item < items; ++item) {
        const std::uint32_t index = pick(attribute.size());
        wanted.insert(index);
        list += (item > 0 ? "," + space() : "") + spell(attribute, index);
      }
    }
    return {head + (interval ? list : "{" + space() + list + space() + "}"), Level::kPrimary,
            [i, wanted, negated, origin = origins_[i]](Values v) { return wanted.contains(origin + v[i]) != negated; }};
  }

  std::string integers(const Attribute& attribute, std::set<std::int64_t>& wanted) {
    const std::int64_t first = attribute.min() - 2 + pick(attribute.size() + 4);
    const std::int64_t last = coin() ? first : first + pick(attribute.size());
    for (std::int64_t value = first; value <= last; ++value) wanted.insert(value);
    if (first == last && coin()) return std::to_string(first);
    return std::to_string(first) + space() + ".." + space() + std::to_string(last);
  }

  Piece sum() {
    std::vector<std::uint32_t> attributes;
    for (std::uint32_t terms = 1 + pick(5); terms > 0; --terms) {
      std::uint32_t i = 0;
      do {
        i = pick(static_cast<std::uint32_t>(schema_.size()));
      } while (schema_[i].kind() == AttributeKind::kCategorical);
      attributes.push_back(i);
    }
    return sum_of(attributes);
  }

  struct Side {
    std::string text;
    std::vector<std::pair<std::int64_t, std::uint32_t>> terms;
    std::int64_t constant = 0;
  };

  // Appends -number or number to the side. If an attribute is named, the term is a multiple of the attribute.
  void append(Side& side, bool minus, std::int64_t number, const std::string* name, std::uint32_t attribute) {
    if (side.text.empty()) {
      if (minus) side.text += "-" + space();
    } else {
      side.text += space() + (minus ? "-" : "+") + space();
    }
    if (name == nullptr) {
      side.text += std::to_string(number);
      side.constant += minus ? -number : number;
      return;
    }
    side.terms.emplace_back(minus ? -number : number, attribute);
    if (number == 1 && coin()) {
      side.text += *name;
    } else {
      side.text += coin() ? std::to_string(number) + space() + "*" + space() + *name
                          : *name + space() + "*" + space() + std::to_string(number);
    }
  }

  static std::int64_t total(const Side& side, const std::vector<std::int64_t>& origins, Values values) {
    std::int64_t result = side.constant;
    for (const auto& [factor, i] : side.terms) result += factor * (origins[i] + values[i]);
    return result;
  }

  Piece sum_of(const std::vector<std::uint32_t>& attributes) {
    std::array<Side, 2> sides;
    for (const std::uint32_t i : attributes) {
      const std::int64_t factor = pick(12) == 0 ? 0 : 1 + pick(3);
      const std::string name = name_of(i);
      append(sides[pick(4) == 0 ? 1 : 0], coin(), factor, &name, i);
    }
    // The grammar has another rule for a boolean that equals a number. A constant on one side avoids this rule.
    const bool lone_boolean = attributes.size() == 1 && schema_[attributes[0]].kind() == AttributeKind::kBoolean;
    if (lone_boolean || sides[0].text.empty() || coin()) append(sides[0], coin(), pick(8), nullptr, 0);
    // Both sides are equal for some record. Otherwise most comparisons would be constant.
    std::vector<std::uint32_t> values;
    for (const Attribute& attribute : schema_.attributes()) values.push_back(pick(attribute.size()));
    const std::int64_t difference = total(sides[0], origins_, values) - total(sides[1], origins_, values);
    append(sides[1], difference < 0, std::abs(difference), nullptr, 0);
    constexpr std::array<const char*, 7> kRelations = {">=", "<=", ">", "<", "=", "==", "!="};
    const std::string relation = kRelations[pick(kRelations.size())];
    return {sides[0].text + space() + relation + space() + sides[1].text, Level::kPrimary,
            [sides, relation, origins = origins_](Values v) {
              const std::int64_t left = total(sides[0], origins, v);
              const std::int64_t right = total(sides[1], origins, v);
              if (relation == ">=") return left >= right;
              if (relation == "<=") return left <= right;
              if (relation == ">") return left > right;
              if (relation == "<") return left < right;
              return (left == right) == (relation != "!=");
            }};
  }

  const Schema& schema_;
  std::mt19937& random_;
  std::vector<std::int64_t> origins_;  // for each attribute, the integer of its index 0
};

}  // namespace

Schema mixed_schema() {
  return Schema::parse(R"([{"name":"smoker","type":"boolean"},
                           {"name":"age","type":"range","min":-2,"max":5},
                           {"name":"region","type":"categorical","values":["north","far east","yes","in","a\"b\\"]},
                           {"name":"diabetic","type":"boolean"},
                           {"name":"income","type":"range","min":0,"max":3}])")
      .value();
}

Schema odd_schema() {
  return Schema::parse(R"([{"name":"and","type":"boolean"},
                           {"name":"age in 3..4","type":"range","min":-2,"max":5},
                           {"name":"\"north\" = \\","type":"categorical","values":["north","far east","yes","\"north\" = \\"]},
                           {"name":"region","type":"boolean"},
                           {"name":"\ud83d\ude42, 1*2","type":"range","min":0,"max":3}])")
      .value();
}

RandomQuery random_query(const Schema& schema, std::mt19937& random, int size) {
  Piece piece = Generator(schema, random).query(size);
  return {std::move(piece.text), std::move(piece.holds)};
}

void for_every_record(const Schema& schema, const std::function<void(Values)>& visit) {
  std::vector<std::uint32_t> values(schema.size(), 0);
  while (true) {
    visit(values);
    std::size_t i = 0;
    while (i < values.size() && ++values[i] == schema[i].size()) values[i++] = 0;
    if (i == values.size()) return;
  }
}

}  // namespace hearsay::test
