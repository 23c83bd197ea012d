#include "aggregator/compiler/threshold_laws.h"

#include <algorithm>
#include <limits>
#include <map>

#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

constexpr std::uint64_t kStepsPerState = 2;

// Returns f for a record. `reached` is true if the record's sum of weights is at least bound_. Then f = 1, unless
// `mirrored`.
std::size_t class_of(bool reached, bool mirrored) { return reached != mirrored ? 1 : 0; }

// The values of an attribute that have one weight: their probability p, p times the mean score, and p times the mean
// squared score.
struct StepMoments {
  std::uint64_t weight;
  long double probability;
  long double first;
  long double second;
};

// Holds, for each sum of weights, its probability p, p·E[S] and p·E[S²], where S is the sum of scores, so far, of a
// record with this sum of weights. The last entry also counts all larger sums.
class MomentStates {
 public:
  explicit MomentStates(std::size_t last) : states_(last + 1) { states_[0].probability = 1; }

  void add(std::span<const StepMoments> steps, Work& work) {
    std::vector<State> next(states_.size());
    for (const StepMoments& step : steps) {
      work.spend(ThresholdLaws::kStepsPerMoments * states_.size());
      for (std::size_t s = 0; s < states_.size(); ++s) {
        const State& from = states_[s];
        if (from.probability == 0) continue;
        State& to = next[std::min<std::size_t>(s + step.weight, next.size() - 1)];
        to.probability += step.probability * from.probability;
        to.first += step.probability * from.first + step.first * from.probability;
        to.second += step.probability * from.second + 2 * step.first * from.first + step.second * from.probability;
      }
    }
    states_.swap(next);
  }

  struct State {
    long double probability = 0;
    long double first = 0;
    long double second = 0;
  };
  State total(std::size_t begin, std::size_t end) const {
    State sum;
    for (std::size_t s = begin; s < end; ++s) {
      sum.probability += states_[s].probability;
      sum.first += states_[s].first;
      sum.second += states_[s].second;
    }
    return sum;
  }

 private:
  std::vector<State> states_;
};

}  // namespace

std::optional<ThresholdLaws> ThresholdLaws::create(const PredicateThreshold& threshold, Work& work) {
  ThresholdLaws result;
  result.set_axes(threshold);
  if (!result.affordable(work) || !result.set_laws(work)) return std::nullopt;
  return result;
}

void ThresholdLaws::set_axes(const PredicateThreshold& threshold) {
  // Σ weight < bound iff Σ (largest - weight) >= Σ largest - bound + 1.
  const std::uint64_t mirrored_bound = threshold.largest_sum() - threshold.bound + 1;
  const bool mirror = mirrored_bound < threshold.bound;
  bound_ = mirror ? mirrored_bound : threshold.bound;
  mirrored_ = mirror != threshold.negated;
  for (const auto& [attribute, weights] : threshold.terms) {
    const std::uint64_t largest = *std::max_element(weights.begin(), weights.end());
    const auto capped = [&](std::uint64_t weight) { return std::min(mirror ? largest - weight : weight, bound_); };
    std::map<std::uint64_t, std::uint32_t> count;
    for (const std::uint64_t weight : weights) ++count[capped(weight)];
    Axis axis{attribute, {}, {}, {}};
    std::map<std::uint64_t, std::uint32_t> index;
    for (const auto& [weight, values] : count) {
      index.emplace(weight, static_cast<std::uint32_t>(axis.steps.size()));
      axis.steps.push_back({weight, static_cast<long double>(values) / static_cast<long double>(weights.size())});
    }
    for (const std::uint64_t weight : weights) axis.step_of.push_back(index.at(capped(weight)));
    axes_.push_back(std::move(axis));
  }
  const auto key = [](const Axis& axis) {
    std::vector<std::pair<std::uint64_t, long double>> steps;
    for (const Step& step : axis.steps) steps.emplace_back(step.weight, step.probability);
    return steps;
  };
  std::map<std::vector<std::pair<std::uint64_t, long double>>, std::vector<Axis>> runs;
  for (Axis& axis : axes_) runs[key(axis)].push_back(std::move(axis));
  axes_.clear();
  for (auto& [steps, run] : runs) std::move(run.begin(), run.end(), std::back_inserter(axes_));
}

