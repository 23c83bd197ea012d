// Symbols: g = the query's weights, I_j = information of one report about coordinate j, s_G(x) = Σ_{j in G}
// g_j·a_j(x)/I_j. A report of group G contributes φ = γ·Σ_{j in G} g_j·χ_j(answer)/I_j to the estimate: E[φ|x] =
// γ²·s_G(x), and
//   E φ² = (1-γ)γ²·q_G + γ³·E[s_G²],  q_G = Σ_{j in G} (g_j/I_j)².
// So n·Var = Σ_G p_G·((1-γ)γ²·q_G + γ³·E[s_G²] - γ⁴·E[s_G]²), less ω(1-ω) among the reporters.

#include "aggregator/planner/sampled_variance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::aggregator {
namespace {

using GroupClass = SampledChannel::GroupClass;
using Covered = SampledChannel::Covered;

constexpr std::size_t kMaxExact = std::size_t{1} << 16U;

// Groups that cover the same of the query's coordinates.
struct Piece {
  double probability;
  double gamma;
  std::vector<std::uint32_t> coordinates;
};

// g_j and I_j.
struct Terms {
  struct Term {
    double weight;
    double information;
    double ratio() const { return weight / information; }
  };
  std::unordered_map<std::uint32_t, Term> of;
  std::vector<std::uint32_t> attributes;  // that they are on, and the query, ascending

