// Symbols: those of report_variance.cc; A = Σ_j g_j²/I_j, the average variance; T = a set of attributes, e_T = Σ g_j²
// over the coordinates on T; m_G = the number of the query's coordinates that group G covers.
//
// `sampled`: by Cauchy–Schwarz s_G² <= m_G·q_G. So n·Var <= Σ_G p_G·γ²·(1-γ+γ·m_G)·q_G = Σ_j (g_j/I_j)²·B_j with B_j =
// Σ_{G covers j} p_G·γ²·(1-γ+γ·m_G). On characters the sum is Σ_T e_T·B_T/I_T², which is at most A·max_j B_j/I_j.
//
// `characters`: some bit patterns stand for no value. The compiler continues a query to these patterns so that A is
// least. So A is at most its value for any other continuation, for example by the query's mean π over the values. Let
// v_i be the part of attribute i's bit patterns that stand for values, and v = Π v_i over the attributes that the query
// depends on. The continuation by π has Σ_T e_T = v·π(1-π) <= v/4 (Parseval). All T are among the query's attributes,
// so A <= max_T Π_{i in T} v_i/(4·I_T). For a product of literals of means q_i, each continued by its own mean, e_T =
// Π_{i in T} v_i·q_i(1-q_i)·Π_{i not in T} q_i².
//
// `literals`, several attributes: A = 1/Σ_j I_j·δ_j², where δ is the difference of the classes' means. Let f be a
// conjunction of independent conditions. E[a_j|f=1] - E[a_j] depends only on the literal of a_j's attribute, and δ_j is
// this difference divided by 1 - E f. Let q_i be the probability of the literal of attribute i, and D_i = Σ_j (E[a_j |
// literal] - E[a_j])² over its coordinates. Then Σ_j δ_j² = Σ_i D_i/(1 - Π_i q_i)².
//
// `literals`, one attribute: a literal has weight 1/2 on its own coordinate. A function of a range's J values changes
// at most J-1 times, and each change has the weight 1/2. A function of a categorical attribute's J values has weights
// of at most 1/4 in magnitude, with a suitable offset.

#include "aggregator/planner/class_bound.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

using GroupClass = SampledChannel::GroupClass;
using Attributes = std::span<const std::uint32_t>;

std::vector<std::uint32_t> subset_of(Attributes attributes, std::uint32_t set) {
  std::vector<std::uint32_t> on;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if ((set >> i & 1U) != 0) on.push_back(attributes[i]);
  }
  return on;
}

// Returns how many of a query's coordinates one group of the class covers at most. The query is on `attributes`
// attributes.
double most_covered(const GroupClass& group_class, std::size_t attributes) {
  const double subsets = std::exp2(std::min<std::size_t>(attributes, group_class.size));
  if (group_class.kind == GroupKind::kRaw) return subsets - 1;
  return group_class.kind == GroupKind::kEven ? std::max(subsets / 2 - 1, 1.0) : 1;
}

// Returns the part of an attribute's bit patterns that stand for values.
double filled(const Attribute& attribute) { return attribute.size() / std::exp2(bits_of(attribute)); }

// Each pair has the numbers q² and v·q(1-q) of one literal, or upper bounds of both numbers for several literals. Here
// q is the literal's probability, and v the part of the attribute's bit patterns that stand for values.
using Moments = std::vector<std::pair<double, double>>;

Moments literal_moments(const Attribute& attribute, std::size_t most) {
  const double size = attribute.size();
  const auto of = [&](double low, double high) {
    const double nearest = std::clamp(0.5, low, high);
    return std::pair{high * high, filled(attribute) * nearest * (1 - nearest)};
  };
  if (attribute.kind() != AttributeKind::kRange) return {of(1 / size, 1 / size), of(1 - 1 / size, 1 - 1 / size)};
  Moments moments;
  const double steps = std::min(size, static_cast<double>(most));
  for (double k = 1; k <= steps; ++k) {
    const bool every = steps == size;
    moments.push_back(every ? of(k / steps, k / steps) : of((k - 1) / steps, k / steps));
  }
  return moments;
}

// Returns the largest Σ_T price_T·e_T of a product of literals. e_T is Σ g_j² over the coordinates on the set T.
double dearest_product(const Schema& schema, Attributes attributes, const std::vector<double>& price) {
  constexpr double kMostProducts = 0x1p18;
  const auto most = static_cast<std::size_t>(std::pow(kMostProducts, 1 / static_cast<double>(attributes.size())));
  double dearest = 0;
  // Folds in the literals of one attribute after the other. `left` has the price of each set of the remaining
  // attributes.
  const std::function<void(std::size_t, const std::vector<double>&)> fold = [&](std::size_t i,
                                                                                const std::vector<double>& left) {
    if (i == attributes.size()) {
      dearest = std::max(dearest, left.front());
      return;
    }
    for (const auto& [square, variance] : literal_moments(schema[attributes[i]], std::max<std::size_t>(most, 2))) {
      std::vector<double> folded(left.size() / 2);
      for (std::size_t set = 0; set < folded.size(); ++set) {
        folded[set] = square * left[2 * set] + variance * left[2 * set + 1];
      }
      fold(i + 1, folded);
    }
  };
  fold(0, price);
  return dearest;
}

