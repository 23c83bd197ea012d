#include "examples/models/ranges.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "aggregator/central/intervals/box_release.h"
#include "common/base/try.h"
#include "examples/models/model.h"

namespace hearsay::examples {
namespace {

using central::CellInterval;

// The probability that an error exceeds the stated bound. The bound decides the number of pieces.
constexpr double kBoundFailure = 0.05;
constexpr std::uint64_t kLeastPieces = 5;
constexpr std::uint64_t kMostPieces = 1024;
constexpr std::size_t kMostDimensions = 3;

ValueSet complement(const ValueSet& values, std::uint32_t size) {
  ValueSet rest;
  std::uint32_t next = 0;
  for (const auto& [first, last] : values) {
    if (next < first) rest.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next < size) rest.emplace_back(next, size - 1);
  return rest;
}

ValueSet intersection(const ValueSet& a, const ValueSet& b) {
  ValueSet both;
  for (const auto& [first, last] : a) {
    for (const auto& [from, to] : b) {
      if (std::max(first, from) <= std::min(last, to)) both.emplace_back(std::max(first, from), std::min(last, to));
    }
  }
  return both;
}

std::optional<query::Membership> as_membership(const Schema& schema, const Query& query) {
  if (const auto* membership = std::get_if<query::Membership>(&query.node())) return *membership;
  const auto* negation = std::get_if<query::Not>(&query.node());
  if (negation == nullptr) return std::nullopt;
  const auto inner = as_membership(schema, *negation->operand);
  if (!inner) return std::nullopt;
  return query::Membership{inner->attribute, complement(inner->values, schema[inner->attribute].size())};
}

// The queries as boxes on the attributes that the queries mention.
struct Boxes {
  std::vector<std::uint32_t> attributes;
  std::vector<central::Grid> grids;                           // one cell for each value; the other cells are empty
  std::vector<std::vector<std::vector<CellInterval>>> sides;  // for each query and attribute: disjoint intervals
};

Result<Boxes> boxes_of(const Setting& setting) {
  const Error other{ErrorCode::kUnsupported, "the queries are not all intervals or boxes of ranges"};
  std::vector<Product> products;
  std::map<std::uint32_t, std::size_t> mentioned;
  for (const Query& query : setting.queries) {
    const auto product = as_product(setting.schema, query);
    if (!product) return other;
    for (const auto& [attribute, values] : *product) ++mentioned[attribute];
    products.push_back(*product);
  }
  Boxes boxes;
  boxes.sides.resize(products.size());
  for (const auto& [attribute, uses] : mentioned) {
    const Attribute& range = setting.schema[attribute];
    if (range.kind() != AttributeKind::kRange) return other;
    unsigned bits = 1;
    while ((std::uint64_t{1} << bits) < range.size()) ++bits;
    HEARSAY_TRY(const auto grid, central::Grid::create(0, std::ldexp(1.0, static_cast<int>(bits)), bits));
    for (std::size_t q = 0; q < products.size(); ++q) {
      const ValueSet all{{0, range.size() - 1}};
      const auto given = products[q].find(attribute);
      auto& side = boxes.sides[q].emplace_back();
      for (const auto& [first, last] : given == products[q].end() ? all : given->second) {
        side.push_back({first, last + 1 == range.size() ? grid.cells() - 1 : last});
      }
    }
    boxes.attributes.push_back(attribute);
    boxes.grids.push_back(grid);
  }
  return boxes;
}

// Returns the number of pieces with the least stated error bound. The bound depends on ε, the grids and n, which are
// all public.
std::uint64_t pieces_for(const std::vector<central::Grid>& grids, const Epsilon& epsilon, std::uint64_t rows) {
  std::uint64_t best = kLeastPieces;
  double least = INFINITY;
  for (std::uint64_t pieces = kLeastPieces; pieces <= kMostPieces; pieces += 1 + pieces / 8) {
    const auto release = central::BoxRelease::create(grids, epsilon, pieces);
    if (!release) break;
    const auto bound = release->error_bound(rows, kBoundFailure);
    if (bound && *bound < least) {
      least = *bound;
      best = pieces;
    }
  }
  return best;
}

Result<std::vector<double>> release_intervals(const Boxes& boxes, const Epsilon& epsilon, const Crowd& crowd,
                                              BitSource& bits) {
  const std::uint64_t pieces = pieces_for(boxes.grids, epsilon, crowd.people.size());
  HEARSAY_TRY(const Rational error, Rational::create(4, pieces));  // the release makes ⌊4/error⌋ pieces
  HEARSAY_TRY(const auto release, central::IntervalRelease::create(boxes.grids[0], epsilon, error));
  std::vector<std::uint64_t> cells;
  for (const Record& record : crowd.people) cells.push_back(record[boxes.attributes[0]]);
  HEARSAY_TRY(const auto points, release.release_cells(std::move(cells), bits));
  std::vector<double> answers;
  for (const auto& sides : boxes.sides) {
    answers.push_back(0);
    if (sides[0].empty()) continue;
    HEARSAY_TRY(answers.back(), points.fraction(sides[0]));
  }
  return answers;
}

// Returns the fraction of people in a product of unions of intervals. Adds up all boxes whose first sides are the
// intervals of `chosen`. Each other side of a box is one interval of `sides`.
Result<double> sum_boxes(const central::ReleasedBoxes& released, const std::vector<std::vector<CellInterval>>& sides,
                         std::vector<CellInterval>& chosen) {
  if (chosen.size() == sides.size()) return released.fraction(chosen);
  double sum = 0;
  for (const CellInterval& interval : sides[chosen.size()]) {
    chosen.push_back(interval);
    HEARSAY_TRY(const double part, sum_boxes(released, sides, chosen));
    chosen.pop_back();
    sum += part;
  }
  return sum;
}

Result<std::vector<double>> release_boxes(const Boxes& boxes, const Epsilon& epsilon, const Crowd& crowd,
                                          BitSource& bits) {
  const std::uint64_t pieces = pieces_for(boxes.grids, epsilon, crowd.people.size());
  HEARSAY_TRY(const auto release, central::BoxRelease::create(boxes.grids, epsilon, pieces));
  std::vector<std::vector<std::uint64_t>> columns(boxes.attributes.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (const Record& record : crowd.people) columns[j].push_back(record[boxes.attributes[j]]);
  }
  HEARSAY_TRY(const auto released, release.release(columns, bits));
  std::vector<double> answers;
  for (const auto& sides : boxes.sides) {
    std::vector<CellInterval> chosen;
    HEARSAY_TRY(const double answer, sum_boxes(released, sides, chosen));
    answers.push_back(answer);
  }
  return answers;
}

using Release = Result<std::vector<double>> (*)(const Boxes&, const Epsilon&, const Crowd&, BitSource&);

Model range_model(const std::string& name, const Setting& setting, const Boxes& boxes, Release release) {
  Model model = central_model(name, setting.queries.size());
  model.note = "pieces by the least error bound";
  model.mechanism.run = [boxes, epsilon = setting.epsilon, release](const Crowd& crowd, const Randomness& random) {
    return release(boxes, epsilon, crowd, random.bits);
  };
  return model;
}

}  // namespace

std::optional<Product> as_product(const Schema& schema, const Query& query) {
  if (const auto membership = as_membership(schema, query)) return Product{{membership->attribute, membership->values}};
  const auto* conjunction = std::get_if<query::And>(&query.node());
  if (conjunction == nullptr) return std::nullopt;
  Product product;
  for (const Query& operand : conjunction->operands) {
    const auto inner = as_product(schema, operand);
    if (!inner) return std::nullopt;
    for (const auto& [attribute, values] : *inner) {
      const auto [place, added] = product.emplace(attribute, values);
      if (!added) place->second = intersection(place->second, values);
    }
  }
  return product;
}

std::vector<Model> range_models(const Setting& setting) {
  constexpr const char* kInterval = "interval release";
  constexpr const char* kBox = "box release";
  const std::size_t queries = setting.queries.size();
  const auto boxes = boxes_of(setting);
  if (!boxes) {
    return {refused_central(kInterval, boxes.error(), queries), refused_central(kBox, boxes.error(), queries)};
  }
  if (boxes->attributes.size() == 1) {
    const Error one{ErrorCode::kUnsupported, "one range alone is for the interval release"};
    return {range_model(kInterval, setting, *boxes, release_intervals), refused_central(kBox, one, queries)};
  }
  const Error several{ErrorCode::kUnsupported, "the queries are about more than one range"};
  const Error many{ErrorCode::kDomainTooLarge, "the queries are about more than 3 ranges"};
  return {refused_central(kInterval, several, queries), boxes->attributes.size() > kMostDimensions
                                                            ? refused_central(kBox, many, queries)
                                                            : range_model(kBox, setting, *boxes, release_boxes)};
}

}  // namespace hearsay::examples
