// Symbols: those of set_prices.h and aggregator/compiler/question_law.h. f = const + Σ_T f_T. f_T is the sum, over the
// terms that have T, of a·Π_{i in T} (g_i - μ_i). Here a = factor·Π of μ_i over the term's other attributes. So φ_T = Σ
// a·Π_{i in T} t_i. Given x, E[φ_T·φ_U | truth] is, for each pair of terms, a product over attributes. The factor of
// attribute i is D_i(x_i) = E[t_i·t'_i] if i is in both sets, and g_i(x_i) - μ_i if i is in one.
//
// The variance depends on x only through these factors. If an attribute has one function, E[contribution²] is linear in
// its D_i, with a coefficient that is a second moment itself. So, of all values with the same g_i, the value with the
// largest D_i stands for the others.

#include "aggregator/planner/question_variance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/answer_moments.h"
#include "aggregator/planner/people.h"
#include "aggregator/planner/worst_population.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

constexpr double kMaxWorkOfKinds = 0x1p27;

std::vector<std::uint32_t> attributes_of_terms(const compiler::LinearQuery& linear) {
  std::vector<std::uint32_t> all;
  for (const compiler::ProductTerm& term : linear.terms) {
    for (const auto& part : term.parts) all.push_back(part.attribute);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const SampledChannel& sampled(const Task& task) { return std::get<SampledChannel>(task.channel().kind()); }

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest_size(std::span<const double> list) {
  double largest = 0;
  for (const double one : list) largest = std::max(largest, std::abs(one));
  return largest;
}

// Rounds, so that two numbers become the same if they differ only by rounding.
void add_rounded(double value, double scale, std::vector<std::int64_t>& key) {
  constexpr double kSteps = 1e8;
  key.push_back(scale > 0 ? std::llround(value / scale * kSteps) : 0);
}

}  // namespace

QuestionVariance::QuestionVariance(const Task& task, const compiler::LinearQuery& linear)
    : linear_(linear), attributes_(attributes_of_terms(linear)), prices_(sampled(task), attributes_) {
  for (const std::uint32_t attribute : attributes_) add_axis(task, attribute);
  add_sets();
}

void QuestionVariance::add_axis(const Task& task, std::uint32_t attribute) {
  const Questions& questions = sampled(task).questions(attribute);
  const compiler::QuestionLaw law(questions);
  const AnswerMoments moments(questions);
  Axis axis;
  axis.attribute = attribute;
  std::vector<const std::vector<double>*> weights;
  for (const compiler::ProductTerm& term : linear_.terms) {
    const auto part =
        std::find_if(term.parts.begin(), term.parts.end(), [&](const auto& p) { return p.attribute == attribute; });
    axis.part_of.push_back(part == term.parts.end() ? -1 : static_cast<std::int32_t>(weights.size()));
    if (part == term.parts.end()) continue;
    weights.push_back(&part->weights);
    axis.means.push_back(part->mean);
    axis.deviations.push_back(law.apply(part->weights));
    axis.largest.push_back(moments.largest_score(part->weights));
  }
  moments_exact_ = moments_exact_ && moments.is_exact();
  pairs_exact_ = pairs_exact_ && (moments.is_exact() || weights.size() == 1);
  for (std::size_t r = 0; r < weights.size(); ++r) {
    for (std::size_t s = 0; s < weights.size(); ++s) {
      axis.energies.push_back(product(*weights[r], axis.deviations[s]));
      if (questions.width() == 1) {
        axis.moments.push_back({axis.energies.back()});  // the scores of the two answers are opposite
      } else if (s < r) {
        axis.moments.push_back(axis.moments[s * weights.size() + r]);
      } else if (s == r || moments.is_exact()) {
        axis.moments.push_back(moments.at_values(*weights[r], *weights[s]));
      } else {
        axis.moments.push_back({0});
      }
    }
  }
  axes_.push_back(std::move(axis));
}

void QuestionVariance::add_sets() {
  for (std::uint32_t set = 1; set < prices_.sets(); ++set) {
    if (!(prices_.information(set) > 0)) continue;
    std::vector<OnSet> on_set;
    for (std::size_t r = 0; r < linear_.terms.size(); ++r) {
      double coefficient = linear_.terms[r].factor;
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        const bool inside = (set >> i & 1U) != 0;
        const std::int32_t part = axes_[i].part_of[r];
        if (part < 0 && inside) coefficient = 0;
        if (part >= 0 && !inside) coefficient *= axes_[i].means[static_cast<std::size_t>(part)];
      }
      if (coefficient != 0) on_set.push_back({r, coefficient});
    }
    if (on_set.empty()) continue;
    sets_.push_back(set);
    on_sets_.push_back(std::move(on_set));
  }
  signals_.assign(sets_.size() * sets_.size(), 0.0);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    for (std::size_t u = 0; u <= s; ++u) {
      signals_[s * sets_.size() + u] = (s == u ? 1 : 2) * prices_.signal(sets_[s], sets_[u]);
    }
  }
}

