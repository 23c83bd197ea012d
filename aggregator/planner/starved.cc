#include "aggregator/planner/starved.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/what_if.h"
#include "common/arrangement/arrangement.h"
#include "common/base/number_text.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "common/task/coarsening.h"

namespace hearsay::planner {
namespace {

constexpr Target kUsual{0.01, 0.05};

const SampledChannel* weighted(const Task& task) {
  if (!std::holds_alternative<CharactersSpec>(task.spec().arrangement)) return nullptr;
  return std::get_if<SampledChannel>(&task.channel().kind());
}

// Returns the subset of `attributes` about which reports tell least. Sets about which no report asks do not count.
// Returns `attributes` itself if it has more than 10 elements.
std::vector<std::uint32_t> rarest(const SampledChannel& channel, const std::vector<std::uint32_t>& attributes) {
  constexpr std::size_t kMostListed = 10;
  if (attributes.size() > kMostListed) return attributes;
  std::vector<std::uint32_t> found = attributes;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t chosen = 1; chosen < 1U << attributes.size(); ++chosen) {
    std::vector<std::uint32_t> set;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if ((chosen >> i & 1U) != 0) set.push_back(attributes[i]);
    }
    const double information = channel.set_information(set);
    if (information <= 0 || information >= least) continue;
    least = information;
    found = std::move(set);
  }
  return found;
}

Error named(const Query& query, const Schema& schema, const Error& error) {
  return {error.code, "query '" + query.as_written(schema) + "': " + error.message};
}

Error starved(const Task& task, const Query& query, const std::string& users, std::uint64_t best) {
  const std::vector<std::uint32_t> set = rarest(*weighted(task), query.attributes());
  return {ErrorCode::kQueryNotCovered,
          "takes " + users + " users in this task, while a task planned for these queries takes " +
              with_separators(best) + " for all of them. This task's reports tell too little about " +
              compiler::names(task.schema(), set) + (set.size() > 1 ? " together" : "") +
              ". Give groups or questions about them more weight, or take the task that `hearsay design` writes"};
}

// Returns some query about the attribute. If the task cuts the attribute, the query asks for the first cell, otherwise
// for the first half of the values.
Query some_query(const Task& task, std::uint32_t attribute) {
  const std::uint32_t values = task.schema()[attribute].size();
  const Cuts* cuts = task.coarsening() == nullptr ? nullptr : task.coarsening()->cuts_of(attribute);
  if (cuts == nullptr) return Query(query::Node(query::Membership{attribute, {{0, values / 2 - 1}}}));
  ValueSet first{{0, cuts->starts.front() - 1}};
  for (std::size_t s = 1; s < cuts->cells.size(); ++s) {
    if (cuts->cells[s] != 0) continue;
    first.emplace_back(cuts->starts[s - 1], (s < cuts->starts.size() ? cuts->starts[s] : values) - 1);
  }
  return Query(query::Node(query::Membership{attribute, std::move(first)}));
}

bool takes_too_long(const Task& task, const Questions& questions, std::uint32_t attribute, compiler::Cost budget) {
  constexpr std::uint32_t kFewPlaces = 1U << 13U;
  if (questions.places() <= kFewPlaces) return false;
  compiler::Work work({}, budget);
  const auto compiled = compiler::compile(task, some_query(task, attribute), work);
  return !compiled && compiled.error().code == ErrorCode::kLimitExceeded;
}

bool is_starved(std::uint64_t users, std::uint64_t best) { return users / kStarvedFactor >= best; }

}  // namespace

Result<void> check_not_starved(const Task& task, const WorkloadPlan& planned, const WorkloadPlan& best) {
  if (weighted(task) == nullptr || !is_starved(planned.users_worst, best.users_worst)) return {};
  return Error{ErrorCode::kQueryNotCovered,
               planned.worst_query + ": takes " + with_separators(planned.users_worst) +
                   " users in this task, and rank 1 takes " + with_separators(best.users_worst) +
                   ": the reports of this task tell too little about what this query needs. Choose a rank nearer to 1"};
}

Result<void> check_answers(const Task& task, const std::vector<Query>& queries) {
  const auto plans = plan(task, queries, kUsual);
  const auto too_many = [](const Result<PlannedQuery>& line) {
    return !line && line.error().code == ErrorCode::kOverflow;
  };
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!plans[i] && !too_many(plans[i])) return named(queries[i], task.schema(), plans[i].error());
  }
  if (weighted(task) == nullptr) return {};
  const auto best = best_candidate({task.spec(), queries, kUsual});
  if (!best) return {};
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!too_many(plans[i]) && !is_starved(plans[i]->users_exact, best->plan->users_worst)) continue;
    const std::string users = plans[i] ? with_separators(plans[i]->users_exact) : "more than 2^53";
    return named(queries[i], task.schema(), starved(task, queries[i], users, best->plan->users_worst));
  }
  return {};
}

Result<std::vector<std::string>> check_some_fit(const Task& task, compiler::Cost budget) {
  const SampledChannel* channel = weighted(task);
  std::vector<std::string> warnings;
  if (channel == nullptr || channel->asks_parities()) return warnings;
  bool some = false;
  for (std::uint32_t i = 0; i < task.schema().size(); ++i) {
    const auto asks = [&](const auto& group_class) { return channel->asks_about(group_class, {&i, 1}, {}) > 0; };
    if (std::ranges::none_of(channel->classes(), asks)) continue;
    if (!takes_too_long(task, channel->questions(i), i, budget)) {
      some = true;
      continue;
    }
    warnings.push_back("every query about " + compiler::names(task.schema(), {&i, 1}) +
                       " takes more steps than an answer may: give its circle fewer multipliers, or as many places as "
                       "there are values");
  }
  if (some || warnings.empty()) return warnings;
  return Error{ErrorCode::kLimitExceeded, "no query can be answered: " + warnings.front()};
}

}  // namespace hearsay::planner
