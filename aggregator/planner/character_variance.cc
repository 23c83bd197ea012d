// Symbols: those of report_variance.cc, with h_j = g_j/I_j. p̂(j) = E[a_j] is the Walsh–Hadamard transform of the
// population p. E[s_G] = Σ_{j in G} h_j·p̂(j). Since a_i·a_j = a_{i⊕j} on masks, E[s_G²] = Σ_{i,j in G}
// h_i·h_j·p̂(i⊕j). Both means and their derivatives in p take transforms on the cube of the query's attributes.

#include "aggregator/planner/character_variance.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/planner/worst_population.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

using compiler::BitCube;
using GroupClass = SampledChannel::GroupClass;

bool covers(const GroupClass& group_class, int attributes) {
  if (group_class.kind == GroupKind::kRaw) return true;
  if (group_class.kind == GroupKind::kEven) return attributes % 2 == 0;
  return static_cast<std::uint32_t>(attributes) == group_class.size;
}

std::uint32_t selector_of(const BitCube& cube, std::uint32_t set) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < cube.axes().size(); ++i) {
    if ((set >> i & 1U) != 0) bits |= cube.axes()[i].ones << cube.axes()[i].shift;
  }
  return bits;
}

const Characters& characters_of(const Task& task) { return std::get<Characters>(task.arrangement().kind()); }

std::vector<std::uint32_t> all_sets(std::size_t axes) {
  std::vector<std::uint32_t> sets;
  for (std::uint32_t set = 1; set < std::uint32_t{1} << axes; ++set) sets.push_back(set);
  return sets;
}

// Returns the sets of attributes that the query has weights on. Coordinates on one set are consecutive.
std::vector<std::vector<std::uint32_t>> asked_of(const Characters& characters, const compiler::LinearQuery& linear) {
  std::vector<std::vector<std::uint32_t>> asked;
  std::uint64_t end = 0;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    if (weight.coordinate < end) continue;
    asked.push_back(characters.attributes(weight.coordinate));
    const CharacterIndex::Ranks ranks = characters.coordinates_on(asked.back());
    end = ranks.first + ranks.size;
  }
  return asked;
}