  const Term* find(std::uint32_t coordinate) const {
    const auto found = of.find(coordinate);
    return found == of.end() ? nullptr : &found->second;
  }
};

// e_0, …, e_most of the numbers.
std::vector<double> elementary_symmetric(std::span<const double> numbers, std::size_t most) {
  std::vector<double> e(most + 1, 0.0);
  e[0] = 1;
  for (const double number : numbers) {
    for (std::size_t l = most; l > 0; --l) e[l] += number * e[l - 1];
  }
  return e;
}

void add_attributes(std::vector<std::uint32_t>& all, std::span<const std::uint32_t> more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// --- characters

std::vector<std::uint32_t> attributes_of(std::span<const Factor> factors) {
  std::vector<std::uint32_t> attributes;
  for (const Factor& factor : factors) attributes.push_back(factor.attribute);
  return attributes;
}

Terms terms_on(const Characters& characters, const SampledChannel& channel, const LinearQuery& linear) {
  Terms terms;
  std::map<std::vector<std::uint32_t>, double> information;
  for (const LinearQuery::Weight& weight : linear.weights) {
    const std::vector<std::uint32_t> on = attributes_of(characters.factors(weight.coordinate));
    const auto known = information.find(on);
    const double value = known != information.end() ? known->second : channel.information(on);
    if (known == information.end()) {
      information.emplace(on, value);
      add_attributes(terms.attributes, on);
    }
    terms.of.emplace(weight.coordinate, Terms::Term{weight.value, value});
  }
  return terms;
}

// The coordinates that a group of the class covers among those on the given factors, which are the group's factors
// within the query's attributes.
std::vector<std::uint32_t> covered_by(const GroupClass& group_class, std::span<const Factor> factors,
                                      const Characters& characters, const Terms& terms) {
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
    if (terms.find(coordinate) != nullptr) coordinates.push_back(coordinate);
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
                             const Terms& terms) {
  const CharacterIndex& index = characters.index();
  const auto attribute_weight = [&](std::size_t i) {
    return spread == Spread::kSubsets ? 1.0 : static_cast<double>(index.masks(i));
  };
  std::vector<double> all;
  std::vector<double> outside;
  for (std::uint32_t i = 0; i < index.attributes(); ++i) {
    all.push_back(attribute_weight(i));
    if (!std::binary_search(terms.attributes.begin(), terms.attributes.end(), i)) outside.push_back(all.back());
  }
  const std::vector<double> e_all = elementary_symmetric(all, SampledChannel::kMaxWidth + 1);
  const std::vector<double> e_outside = elementary_symmetric(outside, SampledChannel::kMaxWidth + 1);

  std::vector<Piece> pieces;
  for (const GroupClass& group_class : channel.classes()) {
    const double drawn = static_cast<double>(group_class.weight) / static_cast<double>(channel.total_weight());
    const std::uint32_t s = group_class.attributes;
    for (std::uint32_t subset = 1; subset < (1U << terms.attributes.size()); ++subset) {
      std::vector<std::uint32_t> inside;
      double probability = drawn;
      for (std::size_t i = 0; i < terms.attributes.size(); ++i) {
        if ((subset >> i & 1U) == 0) continue;
        inside.push_back(terms.attributes[i]);
        probability *= attribute_weight(inside.back()) / static_cast<double>(index.masks(inside.back()));
      }
      if (inside.size() > s || (group_class.kind == GroupKind::kSingle && inside.size() != s)) continue;
      probability *= e_outside[s - inside.size()] / e_all[s];
      if (!(probability > 0)) continue;
      for_each_factors(index, inside, [&](std::span<const Factor> factors) {
        std::vector<std::uint32_t> coordinates = covered_by(group_class, factors, characters, terms);
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

Terms terms_on(const Literals& literals, const SampledChannel& channel, const LinearQuery& linear) {
  Terms terms;
  for (const LinearQuery::Weight& weight : linear.weights) {
    const auto block = std::upper_bound(
        literals.blocks().begin(), literals.blocks().end(), weight.coordinate,
        [](std::uint32_t coordinate, const AttributeBlock& candidate) { return coordinate < candidate.offset; });
    const auto attribute = static_cast<std::uint32_t>(block - literals.blocks().begin() - 1);
    add_attributes(terms.attributes, {{attribute}});
    terms.of.emplace(weight.coordinate, Terms::Term{weight.value, channel.literal_information(weight.coordinate)});
  }
  return terms;
}

std::vector<Piece> pieces_on(const SampledChannel& channel, const Terms& terms) {
  std::vector<Piece> pieces;
  std::vector<Covered> covered;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const GroupClass& group_class = channel.class_of(group);
    channel.covered(group, covered);
    Piece piece{pick(channel, group_class), channel.gamma(group_class), {}};
    for (const Covered& coordinate : covered) {
      if (terms.find(coordinate.coordinate) != nullptr) piece.coordinates.push_back(coordinate.coordinate);
    }
    if (!piece.coordinates.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

// --- populations

// Populations are the mixtures of some extreme ones. Of each of these: ω, and for every piece E[s_G] and E[s_G²].
struct Extremes {
  std::vector<double> omega;
  std::vector<std::vector<double>> mean;    // [extreme][piece]
  std::vector<std::vector<double>> square;  // [extreme][piece]
};

// Calls visit(record values) for every combination of values of the attributes; the others stay 0.
template <class Visit>
void for_each_cell(const Schema& schema, std::span<const std::uint32_t> attributes, Visit&& visit) {
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (;;) {
    visit(std::as_const(values));
    std::size_t i = 0;
    while (i < attributes.size() && ++values[attributes[i]] == schema[attributes[i]].size())
      values[attributes[i++]] = 0;
    if (i == attributes.size()) return;
  }
}

// a_j(x) for the coordinates of the pieces.
int sign_of(const Arrangement& arrangement, std::uint32_t coordinate, std::span<const std::uint32_t> values,
            std::span<const std::int8_t> embedding) {
  const auto* characters = std::get_if<Characters>(&arrangement.kind());
  if (characters == nullptr) return embedding[coordinate];
  return parity(characters->factors(coordinate), values) == 0 ? 1 : -1;
}

Extremes extremes_of(const Task& task, const Query& query, const Terms& terms, std::span<const Piece> pieces) {
  const bool any_population = std::holds_alternative<Characters>(task.arrangement().kind());
  Extremes extremes;
  std::vector<double> members(2, 0.0);
  if (!any_population) {
    extremes = {{0, 1},
                std::vector(2, std::vector<double>(pieces.size(), 0.0)),
                std::vector(2, std::vector<double>(pieces.size(), 0.0))};
  }
  std::vector<std::int8_t> embedding(any_population ? 0 : task.arrangement().dimension());
  for_each_cell(task.schema(), terms.attributes, [&](const std::vector<std::uint32_t>& values) {
    const bool satisfied = query.evaluate(values);
    std::size_t extreme = satisfied ? 1 : 0;
    if (any_population) {
      extreme = extremes.omega.size();
      extremes.omega.push_back(satisfied ? 1 : 0);
      extremes.mean.emplace_back(pieces.size(), 0.0);
      extremes.square.emplace_back(pieces.size(), 0.0);
    } else {
      task.arrangement().encode(Record::create(task.schema(), values).value(), embedding);
      members[extreme] += 1;
    }
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      double signal = 0;
      for (const std::uint32_t j : pieces[p].coordinates) {
        signal += terms.find(j)->ratio() * sign_of(task.arrangement(), j, values, embedding);
      }
      extremes.mean[extreme][p] += signal;
      extremes.square[extreme][p] += signal * signal;
    }
  });
  for (std::size_t b = 0; b < 2 && !any_population; ++b) {
    for (double& mean : extremes.mean[b]) mean /= members[b];
    for (double& square : extremes.square[b]) square /= members[b];
  }
  return extremes;
}

// The largest value over mixtures of Σ_G p·(γ³E[s²] - γ⁴E[s]²) - share·ω(1-ω), which is concave: by Frank and Wolfe's
// method with exact steps, until the tangent leaves at most 0.1 % of `scale` to gain, which is added.
double largest(const Extremes& extremes, std::span<const Piece> pieces, double share, double scale) {
  constexpr int kMaxSteps = 2000;
  constexpr double kTolerance = 1e-3;
  const std::size_t count = extremes.omega.size();
  std::vector<double> linear(count, 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      linear[v] += pieces[p].probability * std::pow(pieces[p].gamma, 3) * extremes.square[v][p];
    }
    linear[v] -= share * extremes.omega[v];
  }
  // The present mixture, by its moments.
  std::vector<double> mean(pieces.size(), 0.0);
  double omega = 0;
  double linear_now = 0;
  for (std::size_t v = 0; v < count; ++v) {
    const double part = 1.0 / static_cast<double>(count);
    for (std::size_t p = 0; p < pieces.size(); ++p) mean[p] += part * extremes.mean[v][p];
    omega += part * extremes.omega[v];
    linear_now += part * linear[v];
  }
  std::vector<double> weight(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p) weight[p] = pieces[p].probability * std::pow(pieces[p].gamma, 4);
  for (int step = 0;; ++step) {
    double curved_now = share * omega * omega;
    for (std::size_t p = 0; p < pieces.size(); ++p) curved_now -= weight[p] * mean[p] * mean[p];
    // Derivative towards each extreme, and the curvature on the way to the best of them.
    double best = 0;
    double bend = 0;
    std::size_t towards = count;
    for (std::size_t v = 0; v < count; ++v) {
      const double omega_step = extremes.omega[v] - omega;
      double slope = linear[v] - linear_now + 2 * share * omega * omega_step;
      double curvature = share * omega_step * omega_step;
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const double difference = extremes.mean[v][p] - mean[p];
        slope -= 2 * weight[p] * mean[p] * difference;
        curvature -= weight[p] * difference * difference;
      }
      if (slope > best) {
        best = slope;
        bend = curvature;
        towards = v;
      }
    }
    if (towards == count || best < kTolerance * scale || step == kMaxSteps) return linear_now + curved_now + best;
    const double length = bend < 0 ? std::min(1.0, best / (-2 * bend)) : 1.0;
    for (std::size_t p = 0; p < pieces.size(); ++p) mean[p] += length * (extremes.mean[towards][p] - mean[p]);
    omega += length * (extremes.omega[towards] - omega);
    linear_now += length * (linear[towards] - linear_now);
  }
}

double mean_square(const Piece& piece, const Terms& terms) {
  double sum = 0;
  for (const std::uint32_t j : piece.coordinates) sum += std::pow(terms.find(j)->ratio(), 2);
  return sum;
}

// Σ|g_j/I_j| over the piece: at least |s_G(x)| for every x.
double largest_signal(const Piece& piece, const Terms& terms) {
  double sum = 0;
  for (const std::uint32_t j : piece.coordinates) sum += std::abs(terms.find(j)->ratio());
  return sum;
}

std::size_t cells_of(const Schema& schema, std::span<const std::uint32_t> attributes) {
  std::size_t cells = 1;
  for (const std::uint32_t attribute : attributes) cells = std::min(cells * schema[attribute].size(), kMaxExact + 1);
  return cells;
}

}  // namespace

ReportVariance sampled_variance(const Task& task, const Query& query, const LinearQuery& linear) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const auto* characters = std::get_if<Characters>(&task.arrangement().kind());
  Terms terms = characters != nullptr ? terms_on(*characters, channel, linear)
                                      : terms_on(std::get<Literals>(task.arrangement().kind()), channel, linear);
  const std::vector<Piece> pieces =
      characters != nullptr ? pieces_on(*characters, channel, std::get<SampledSpec>(task.spec().channel).spread, terms)
                            : pieces_on(channel, terms);
  add_attributes(terms.attributes, query.attributes());

  ReportVariance result{0, 0, 0, 0};
  double noise = 0;
  double bound = 0;
  for (const Piece& piece : pieces) {
    const double square = mean_square(piece, terms);
    const double signal = largest_signal(piece, terms);
    noise += piece.probability * (1 - piece.gamma) * piece.gamma * piece.gamma * square;
    bound += piece.probability * std::pow(piece.gamma, 3) * signal * signal;
    result.influence = std::max(result.influence, 2 * piece.gamma * signal);
  }
  for (const auto& [coordinate, term] : terms.of) result.average += term.weight * term.ratio();

  if (linear.weights.empty() || pieces.size() > kMaxExact / cells_of(task.schema(), terms.attributes)) {
    result.worst = result.worst_among_reporters = noise + bound;
    return result;
  }
  const Extremes extremes = extremes_of(task, query, terms, pieces);
  const bool one_class = extremes.omega.size() < 2;
  if (one_class) return result;
  result.worst = noise + largest(extremes, pieces, 0, result.average);
  result.worst_among_reporters = noise + largest(extremes, pieces, 1, result.average);
  return result;
}

}  // namespace hearsay::aggregator