bool ThresholdLaws::affordable(Work& work) const {
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    steps += axes_[i].steps.size();
    if (i == 0 || axes_[i].steps != axes_[i - 1].steps) ++runs;
  }
  const std::uint64_t bytes_per_sum = runs * sizeof(long double) + 2 * sizeof(MomentStates::State);
  if (bound_ >= kMaxSteps || steps * (bound_ + 1) > kMaxSteps || bytes_per_sum * (bound_ + 1) > kMaxBytes) return false;
  // One pass goes backward over the axes, one goes forward, and one combines both.
  constexpr std::uint64_t kPasses = 3;
  work.foresee({steps * (bound_ + 1) * (kPasses * kStepsPerState + kStepsPerMoments), bytes_per_sum * (bound_ + 1)},
               "give the sum smaller weights, or fewer terms");
  return true;
}

ThresholdLaws::States ThresholdLaws::convolved(const States& law, const std::vector<Step>& steps, Work& work) const {
  States result(law.size(), 0);
  std::size_t used = law.size();
  while (used > 0 && law[used - 1] == 0) --used;
  for (const Step& step : steps) {
    const std::size_t shift = step.weight;  // <= bound_
    work.spend(kStepsPerState * law.size());
    const std::size_t inner = std::min(used, law.size() - shift);
    for (std::size_t s = 0; s < inner; ++s) result[s + shift] += step.probability * law[s];
    for (std::size_t s = inner; s < used; ++s) result.back() += step.probability * law[s];
  }
  return result;
}

// A run is a group of neighbouring axes with equal steps, which have equal laws. A pass backward over the axes keeps,
// for each run, the law of the sum over all axes behind the run's first axis. A pass forward computes the law of the
// sum over all axes before the run. Together the two laws give the law of the sum over all axes except the run's first
// axis.
bool ThresholdLaws::set_laws(Work& work) {
  std::vector<std::size_t> firsts;  // the first axis of each run
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (i == 0 || axes_[i].steps != axes_[i - 1].steps) firsts.push_back(i);
  }
  States nothing(bound_ + 1, 0);
  nothing[0] = 1;
  std::vector<States> behind(firsts.size());
  States law = nothing;
  for (std::size_t i = axes_.size(), run = firsts.size(); i-- > 0;) {
    if (i == firsts[run - 1]) behind[--run] = law;
    law = convolved(law, axes_[i].steps, work);
  }
  // Products below the smallest normal number may become 0. The loss does not matter to a class with at least the
  // probability kLeast.
  constexpr long double kLeast = std::numeric_limits<long double>::min() / std::numeric_limits<long double>::epsilon();
  long double missed = 0;
  for (std::size_t s = 0; s < bound_; ++s) missed += law[s];
  if (missed < kLeast || law[bound_] < kLeast) return false;

  law = nothing;
  for (std::size_t run = 0; run < firsts.size(); ++run) {
    const std::size_t last = run + 1 < firsts.size() ? firsts[run + 1] : axes_.size();
    set_run(firsts[run], last, law, behind[run], work);
    for (std::size_t i = firsts[run]; i < last; ++i) law = convolved(law, axes_[i].steps, work);
  }
  return true;
}

// Pr[step and sum below bound] = Pr[step]·Σ_s before(s)·Pr[the axes behind add up to less than bound - s - weight]. The
// same formula with "at least" instead of "less than" gives Pr[step and bound reached].
void ThresholdLaws::set_run(std::size_t first, std::size_t last, const States& before, const States& behind,
                            Work& work) {
  States below(behind.size() + 1, 0);                       // below[u]: Pr[sum behind < u]
  States reached(behind.size() + 1, 0);                     // reached[u]: Pr[sum behind >= u]
  std::vector<std::size_t> possible(behind.size() + 1, 0);  // possible[u]: how many values below u occur as sum behind
  for (std::size_t u = 0; u < behind.size(); ++u) {
    below[u + 1] = below[u] + behind[u];
    possible[u + 1] = possible[u] + (behind[u] > 0 ? 1 : 0);
  }
  for (std::size_t u = behind.size(); u-- > 0;) reached[u] = reached[u + 1] + behind[u];

  Axis& axis = axes_[first];
  std::array<States, 2> joint;  // per step: Pr[step and sum below bound]; Pr[step and bound reached]
  for (const Step& step : axis.steps) {
    work.spend(kStepsPerState * before.size());
    long double misses = 0;
    long double reaches = 0;
    for (std::size_t s = 0; s < before.size(); ++s) {
      const std::uint64_t so_far = s + step.weight;
      const std::uint64_t needed = so_far < bound_ ? bound_ - so_far : 0;
      misses += before[s] * below[needed];
      reaches += before[s] * reached[needed];
    }
    joint[0].push_back(step.probability * misses);
    joint[1].push_back(step.probability * reaches);
  }
  // f depends on the axis if some sum of the other axes reaches the bound with the axis's largest weight, but not with
  // its smallest weight, which is 0.
  for (std::size_t s = 0; s < bound_ && !axis.matters; ++s) {
    const std::uint64_t best = s + axis.steps.back().weight;
    const std::uint64_t needed = best < bound_ ? bound_ - best : 0;
    axis.matters = before[s] > 0 && possible[bound_ - s] > possible[needed];
  }
  for (const bool hit : {false, true}) {
    const States& of_class = joint[hit ? 1 : 0];
    long double total = 0;
    for (const long double probability : of_class) total += probability;
    auto& law = axis.of_step[class_of(hit, mirrored_)];
    for (const long double probability : of_class) law.push_back(static_cast<double>(probability / total));
  }
  for (std::size_t i = first + 1; i < last; ++i) {
    axes_[i].of_step = axis.of_step;
    axes_[i].matters = axis.matters;
  }
}

