// Computes estimates for questions that are not parities of one bit, by sums over records, questions and answers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "common/channel/questions.h"
#include "tests/support/group_law.h"
#include "tests/support/sampled_tallies.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay::tests {

// Computes the law of reports, and the contribution of each report to a query's estimate, by the definitions in
// aggregator/estimator.
class QuestionSums {
 public:
  // Maps a class of groups and a set of attributes to a number of reports.
  using Asked = std::pair<std::uint32_t, std::vector<std::uint32_t>>;
  QuestionSums(const Task& task, const compiler::LinearQuery& query, std::map<Asked, double> counts)
      : task_(task), channel_(sampled_of(task)), query_(query), counts_(std::move(counts)) {
    for (std::uint64_t group = 0; group < channel_.groups(); ++group) groups_[asked(group)].push_back(group);
  }

  Asked asked(std::uint64_t group) const {
    const auto& group_class = channel_.class_of(group);
    Asked asked{static_cast<std::uint32_t>(&group_class - channel_.classes().data()), {}};
    for (const Factor& factor : factors(group)) asked.second.push_back(factor.attribute);
    return asked;
  }
  const std::map<Asked, double>& counts() const { return counts_; }
  const std::vector<std::uint64_t>& groups(const Asked& asked) const { return groups_.at(asked); }
  std::vector<std::uint32_t> answers(std::uint64_t group) const {
    std::vector<std::uint32_t> answers;
    const std::uint32_t count = channel_.class_of(group).answers;
    for (std::uint32_t n = 0; n < count; ++n) answers.push_back(channel_.nth_answer(group, n));
    return answers;
  }

  // Returns the probability of the group among the groups of its class that ask about the same attributes.
  double chance(std::uint64_t group) const {
    double chance = 1;
    for (const Factor& factor : factors(group)) {
      const Questions& questions = channel_.questions(factor.attribute);
      const Questions::Member& member = questions.member_of(factor.mask - 1);
      chance *= member.weight / static_cast<double>(questions.total_weight()) / member.count;
    }
    return chance;
  }
  double probability(std::uint64_t group, std::uint32_t answer, const Record& record) const {
    const double gamma = channel_.gamma(channel_.class_of(group));
    return (channel_.true_value(group, record) == answer ? gamma : 0) + (1 - gamma) / channel_.class_of(group).answers;
  }

  // Returns the contribution of one report to the estimate.
  double contribution(std::uint64_t group, std::uint32_t answer) const {
    const auto& group_class = channel_.class_of(group);
    const std::vector<Factor> of_group = factors(group);
    double phi = 0;
    for (std::uint32_t set = 1; set < 1U << of_group.size(); ++set) {
      if (!SampledChannel::covers_sets_of(group_class, static_cast<std::size_t>(std::popcount(set)))) continue;
      std::vector<std::uint32_t> on;
      for (std::size_t i = 0; i < of_group.size(); ++i) {
        if ((set >> i & 1U) != 0) on.push_back(of_group[i].attribute);
      }
      for (const compiler::ProductTerm& term : query_.terms) {
        double product = term.factor * channel_.gamma(group_class) / information(on);
        std::size_t used = 0;
        for (const compiler::ProductTerm::Part& part : term.parts) {
          const auto at = std::ranges::find(on, part.attribute);
          if (at == on.end()) {
            product *= part.mean;
            continue;
          }
          ++used;
          product *= score(group, answer, part);
        }
        // In a group of the kind kSingle, the sign of the answer counts once.
        if (group_class.kind == GroupKind::kSingle && answer == 1) product = -product;
        if (used == on.size() && product != 0) phi += product;
      }
    }
    return phi;
  }

  struct Moments {
    double mean = 0;
    double square = 0;
  };
  // Returns the moments of one report's contribution, for one record.
  Moments moments(const Asked& asked, const Record& record) const {
    Moments moments;
    for (const std::uint64_t group : groups(asked)) {
      for (const std::uint32_t k : answers(group)) {
        const double phi = contribution(group, k);
        const double weight = chance(group) * probability(group, k, record);
        moments.mean += weight * phi;
        moments.square += weight * phi * phi;
      }
    }
    return moments;
  }

  // Returns the expected tally of people with these records, rounded to whole reports.
  tally::Tally expected_tally(const std::vector<Record>& people) const {
    std::vector<tally::SampledTally::Entry> entries;
    for (const auto& [of, count] : counts_) {
      for (const std::uint64_t group : groups(of)) {
        for (const std::uint32_t k : answers(group)) {
          double share = 0;
          for (const Record& record : people) {
            share += chance(group) * probability(group, k, record) / static_cast<double>(people.size());
          }
          entries.push_back({group, k, static_cast<std::uint64_t>(std::llround(count * share))});
        }
      }
    }
    return sampled_tally_of(std::move(entries));
  }

 private:
  std::vector<Factor> factors(std::uint64_t group) const {
    std::vector<Factor> factors(channel_.class_of(group).size);
    channel_.factors(group, factors);
    return factors;
  }

  // Returns I_T, the information of the counted reports on the set T of attributes.
  double information(const std::vector<std::uint32_t>& on) const {
    double sum = 0;
    for (const auto& [of, count] : counts_) {
      const auto& group_class = channel_.classes()[of.first];
      if (!SampledChannel::covers_sets_of(group_class, on.size()) || !std::ranges::includes(of.second, on)) continue;
      sum += channel_.gamma(group_class) * channel_.gamma(group_class) * count;
    }
    return sum;
  }

  // Returns the score t(q, k) = Σ_y κ(q, k; y)·h(y) of one attribute, with the weights h and the kernel κ of the
  // question q and the answer k. For the kind kSingle, the answer counts as 0 here.
  double score(std::uint64_t group, std::uint32_t answer, const compiler::ProductTerm::Part& part) const {
    const GroupKind kind = channel_.class_of(group).kind;
    std::uint32_t rest = kind == GroupKind::kSingle ? 0 : kind == GroupKind::kEven ? answer << 1U : answer;
    for (const Factor& factor : factors(group)) {
      const Questions& questions = channel_.questions(factor.attribute);
      const std::uint32_t k = rest & ((1U << questions.width()) - 1);
      rest >>= questions.width();
      if (factor.attribute != part.attribute) continue;
      double sum = 0;
      for (std::uint32_t y = 0; y < questions.values(); ++y) {
        sum += ((questions.answer(factor.mask - 1, y) == k ? questions.answers() : 0.0) - 1) * part.weights[y];
      }
      return sum;
    }
    return 0;
  }

  Task task_;
  SampledChannel channel_;
  compiler::LinearQuery query_;
  std::map<Asked, double> counts_;
  std::map<Asked, std::vector<std::uint64_t>> groups_;
};

// Returns the expected number of reports for each class and set of attributes, out of `reports` reports.
inline std::map<QuestionSums::Asked, double> expected_counts(const Task& task, double reports) {
  const SampledChannel& channel = sampled_of(task);
  const QuestionSums sums(task, {}, {});
  std::map<QuestionSums::Asked, double> counts;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const double of_class =
        static_cast<double>(channel.class_of(group).weight) / static_cast<double>(channel.total_weight());
    counts[sums.asked(group)] +=
        reports * of_class *
        chance_within_class(task.schema(), std::get<SampledSpec>(task.spec().channel), channel, group);
  }
  return counts;
}

}  // namespace hearsay::tests
