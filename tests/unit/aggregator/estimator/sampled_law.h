// Computes estimates for `sampled` by sums over records, groups and answers. Uses only the channel's public law.
#pragma once

#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/query.h"
#include "hearsay/record.h"
#include "tests/support/bit_sources.h"
#include "tests/support/sampled_tallies.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay::tests {

using GroupCounts = std::map<std::uint64_t, std::uint64_t>;  // for each group, the number of its reports

inline compiler::LinearQuery compile_text(const Task& task, const std::string& text) {
  compiler::Work work;
  const Query query = Query::parse(task.schema(), text).value();
  return compiler::compile(task, query, work).value().linear;
}

inline double fraction(const Task& task, const std::string& text, const std::vector<Record>& people) {
  const Query query = Query::parse(task.schema(), text).value();
  double count = 0;
  for (const Record& record : people) count += query.evaluate(record) ? 1 : 0;
  return count / static_cast<double>(people.size());
}

class SampledLaw {
 public:
  SampledLaw(const Task& task, const compiler::LinearQuery& query, GroupCounts counts)
      : channel_(sampled_of(task)), counts_(std::move(counts)) {
    for (const compiler::LinearQuery::Weight& weight : query.weights) g_[weight.coordinate] = weight.value;
    std::vector<SampledChannel::Covered> covered;
    for (const auto& [group, count] : counts_) {
      channel_.covered(group, covered);
      const double gamma = channel_.gamma(channel_.class_of(group));
      for (const auto& [coordinate, mask] : covered) {
        information_[coordinate] += gamma * gamma * static_cast<double>(count);
      }
    }
  }

  std::uint32_t answers(std::uint64_t group) const { return 1U << channel_.class_of(group).width; }

  double probability(std::uint64_t group, std::uint32_t answer, const Record& record) const {
    const double gamma = channel_.gamma(channel_.class_of(group));
    const bool truth = channel_.true_value(group, record) == answer;
    return (truth ? gamma : 0) + (1 - gamma) / answers(group);
  }

  // Returns the contribution φ of one report to the estimate. Every coordinate is normalised by its own reports.
  double contribution(std::uint64_t group, std::uint32_t answer) const {
    std::vector<SampledChannel::Covered> covered;
    channel_.covered(group, covered);
    double sum = 0;
    for (const auto& [coordinate, mask] : covered) {
      const auto weight = g_.find(coordinate);
      if (weight == g_.end()) continue;
      const double sign = (std::popcount(mask & answer) & 1) != 0 ? -1 : 1;
      sum += weight->second * sign / information_.at(coordinate);
    }
    return channel_.gamma(channel_.class_of(group)) * sum;
  }

  std::pair<double, double> moments(std::uint64_t group, const Record& record) const {
    double mean = 0;
    double square = 0;
    for (std::uint32_t k = 0; k < answers(group); ++k) {
      const double phi = contribution(group, k);
      mean += probability(group, k, record) * phi;
      square += probability(group, k, record) * phi * phi;
    }
    return {mean, square - mean * mean};
  }

  // Returns Σ_G N_G·E_x Var[φ|x] + n/(n-1)·(Σ_G N_G·Var_x E[φ|x] - Var_x f/n). Here G is a group with N_G of the n
  // reports, and x is a uniform record of `people`.
  double variance(const std::vector<Record>& people, double fraction) const {
    double noise = 0;
    double sampling = 0;
    double n = 0;
    const auto size = static_cast<double>(people.size());
    for (const auto& [group, count] : counts_) {
      double sum = 0;
      double squares = 0;
      for (const Record& record : people) {
        const auto [mean, variance] = moments(group, record);
        noise += static_cast<double>(count) * variance / size;
        sum += mean;
        squares += mean * mean;
      }
      sampling += static_cast<double>(count) * (squares / size - sum * sum / size / size);
      n += static_cast<double>(count);
    }
    return noise + n / (n - 1) * (sampling - fraction * (1 - fraction) / n);
  }

  tally::Tally expected_tally(const std::vector<Record>& people) const {
    std::vector<tally::SampledTally::Entry> entries;
    for (const auto& [group, count] : counts_) {
      for (std::uint32_t k = 0; k < answers(group); ++k) {
        double share = 0;
        for (const Record& record : people) share += probability(group, k, record) / static_cast<double>(people.size());
        entries.push_back({group, k, static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * share))});
      }
    }
    return sampled_tally_of(std::move(entries));
  }

 private:
  SampledChannel channel_;
  GroupCounts counts_;
  std::map<std::uint32_t, double> g_;
  std::map<std::uint32_t, double> information_;
};

}  // namespace hearsay::tests