QueryForm ThresholdLaws::form(const PredicateThreshold& threshold) const {
  const auto matters = [](const Axis& axis) { return axis.matters; };
  if (std::count_if(axes_.begin(), axes_.end(), matters) != 1) return threshold;
  const std::uint32_t attribute = std::find_if(axes_.begin(), axes_.end(), matters)->attribute;
  // f does not depend on the other attributes, so their weights count as 0.
  for (const auto& term : threshold.terms) {
    if (term.attribute != attribute) continue;
    ValueSet values;
    for (std::uint32_t v = 0; v < term.weight.size(); ++v) {
      if ((term.weight[v] >= threshold.bound) != threshold.negated) values.emplace_back(v, v);
    }
    return Predicate{attribute, query::make_value_set(std::move(values))};
  }
  return threshold;
}

ClassLaws ThresholdLaws::laws(Work& work) const {
  ClassLaws laws;
  for (const Axis& axis : axes_) {
    work.spend(kStepsPerState * axis.step_of.size());
    std::vector<std::uint32_t> members(axis.steps.size(), 0);
    for (const std::uint32_t step : axis.step_of) ++members[step];
    AttributeLaw law{axis.attribute, {}};
    for (std::size_t b = 0; b < 2; ++b) {
      for (const std::uint32_t step : axis.step_of) law.probability[b].push_back(axis.of_step[b][step] / members[step]);
    }
    laws.push_back(std::move(law));
  }
  std::sort(laws.begin(), laws.end(), [](const auto& a, const auto& b) { return a.attribute < b.attribute; });
  return laws;
}

ScoreMoments ThresholdLaws::moments(std::span<const AttributeScore> scores, Work& work) const {
  MomentStates states(bound_);
  long double constant = 0;
  for (const Axis& axis : axes_) {
    const auto score =
        std::lower_bound(scores.begin(), scores.end(), axis.attribute,
                         [](const auto& entry, std::uint32_t number) { return entry.attribute < number; });
    const bool scored = score != scores.end() && score->attribute == axis.attribute;
    const std::vector<double> own = scored ? score->score : std::vector<double>(axis.step_of.size(), 0);
    const long double centre = ScoreAverages(own).over({{0, static_cast<std::uint32_t>(own.size() - 1)}}).mean;
    constant += centre;
    std::vector<StepMoments> steps;
    for (const Step& step : axis.steps) steps.push_back({step.weight, step.probability, 0, 0});
    for (std::size_t v = 0; v < own.size(); ++v) {
      StepMoments& step = steps[axis.step_of[v]];
      const long double centred = own[v] - centre;
      step.first += centred / static_cast<long double>(own.size());
      step.second += centred * centred / static_cast<long double>(own.size());
    }
    states.add(steps, work);
  }
  ScoreMoments moments;
  for (const bool hit : {false, true}) {
    const auto [p, first, second] = states.total(hit ? bound_ : 0, hit ? bound_ + 1 : bound_);
    const long double mean = first / p;
    const std::size_t b = class_of(hit, mirrored_);
    moments.mean[b] = static_cast<double>(mean + constant);
    moments.variance[b] = static_cast<double>(std::max(0.0L, second / p - mean * mean));
  }
  return moments;
}

}  // namespace hearsay::compiler