// Returns the largest Σ_T price_T·e_T (see dearest_product()) of a query of the class. There is a price for each set of
// attributes, 0 for the empty set.
using LargestSum = std::function<double(const std::vector<double>& price)>;

bool has_padding(const Schema& schema, Attributes attributes) {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](std::uint32_t i) { return schema[i].size() != std::uint32_t{1} << bits_of(schema[i]); });
}

ReportVariance on_characters(const SampledChannel& channel, Attributes attributes, bool padded,
                             const LargestSum& largest) {
  const std::uint32_t sets = std::uint32_t{1} << attributes.size();
  std::vector<double> price(sets, 0.0);  // 1/I_T
  std::vector<double> bent(sets, 0.0);   // B_T/I_T²
  double excess = 1;                     // max B_T/I_T
  double swing = 0;
  double least = INFINITY;
  for (std::uint32_t set = 1; set < sets; ++set) {
    const std::vector<std::uint32_t> on = subset_of(attributes, set);
    const double information = channel.information(on);
    for (const GroupClass& group_class : channel.classes()) {
      const double gamma = channel.gamma(group_class);
      const double most = most_covered(group_class, attributes.size());
      const double coverage = channel.coverage(group_class, on);
      bent[set] += coverage * gamma * gamma * (1 - gamma + gamma * most) / (information * information);
      if (coverage > 0) swing = std::max(swing, gamma * std::sqrt(most));
    }
    price[set] = 1 / information;
    excess = std::max(excess, bent[set] * information);
    least = std::min(least, information);
  }
  ReportVariance bound{};
  bound.average = largest(price);
  bound.worst = bound.worst_among_reporters = padded ? excess * bound.average : largest(bent);
  bound.influence = 2 * swing * std::sqrt(bound.average / least);
  return bound;
}

ReportVariance on_characters(const LaplaceChannel& channel, const Characters& characters, Attributes attributes,
                             const LargestSum& largest) {
  const std::uint32_t sets = std::uint32_t{1} << attributes.size();
  const double noise = channel.noise_variance(0);  // the same for every coordinate
  std::vector<double> price(sets, noise);
  price.front() = 0;
  double coordinates = 1;
  for (const std::uint32_t i : attributes) coordinates *= std::exp2(characters.bits(i));
  ReportVariance bound{};
  bound.average = bound.worst_among_reporters = largest(price);
  bound.worst = bound.average + 0.25;
  bound.influence = 2 * static_cast<double>(channel.bound(0)) * std::sqrt(coordinates * bound.average / noise);
  bound.kurtosis = (1 + 3 * noise) / noise;
  return bound;
}

// Returns Σ n² for n = 1, …, last.
double squares(double last) { return last * (last + 1) * (2 * last + 1) / 6; }

// Returns, for each literal of an attribute, the literal's probability q and D = Σ_j (E[a_j | literal] - E[a_j])².
std::vector<std::pair<double, double>> literal_differences(const Attribute& attribute) {
  const double size = attribute.size();
  if (attribute.kind() == AttributeKind::kBoolean) return {{0.5, 1}};
  if (attribute.kind() == AttributeKind::kCategorical) {
    return {{1 / size, 4 * (size - 1) / size}, {1 - 1 / size, 4 / (size * (size - 1))}};
  }
  std::vector<std::pair<double, double>> list;
  for (double t = 1; t < size; ++t) {
    const double above = t / (size - t);
    list.emplace_back(1 - t / size, 4 / (size * size) * (squares(t) + above * above * squares(size - t - 1)));
  }
  return list;
}

// Returns the least Σ δ_j² of a conjunction (symbols: top of file). If there are many conjunctions, returns a lower
// bound: for some attributes, the least q and the least D stand for all literals.
double least_separation(const Schema& schema, Attributes attributes) {
  constexpr double kMostProducts = 0x1p20;
  std::vector<std::vector<std::pair<double, double>>> lists;
  double products = 1;
  for (const std::uint32_t i : attributes) {
    lists.push_back(literal_differences(schema[i]));
    products *= static_cast<double>(lists.back().size());
  }
  for (auto& list : lists) {
    if (products <= kMostProducts) break;
    std::pair<double, double> least = list.front();
    for (const auto& [q, difference] : list) least = {std::min(least.first, q), std::min(least.second, difference)};
    products /= static_cast<double>(list.size());
    list = {least};
  }
  double least = INFINITY;
  const std::function<void(std::size_t, double, double)> extend = [&](std::size_t i, double q, double difference) {
    if (i == lists.size()) {
      least = std::min(least, difference / ((1 - q) * (1 - q)));
      return;
    }
    for (const auto& [one, more] : lists[i]) extend(i + 1, q * one, difference + more);
  };
  extend(0, 1, 0);
  return least;
}

