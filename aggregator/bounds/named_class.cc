#include "aggregator/bounds/named_class.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay::bounds {
namespace {

using Texts = std::vector<std::string>;

std::string attribute(std::uint32_t index) { return "x" + std::to_string(index + 1); }

// Returns the texts of all sets of 1 to `size` literals of different attributes, joined by `word`.
Texts literal_sets(const ClassSpec& spec, std::uint32_t size, const std::string& word) {
  Texts texts;
  const std::uint32_t all = 1U << spec.attributes;
  for (std::uint32_t set = 1; set < all; ++set) {
    if (static_cast<std::uint32_t>(__builtin_popcount(set)) > size) continue;
    for (std::uint32_t negated = set;; negated = (negated - 1) & set) {
      std::string text;
      for (std::uint32_t i = 0; i < spec.attributes; ++i) {
        if ((set >> i & 1U) == 0) continue;
        text += (text.empty() ? "" : ' ' + word + ' ') + ((negated >> i & 1U) != 0 ? "not " : "") + attribute(i);
      }
      texts.push_back(std::move(text));
      if (negated == 0) break;
    }
  }
  return texts;
}

Texts parities(const ClassSpec& spec, std::uint32_t size) {
  Texts texts;
  for (std::uint32_t set = 1; set < 1U << spec.attributes; ++set) {
    if (static_cast<std::uint32_t>(__builtin_popcount(set)) > size) continue;
    std::string text;
    for (std::uint32_t i = 0; i < spec.attributes; ++i) {
      if ((set >> i & 1U) == 0) continue;
      const std::string one = attribute(i);
      text = text.empty() ? one : "((" + text + ") and not " + one + " or not (" + text + ") and " + one + ")";
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

// Adds every list over distinct attributes with at most `changes` further changes of the label. `items` is the list's
// end.
void add_lists(const ClassSpec& spec, std::uint32_t used, bool label, std::uint32_t changes, const std::string& items,
               Texts& texts) {
  if (used != 0) texts.push_back("decision_list(" + items + ")");
  for (std::uint32_t i = 0; i < spec.attributes; ++i) {
    if ((used >> i & 1U) != 0) continue;
    for (const bool negated : {false, true}) {
      // The list grows at its front. `label` is the label of the item that comes next in the list.
      for (const bool other : {false, true}) {
        if (other && changes == 0) continue;
        const bool own = label != other;
        add_lists(spec, used | 1U << i, own, changes - (other ? 1 : 0),
                  (negated ? "not " : "") + attribute(i) + (own ? ": yes, " : ": no, ") + items, texts);
      }
    }
  }
}

Texts decision_lists(const ClassSpec& spec, std::uint32_t size) {
  // Lists that end with the label "no" are enough, since negating a list only negates its column.
  Texts texts;
  add_lists(spec, 0, false, size, "else: no", texts);
  return texts;
}

Texts boxes(const ClassSpec& spec) {
  Texts texts{""};
  for (std::uint32_t i = 0; i < spec.attributes; ++i) {
    Texts longer;
    for (const std::string& text : texts) {
      for (std::uint32_t low = 0; low < spec.values; ++low) {
        for (std::uint32_t high = low; high < spec.values; ++high) {
          longer.push_back(text + (text.empty() ? "" : " and ") + attribute(i) + " in " + std::to_string(low) + ".." +
                           std::to_string(high));
        }
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

Texts thresholds(const ClassSpec& spec) {
  Texts texts;
  for (std::uint32_t i = 0; i < spec.attributes; ++i) {
    for (std::uint32_t t = 1; t < spec.values; ++t) texts.push_back(attribute(i) + " >= " + std::to_string(t));
  }
  return texts;
}

bool of_ranges(const std::string& name) { return name == "boxes" || name == "thresholds"; }

// Returns an upper bound on the number of queries without repetitions and negations. The bound is exact, except that
// constant boxes and negations of boxes count. For decision lists the result is no bound.
double most_queries(const ClassSpec& spec) {
  const double attributes = spec.attributes;
  if (spec.name == "thresholds") return attributes * (spec.values - 1.0);
  if (spec.name == "boxes") return std::pow(spec.values * (spec.values + 1.0) / 2, attributes);
  const bool negations = spec.name != "parities";
  double queries = 0;
  double sets = 1;  // the number of sets of `size` attributes
  for (std::uint32_t size = 1; size <= spec.size.value_or(spec.attributes); ++size) {
    sets = sets * (attributes - size + 1) / size;
    queries += sets * (negations ? std::exp2(size) : 1);
  }
  // A literal and its negation count as one query.
  return queries - (negations ? attributes : 0);
}

Result<void> check_spec(const ClassSpec& spec) {
  const std::vector<std::string> names = class_names();
  if (std::find(names.begin(), names.end(), spec.name) == names.end()) {
    std::string listed;
    for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
    return Error{ErrorCode::kInvalidArgument, "there is no class of that name: name one of " + listed};
  }
  const std::uint32_t most = spec.name == "decision-lists" ? 4 : of_ranges(spec.name) ? 8 : 10;
  if (spec.attributes < 1 || spec.attributes > most) {
    return Error{ErrorCode::kInvalidArgument,
                 "the class " + spec.name + " must have from 1 to " + std::to_string(most) + " attributes"};
  }
  if (of_ranges(spec.name)) {
    if (spec.size)
      return Error{ErrorCode::kInvalidArgument, "the class " + spec.name + " takes no size: give a number of values"};
    if (spec.values < 2 || spec.values > SignMatrix::kMaxSide) {
      return Error{ErrorCode::kInvalidArgument,
                   "an attribute must have from 2 to " + with_separators(SignMatrix::kMaxSide) + " values"};
    }
  } else if (spec.size && (*spec.size < 1 || *spec.size > spec.attributes)) {
    return Error{ErrorCode::kInvalidArgument, "the size must be from 1 to the number of attributes"};
  }
  const double records = std::pow(of_ranges(spec.name) ? spec.values : 2, spec.attributes);
  // The limit of 4 attributes bounds the number of decision lists.
  if (spec.name != "decision-lists" && records * most_queries(spec) > static_cast<double>(SignMatrix::kMaxEntries)) {
    return Error{ErrorCode::kLimitExceeded, "the class needs a matrix of more than " +
                                                with_separators(SignMatrix::kMaxEntries) +
                                                " entries: give fewer attributes or values, or a "
                                                "smaller size"};
  }
  return {};
}

Texts texts_of(const ClassSpec& spec) {
  const std::uint32_t size = spec.size.value_or(spec.attributes);
  if (spec.name == "monomials") return literal_sets(spec, size, "and");
  if (spec.name == "clauses") return literal_sets(spec, size, "or");
  if (spec.name == "parities") return parities(spec, size);
  if (spec.name == "decision-lists") return decision_lists(spec, size);
  return spec.name == "boxes" ? boxes(spec) : thresholds(spec);
}

Result<Schema> schema_of(const ClassSpec& spec) {
  std::vector<Attribute> attributes;
  for (std::uint32_t i = 0; i < spec.attributes; ++i) {
    HEARSAY_TRY(Attribute made, of_ranges(spec.name) ? Attribute::range(attribute(i), 0, std::int64_t{spec.values} - 1)
                                                     : Attribute::boolean(attribute(i)));
    attributes.push_back(std::move(made));
  }
  return Schema::create(std::move(attributes));
}

bool advance(const Schema& schema, std::vector<std::uint32_t>& values) {
  for (std::size_t i = schema.size(); i-- > 0;) {
    if (++values[i] < schema[i].size()) return true;
    values[i] = 0;
  }
  return false;
}

Result<NamedClass> distinct(const Schema& schema, const Texts& texts) {
  std::vector<Query> queries;
  std::set<std::vector<bool>> known;
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (const std::string& text : texts) {
    HEARSAY_TRY(Query query, Query::parse(schema, text));
    std::fill(values.begin(), values.end(), 0);
    const bool first = query.evaluate(values);
    std::vector<bool> column;
    do column.push_back(query.evaluate(values) == first);
    while (advance(schema, values));
    const bool constant = std::find(column.begin(), column.end(), false) == column.end();
    if (!constant && known.insert(std::move(column)).second) queries.push_back(std::move(query));
  }
  HEARSAY_TRY(SignMatrix matrix, matrix_of(schema, queries));
  return NamedClass{schema, std::move(queries), std::move(matrix)};
}

}  // namespace

std::vector<std::string> class_names() {
  return {"monomials", "clauses", "parities", "decision-lists", "boxes", "thresholds"};
}

Result<NamedClass> make_class(const ClassSpec& spec) {
  HEARSAY_CHECK_OK(check_spec(spec));
  HEARSAY_TRY(const Schema schema, schema_of(spec));
  return distinct(schema, texts_of(spec));
}

Result<SignMatrix> matrix_of(const Schema& schema, const std::vector<Query>& queries) {
  const std::optional<std::uint64_t> records = schema.universe_size();
  if (!records || *records > SignMatrix::kMaxEntries / std::max<std::size_t>(1, queries.size())) {
    return Error{ErrorCode::kLimitExceeded, "the schema has too many records for a matrix of records and queries"};
  }
  std::vector<std::int8_t> entries;
  std::vector<std::uint32_t> values(schema.size(), 0);
  do {
    for (const Query& query : queries) entries.push_back(query.evaluate(values) ? 1 : -1);
  } while (advance(schema, values));
  return SignMatrix::create(*records, queries.size(), std::move(entries));
}

}  // namespace hearsay::bounds