// Returns one value for each kind of values that the query tells apart.
std::vector<std::uint32_t> QuestionVariance::telling_values(const Axis& axis) const {
  double scale = 0;
  double scale_of_moments = 0;
  for (const auto& deviations : axis.deviations) scale = std::max(scale, largest_size(deviations));
  for (const auto& moments : axis.moments) scale_of_moments = std::max(scale_of_moments, largest_size(moments));
  const bool by_moments = axis.functions() > 1;
  std::map<std::vector<std::int64_t>, std::uint32_t> kinds;
  for (std::uint32_t x = 0; x < axis.deviations.front().size(); ++x) {
    std::vector<std::int64_t> key;
    for (const auto& deviations : axis.deviations) add_rounded(deviations[x], scale, key);
    for (std::size_t pair = 0; by_moments && pair < axis.moments.size(); ++pair) {
      add_rounded(axis.moment(pair, x), scale_of_moments, key);
    }
    const auto [kind, fresh] = kinds.emplace(std::move(key), x);
    if (!fresh && axis.moment(0, x) > axis.moment(0, kind->second)) kind->second = x;
  }
  std::vector<std::uint32_t> values;
  for (const auto& [key, value] : kinds) values.push_back(value);
  return values;
}

double QuestionVariance::energy(std::size_t s) const {
  double sum = 0;
  for (const OnSet& one : on_sets_[s]) {
    for (const OnSet& other : on_sets_[s]) {
      double energy = one.coefficient * other.coefficient;
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        if ((sets_[s] >> i & 1U) != 0) energy *= axes_[i].energies[axes_[i].pair(one.term, other.term)];
      }
      sum += energy;
    }
  }
  return sum;
}

double QuestionVariance::part_at(std::size_t s, std::span<const std::uint32_t> values) const {
  double sum = 0;
  for (const OnSet& one : on_sets_[s]) {
    double part = one.coefficient;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if ((sets_[s] >> i & 1U) != 0) part *= axes_[i].deviation(one.term, values[i]);
    }
    sum += part;
  }
  return sum;
}

// Returns E[φ_T·φ_U | truth] for the sets T and U with the numbers s and u (symbols: top of file).
double QuestionVariance::product_at(std::size_t s, std::size_t u, std::span<const std::uint32_t> values) const {
  double sum = 0;
  for (const OnSet& one : on_sets_[s]) {
    for (const OnSet& other : on_sets_[u]) {
      double product = one.coefficient * other.coefficient;
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        const bool first = (sets_[s] >> i & 1U) != 0;
        const bool second = (sets_[u] >> i & 1U) != 0;
        if (first && second) {
          product *= axes_[i].moment(axes_[i].pair(one.term, other.term), values[i]);
        } else if (first || second) {
          product *= axes_[i].deviation(first ? one.term : other.term, values[i]);
        }
      }
      sum += product;
    }
  }
  return sum;
}

// Returns E[contribution²] without the noise. The noise is the same for all records.
double QuestionVariance::signal_at(std::span<const std::uint32_t> values) const {
  double sum = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    for (std::size_t u = 0; u <= s; ++u) {
      const double price = signals_[s * sets_.size() + u];
      if (price != 0) sum += price * product_at(s, u, values);
    }
  }
  return sum;
}