double coordinates_of(const Attribute& attribute) {
  if (attribute.kind() == AttributeKind::kBoolean) return 1;
  return attribute.kind() == AttributeKind::kRange ? attribute.size() - 1 : attribute.size();
}

// Bounds queries whose weights g_j have Σ g_j² <= energy and are on `coordinates` coordinates.
ReportVariance on_literals(const SampledChannel& channel, double energy, double coordinates) {
  double excess = 1;
  double swing = 0;
  double least = INFINITY;
  for (const GroupClass& group_class : channel.classes()) {
    const double gamma = channel.gamma(group_class);
    const double most = std::min<double>(coordinates, group_class.width);
    excess = std::max(excess, 1 - gamma + gamma * most);
    swing = std::max(swing, gamma * std::sqrt(most));
    least = std::min(least, gamma * gamma * channel.coverage(group_class, {}));
  }
  ReportVariance bound{};
  bound.average = energy / least;
  bound.worst = bound.worst_among_reporters = excess * bound.average;
  bound.influence = 2 * swing * std::sqrt(bound.average / least);
  return bound;
}

// For a query with weights g, the records of one class add at most (Σ|g_j|)² to the variance.
Result<ReportVariance> on_literals(const LaplaceChannel& channel, double energy, double coordinates) {
  if (channel.calibration() == LaplaceCalibration::kPaper) {
    return Error{ErrorCode::kLimitExceeded, "too many queries to find the worst of them for the paper's weights"};
  }
  const double noise = channel.noise_variance(0);
  ReportVariance bound{};
  bound.average = bound.worst_among_reporters = energy * (noise + coordinates);
  bound.worst = bound.average + 0.25;
  bound.influence = 2 * static_cast<double>(channel.bound(0)) * std::sqrt(coordinates * energy);
  bound.kurtosis = (1 + 3 * noise) / noise;
  return bound;
}

Result<ReportVariance> bound_of(const Task& task, Attributes attributes, const LargestSum& on_cube, double energy) {
  if (std::holds_alternative<Explicit>(task.arrangement().kind())) {
    return Error{ErrorCode::kLimitExceeded, "too many queries to find the worst of them on explicit vectors"};
  }
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  const auto* sampled = std::get_if<SampledChannel>(&task.channel().kind());
  double coordinates = 0;
  for (const std::uint32_t i : attributes) coordinates += coordinates_of(task.schema()[i]);
  const auto* characters = std::get_if<Characters>(&task.arrangement().kind());
  Result<ReportVariance> bound =
      characters != nullptr
          ? Result(laplace != nullptr
                       ? on_characters(*laplace, *characters, attributes, on_cube)
                       : on_characters(*sampled, attributes, has_padding(task.schema(), attributes), on_cube))
          : (laplace != nullptr ? on_literals(*laplace, energy, coordinates)
                                : Result(on_literals(*sampled, energy, coordinates)));
  if (bound && sampled != nullptr) {
    bound->kurtosis = bound->influence * bound->influence / bound->worst_among_reporters;
  }
  return bound;
}

}  // namespace

Result<ReportVariance> class_bound(const Task& task, const Conjunctions&, Attributes attributes) {
  const double separation = least_separation(task.schema(), attributes);
  return bound_of(
      task, attributes,
      [&](const std::vector<double>& price) { return dearest_product(task.schema(), attributes, price); },
      attributes.size() == 1 ? 0.25 : 1 / separation);
}

Result<ReportVariance> class_bound(const Task& task, const Functions&, Attributes attributes) {
  const Attribute& only = task.schema()[attributes.front()];
  return bound_of(
      task, attributes,
      [&](const std::vector<double>& price) {
        double dearest = 0;
        for (std::uint32_t set = 1; set < price.size(); ++set) {
          double part = 1;
          for (const std::uint32_t i : subset_of(attributes, set)) part *= filled(task.schema()[i]);
          dearest = std::max(dearest, part * price[set] / 4);
        }
        return dearest;
      },
      only.kind() == AttributeKind::kCategorical ? coordinates_of(only) / 16 : coordinates_of(only) / 4);
}

}  // namespace hearsay::planner
