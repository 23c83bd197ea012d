#include "aggregator/planner/query_pieces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

using GroupClass = SampledChannel::GroupClass;
using Covered = SampledChannel::Covered;

// e_0, …, e_most of the numbers.
std::vector<double> elementary_symmetric(std::span<const double> numbers, std::size_t most) {
  std::vector<double> e(most + 1, 0.0);
  e[0] = 1;
  for (const double number : numbers) {
    for (std::size_t l = most; l > 0; --l) e[l] += number * e[l - 1];
  }
  return e;
}

// --- characters

QueryPieces terms_on(const Characters& characters, const SampledChannel& channel, const compiler::LinearQuery& linear) {
  QueryPieces query;
  std::map<std::vector<std::uint32_t>, double> information;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    const std::vector<std::uint32_t> on = characters.attributes(weight.coordinate);
    const auto known = information.find(on);
    const double value = known != information.end() ? known->second : channel.information(on);
    if (known == information.end()) {
      information.emplace(on, value);
      add_attributes(query.attributes, on);
    }
    query.terms.emplace(weight.coordinate, Term{weight.value, value});
  }
  return query;
}

// The coordinates that a group of the class covers among those on the given factors, which are the group's factors
// within the query's attributes.
std::vector<std::uint32_t> covered_by(const GroupClass& group_class, std::span<const Factor> factors,
                                      const Characters& characters, const QueryPieces& query) {
  std::vector<std::uint32_t> coordinates;
  std::vector<Factor> chosen;
  for (std::uint32_t subset = 1; subset < (1U << factors.size()); ++subset) {
    chosen.clear();
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if ((subset >> i & 1U) != 0) chosen.push_back(factors[i]);
    }
    const bool covers = group_class.kind == GroupKind::kRaw ||
                        (group_class.kind == GroupKind::kEven && chosen.size() % 2 == 0) ||
                        (group_class.kind == GroupKind::kSingle && chosen.size() == group_class.attributes);
    if (!covers || chosen.size() > characters.order()) continue;
    const std::uint32_t coordinate = characters.coordinate(chosen);
    if (query.terms.contains(coordinate)) coordinates.push_back(coordinate);
  }
  return coordinates;
}

// Visits all masks on the attributes.
template <class Visit>
void for_each_factors(const CharacterIndex& index, std::span<const std::uint32_t> attributes, Visit&& visit) {
  std::vector<Factor> factors;
  for (const std::uint32_t attribute : attributes) factors.push_back({attribute, 1});
  for (;;) {
    visit(factors);
    std::size_t i = factors.size();
    while (i > 0 && factors[i - 1].mask == index.masks(factors[i - 1].attribute)) factors[--i].mask = 1;
    if (i == 0) return;
    ++factors[i - 1].mask;
  }
}

// Groups differ for the query by their attributes among its own, and the masks on these.
std::vector<Piece> pieces_on(const Characters& characters, const SampledChannel& channel, Spread spread,
                             const QueryPieces& query) {
  const CharacterIndex& index = characters.index();
  const auto attribute_weight = [&](std::size_t i) {
    return spread == Spread::kSubsets ? 1.0 : static_cast<double>(index.masks(i));
  };
  std::vector<double> all;
  std::vector<double> outside;
  for (std::uint32_t i = 0; i < index.attributes(); ++i) {
    all.push_back(attribute_weight(i));
    if (!std::binary_search(query.attributes.begin(), query.attributes.end(), i)) outside.push_back(all.back());
  }
  const std::vector<double> e_all = elementary_symmetric(all, SampledChannel::kMaxWidth + 1);
  const std::vector<double> e_outside = elementary_symmetric(outside, SampledChannel::kMaxWidth + 1);

  std::vector<Piece> pieces;
  for (const GroupClass& group_class : channel.classes()) {
    const double drawn = static_cast<double>(group_class.weight) / static_cast<double>(channel.total_weight());
    const std::uint32_t s = group_class.attributes;
    for (std::uint32_t subset = 1; subset < (1U << query.attributes.size()); ++subset) {
      std::vector<std::uint32_t> inside;
      double probability = drawn;
      for (std::size_t i = 0; i < query.attributes.size(); ++i) {
        if ((subset >> i & 1U) == 0) continue;
        inside.push_back(query.attributes[i]);
        probability *= attribute_weight(inside.back()) / static_cast<double>(index.masks(inside.back()));
      }
      if (inside.size() > s || (group_class.kind == GroupKind::kSingle && inside.size() != s)) continue;
      probability *= e_outside[s - inside.size()] / e_all[s];
      if (!(probability > 0)) continue;
      for_each_factors(index, inside, [&](std::span<const Factor> factors) {
        std::vector<std::uint32_t> coordinates = covered_by(group_class, factors, characters, query);
        if (!coordinates.empty()) pieces.push_back({probability, channel.gamma(group_class), std::move(coordinates)});
      });
    }
  }
  return pieces;
}

// --- literals

// Probability of one group of the class.
double pick(const SampledChannel& channel, const GroupClass& group_class) {
  return static_cast<double>(group_class.weight) / static_cast<double>(channel.total_weight()) /
         static_cast<double>(group_class.count);
}

QueryPieces terms_on(const Literals& literals, const SampledChannel& channel, const compiler::LinearQuery& linear) {
  QueryPieces query;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    const auto block = std::upper_bound(
        literals.blocks().begin(), literals.blocks().end(), weight.coordinate,
        [](std::uint32_t coordinate, const AttributeBlock& candidate) { return coordinate < candidate.offset; });
    const auto attribute = static_cast<std::uint32_t>(block - literals.blocks().begin() - 1);
    add_attributes(query.attributes, {{attribute}});
    query.terms.emplace(weight.coordinate, Term{weight.value, channel.literal_information(weight.coordinate)});
  }
  return query;
}

std::vector<Piece> pieces_on(const SampledChannel& channel, const QueryPieces& query) {
  std::vector<Piece> pieces;
  std::vector<Covered> covered;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const GroupClass& group_class = channel.class_of(group);
    channel.covered(group, covered);
    Piece piece{pick(channel, group_class), channel.gamma(group_class), {}};
    for (const Covered& coordinate : covered) {
      if (query.terms.contains(coordinate.coordinate)) piece.coordinates.push_back(coordinate.coordinate);
    }
    if (!piece.coordinates.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

void add_attributes(std::vector<std::uint32_t>& all, std::span<const std::uint32_t> more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

QueryPieces query_pieces(const Task& task, const compiler::LinearQuery& linear) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  if (const auto* characters = std::get_if<Characters>(&task.arrangement().kind())) {
    QueryPieces query = terms_on(*characters, channel, linear);
    query.pieces = pieces_on(*characters, channel, std::get<SampledSpec>(task.spec().channel).spread, query);
    return query;
  }
  QueryPieces query = terms_on(std::get<Literals>(task.arrangement().kind()), channel, linear);
  query.pieces = pieces_on(channel, query);
  return query;
}

}  // namespace hearsay::planner