// By Cauchy–Schwarz, |E[φ_T·φ_U]| <= √(E φ_T²)·√(E φ_U²) (symbols: top of file). √(E φ_T²) is at most Σ √(E t²), over
// the terms t of φ_T.
double QuestionVariance::signal_bound() const {
  std::vector<double> sizes;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    double size = 0;
    for (const OnSet& one : on_sets_[s]) {
      double of_term = std::abs(one.coefficient);
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        if ((sets_[s] >> i & 1U) == 0) continue;
        of_term *= std::sqrt(largest_size(axes_[i].moments[axes_[i].pair(one.term, one.term)]));
      }
      size += of_term;
    }
    sizes.push_back(size);
  }
  double sum = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    for (std::size_t u = 0; u <= s; ++u) sum += signals_[s * sets_.size() + u] * sizes[s] * sizes[u];
  }
  return sum;
}

double QuestionVariance::noise() const {
  double sum = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) sum += prices_.noise(sets_[s]) * energy(s);
  return sum;
}

double QuestionVariance::average() const {
  double sum = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) sum += energy(s) / prices_.information(sets_[s]);
  return sum;
}

// The contribution of a report changes by at most twice the largest contribution.
double QuestionVariance::influence() const {
  std::vector<double> sizes(prices_.sets(), 0.0);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    for (const OnSet& one : on_sets_[s]) {
      double size = std::abs(one.coefficient);
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        if ((sets_[s] >> i & 1U) != 0) size *= axes_[i].largest[static_cast<std::size_t>(axes_[i].part_of[one.term])];
      }
      sizes[sets_[s]] += size;
    }
  }
  return 2 * prices_.largest(sizes);
}

double QuestionVariance::work_per_kind() const {
  double work = 1;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    for (std::size_t u = 0; u <= s; ++u) {
      if (signals_[s * sets_.size() + u] != 0) {
        work += static_cast<double>(on_sets_[s].size()) * static_cast<double>(on_sets_[u].size());
      }
    }
    work += static_cast<double>(on_sets_[s].size());
  }
  return work;
}

std::vector<double> QuestionVariance::mean_prices() const {
  std::vector<double> prices;
  for (const std::uint32_t set : sets_) {
    for (const std::uint32_t other : sets_) prices.push_back(prices_.mean(set, other));
  }
  return prices;
}

void QuestionVariance::add_kind(std::span<const std::uint32_t> values, double second, People& people) const {
  std::vector<double> parts;
  for (std::size_t s = 0; s < sets_.size(); ++s) parts.push_back(part_at(s, values));
  people.add(second, std::accumulate(parts.begin(), parts.end(), 0.0), parts);
}

ReportVariance QuestionVariance::worst() const {
  ReportVariance result{average(), 0, 0, influence(), 0, false};
  std::vector<std::vector<std::uint32_t>> choices;
  double kinds = 1;
  for (const Axis& axis : axes_) {
    choices.push_back(telling_values(axis));
    kinds *= static_cast<double>(choices.back().size());
  }
  if (!pairs_exact_ || kinds * work_per_kind() > kMaxWorkOfKinds) {
    result.worst = result.worst_among_reporters = noise() + signal_bound();
  } else {
    People people(mean_prices());
    const double same = noise();
    std::vector<std::size_t> place(axes_.size(), 0);
    std::vector<std::uint32_t> values(axes_.size());
    for (double kind = 0; kind < kinds; ++kind) {
      for (std::size_t i = 0; i < place.size(); ++i) values[i] = choices[i][place[i]];
      add_kind(values, same + signal_at(values), people);
      for (std::size_t i = 0; i < place.size() && ++place[i] == choices[i].size(); ++i) place[i] = 0;
    }
    const WorstPeople worst = worst_people(people, result.average);
    result.worst = worst.drawn.value;
    result.worst_among_reporters = worst.among_reporters.value;
    result.exact = worst.drawn.exact && worst.among_reporters.exact && moments_exact_;
  }
  if (result.worst_among_reporters > 0) {
    result.kurtosis = result.influence * result.influence / result.worst_among_reporters;
  }
  return result;
}

double QuestionVariance::among(std::span<const Record> records, std::span<const double> parts) const {
  People people(mean_prices());
  const double same = noise();
  std::vector<std::uint32_t> values(axes_.size());
  for (const Record& record : records) {
    for (std::size_t i = 0; i < axes_.size(); ++i) values[i] = record[axes_[i].attribute];
    add_kind(values, same + (pairs_exact_ ? signal_at(values) : signal_bound()), people);
  }
  people.set_share(1);
  return people.value(people.moments({parts.begin(), parts.end()}));
}

}  // namespace hearsay::planner