std::vector<std::uint32_t> attributes_of(const Characters& characters, const compiler::LinearQuery& linear) {
  std::vector<std::uint32_t> all;
  for (const auto& attributes : asked_of(characters, linear)) {
    all.insert(all.end(), attributes.begin(), attributes.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::uint32_t> sets_of(const Characters& characters, const compiler::LinearQuery& linear) {
  const std::vector<std::uint32_t> all = attributes_of(characters, linear);
  std::vector<std::uint32_t> sets;
  for (const auto& attributes : asked_of(characters, linear)) {
    std::uint32_t set = 0;
    for (const std::uint32_t attribute : attributes) {
      set |= 1U << (std::lower_bound(all.begin(), all.end(), attribute) - all.begin());
    }
    sets.push_back(set);
  }
  return sets;
}

}  // namespace

CharacterVariance::CharacterVariance(const Task& task, std::vector<std::uint32_t> attributes)
    : CharacterVariance(task, attributes, all_sets(attributes.size())) {}

CharacterVariance::CharacterVariance(const Task& task, const compiler::LinearQuery& linear)
    : CharacterVariance(task, attributes_of(characters_of(task), linear), sets_of(characters_of(task), linear)) {}

CharacterVariance::CharacterVariance(const Task& task, std::vector<std::uint32_t> attributes,
                                     std::vector<std::uint32_t> asked)
    : channel_(std::get<SampledChannel>(task.channel().kind())), cube_(task.asked_schema(), attributes) {
  const Characters& characters = characters_of(task);
  const std::uint32_t sets = std::uint32_t{1} << attributes.size();
  families_.resize(sets);
  information_.push_back(0);
  coordinates_.push_back({0, 0});
  for (std::uint32_t set = 1; set < sets; ++set) {
    add_families(set, asked);
    const std::vector<std::uint32_t> on = cube_.attributes(set);
    information_.push_back(channel_.information(on));
    coordinates_.push_back(characters.coordinates_on(on));
  }
  for (std::size_t cell = 0; cell < cube_.size(); ++cell) set_of_.push_back(cube_.support(cell));
}

// Of a group, only the part on the query's attributes matters.
void CharacterVariance::add_families(std::uint32_t set, std::span<const std::uint32_t> asked) {
  const std::vector<std::uint32_t> inside = cube_.attributes(set);
  const std::vector<std::uint32_t> outside = cube_.attributes(~set & ((1U << cube_.axes().size()) - 1));
  for (const GroupClass& group_class : channel_.classes()) {
    if (group_class.kind == GroupKind::kSingle && inside.size() != group_class.size) continue;
    const double probability = channel_.probability(group_class, inside, outside);
    if (!(probability > 0)) continue;
    const double gamma = channel_.gamma(group_class);
    const double information = probability * gamma * gamma;
    Family family{gamma, information * (1 - gamma), information * gamma, information * gamma * gamma, {}};
    for (const std::uint32_t subset : asked) {
      if ((subset & ~set) != 0 || !covers(group_class, __builtin_popcount(subset))) continue;
      family.selectors.push_back(selector_of(cube_, subset));
    }
    if (!family.selectors.empty()) families_[set].push_back(std::move(family));
  }
}

std::vector<double> CharacterVariance::ratios(const compiler::LinearQuery& linear) const {
  std::vector<double> h(cube_.size(), 0.0);
  std::uint32_t set = 0;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    const auto holds = [&](std::uint32_t s) {
      return weight.coordinate >= coordinates_[s].first &&
             weight.coordinate < coordinates_[s].first + coordinates_[s].size;
    };
    for (std::uint32_t s = 1; !holds(set); ++s) set = s;
    h[cube_.masks(set, weight.coordinate - coordinates_[set].first)] = weight.value / information_[set];
  }
  return h;
}

// Computes n·Var - share·ω(1-ω) as a function of the population. Symbols: top of file.
class CharacterVariance::Population {
 public:
  using Means = std::vector<double>;  // p̂: the transform of a population

  Population(const CharacterVariance& variance, std::vector<double> h, double offset)
      : variance_(variance), h_(std::move(h)), satisfied_(h_.size()), products_(h_.size()) {
    for (std::size_t j = 1; j < h_.size(); ++j) satisfied_[j] = h_[j] * variance_.information_[variance_.set_of_[j]];
    satisfied_[0] = offset;
    weights_ = satisfied_;
    compiler::walsh_hadamard(satisfied_);
    for_each_group([&](std::size_t masks, const Family& family) { add_products(masks, family); });
    linear_ = products_;
    compiler::walsh_hadamard(linear_);
    for (std::size_t cell = 0; cell < cells(); ++cell) {
      if (!variance_.cube_.is_padding(cell)) valid_.push_back(static_cast<std::uint32_t>(cell));
    }
  }

  void set_share(double share) { share_ = share; }
  std::size_t vertices() const { return valid_.size(); }
  double influence() const { return influence_; }
  double average() const {
    double sum = 0;
    for (std::size_t j = 1; j < cells(); ++j) sum += weights_[j] * h_[j];
    return sum;
  }

  Means moments(const std::vector<double>& parts) const {
    Means means(cells(), 0.0);
    for (std::size_t v = 0; v < valid_.size(); ++v) means[valid_[v]] = parts[v];
    compiler::walsh_hadamard(means);
    return means;
  }

  double slopes(const Means& means, std::vector<double>& out) const {
    std::vector<double> pull(cells(), 0.0);  // at j: half the derivative of Σ_G p_G·γ⁴·E[s_G]² by p̂(j)
    for_each_group([&](std::size_t masks, const Family& family) {
      const double push = family.mean * signal(masks, family, means);
      for (const std::uint32_t selector : family.selectors) pull[masks & selector] += push * h_[masks & selector];
    });
    double squares = 0;
    for (std::size_t j = 1; j < cells(); ++j) squares += pull[j] * means[j];
    const double omega = mean_of(weights_, means);
    const double first = mean_of(products_, means);
    compiler::walsh_hadamard(pull);
    for (std::size_t v = 0; v < valid_.size(); ++v) {
      const std::uint32_t cell = valid_[v];
      out[v] = linear_[cell] - first - 2 * (pull[cell] - squares);
      out[v] += share_ * (2 * omega - 1) * (satisfied_[cell] - omega);
    }
    return first - squares - share_ * omega * (1 - omega);
  }

  double bend(const Means& step) const {
    double sum = share_ * std::pow(mean_of(weights_, step), 2);
    for_each_group([&](std::size_t masks, const Family& family) {
      const double mean = signal(masks, family, step);
      sum -= family.mean * mean * mean;
    });
    return sum;
  }

 private:
  template <class Visit>
  void for_each_group(Visit&& visit) const {
    for (std::size_t masks = 1; masks < cells(); ++masks) {
      for (const Family& family : variance_.families_[variance_.set_of_[masks]]) visit(masks, family);
    }
  }

  // Adds the noise to products_[0], since p̂(0) = 1, and adds the coefficients of E[s_G²] (symbols: top of file).
  void add_products(std::size_t masks, const Family& family) {
    double size = 0;
    for (std::size_t a = 0; a < family.selectors.size(); ++a) {
      const std::size_t i = masks & family.selectors[a];
      if (h_[i] == 0) continue;
      size += std::abs(h_[i]);
      products_[0] += (family.noise + family.square) * h_[i] * h_[i];
      for (std::size_t b = 0; b < a; ++b) {
        const std::size_t j = masks & family.selectors[b];
        products_[i ^ j] += 2 * family.square * h_[i] * h_[j];
      }
    }
    influence_ = std::max(influence_, 2 * family.gamma * size);
  }

  double signal(std::size_t masks, const Family& family, const Means& means) const {
    double sum = 0;
    for (const std::uint32_t selector : family.selectors) sum += h_[masks & selector] * means[masks & selector];
    return sum;
  }
  static double mean_of(const std::vector<double>& coefficients, const Means& means) {
    double sum = 0;
    for (std::size_t j = 0; j < means.size(); ++j) sum += coefficients[j] * means[j];
    return sum;
  }
  std::size_t cells() const { return h_.size(); }

  const CharacterVariance& variance_;
  std::vector<double> h_;
  std::vector<double> weights_;    // the query's weights by mask; the offset at mask 0
  std::vector<double> satisfied_;  // the query's value in each cell
  std::vector<double> products_;   // at i⊕j: Σ_G p_G·γ³·h_i·h_j; at 0 also the noise
  std::vector<double> linear_;     // the transform of products_, by cell
  double share_ = 0;
  double influence_ = 0;
  std::vector<std::uint32_t> valid_;  // the cells that are combinations of values
};

ReportVariance CharacterVariance::of(const compiler::LinearQuery& linear) const {
  // A step costs a few transforms. All steps together take at most some tenths of a second.
  constexpr std::size_t kMostWork = std::size_t{1} << 24U;
  return after(linear, std::clamp<std::size_t>(kMostWork / cube_.size(), 4, 20'000));
}

ReportVariance CharacterVariance::bound(const compiler::LinearQuery& linear) const {
  constexpr std::size_t kMostWork = std::size_t{1} << 18U;
  return after(linear, kMostWork / cube_.size());
}

ReportVariance CharacterVariance::after(const compiler::LinearQuery& linear, std::size_t steps) const {
  Population population(*this, ratios(linear), linear.offset);
  const double average = population.average();
  const Maximum worst = largest(population, average, steps);
  population.set_share(1);
  const Maximum worst_among = largest(population, average, steps);
  return {.average = average,
          .worst = worst.value,
          .worst_among_reporters = worst_among.value,
          .influence = population.influence(),
          .kurtosis = worst_among.value > 0 ? std::pow(population.influence(), 2) / worst_among.value : 0,
          .exact = worst.exact && worst_among.exact};
}

double CharacterVariance::among(const compiler::LinearQuery& linear, std::span<const double> people) const {
  Population population(*this, ratios(linear), linear.offset);
  population.set_share(1);
  std::vector<double> means(people.begin(), people.end());
  compiler::walsh_hadamard(means);
  std::vector<double> slopes(population.vertices());
  return population.slopes(means, slopes);
}

}  // namespace hearsay::planner
