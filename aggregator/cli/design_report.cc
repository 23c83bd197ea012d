#include "aggregator/cli/design_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "aggregator/cli/error_report.h"
#include "aggregator/cli/layout.h"
#include "aggregator/cli/mechanism_words.h"
#include "aggregator/compiler/compile.h"
#include "aggregator/tails/paper.h"
#include "common/base/number_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"

namespace hearsay::cli {
namespace {

constexpr std::size_t kTriedChanges = 4;  // the most changes of each kind; each change needs a plan of its own

std::vector<std::string> remarks_on(const planner::WorkloadPlan& plan) {
  return planner::remarks_on_users(plan.at_most, plan.near_normal);
}

std::string refusal_text(const Error& error) { return std::string(error_name(error.code)) + ": " + error.message; }

std::string remarks_of(const planner::Candidate& candidate) {
  const auto* sampled = std::get_if<SampledSpec>(&candidate.task->spec().channel);
  std::string text = sampled != nullptr ? planner::describe(*sampled) : "";
  for (const std::string& remark : remarks_on(*candidate.plan)) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

Json candidate_json(const planner::Candidate& candidate) {
  Json json{{"mechanism", candidate.name}};
  if (candidate.task) json["asked"] = what_is_asked(*candidate.task);
  if (!candidate.plan) {
    json["error"] = error_json(candidate.plan.error());
    return json;
  }
  const planner::WorkloadPlan& plan = *candidate.plan;
  json["guarantee"] = compiler::guarantee_name(plan.guarantee);
  json["users_worst"] = plan.users_worst;
  json["users_average"] = plan.users_average;
  json["limit_ratio"] = plan.limit_ratio;
  json["influence"] = plan.influence;
  json["report_bytes"] = plan.report_bytes;
  json["worst_query"] = plan.worst_query;
  json["at_most"] = plan.at_most;
  json["near_normal"] = plan.near_normal;
  json["remarks"] = remarks_on(plan);
  const auto document = parse_json(candidate.task->canonical_json());
  if (document) {
    json["arrangement"] = document->at("arrangement");
    json["channel"] = document->at("channel");
    if (document->contains("cuts")) json["cuts"] = document->at("cuts");
  }
  return json;
}

// Returns the text of the table's last column.
std::string words_of(const planner::Candidate& candidate) {
  std::string text = what_is_asked(candidate);
  if (!candidate.plan) return text;
  if (candidate.plan->guarantee == compiler::Guarantee::kAverageCase) text += "; average-case";
  if (candidate.plan->at_most) text += "; users are an upper bound";
  if (!candidate.plan->near_normal) text += "; few users: larger errors can be more frequent";
  return text;
}

std::string failures_of(const std::vector<planner::Candidate>& list) {
  std::vector<std::pair<std::string, std::string>> ranks;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].plan) continue;
    const std::string reason = refusal_text(list[i].plan.error());
    const auto known = std::find_if(ranks.begin(), ranks.end(), [&](const auto& one) { return one.first == reason; });
    if (known == ranks.end()) {
      ranks.emplace_back(reason, std::to_string(i + 1));
    } else {
      known->second += ", " + std::to_string(i + 1);
    }
  }
  std::string text;
  for (const auto& [reason, places] : ranks)
    text += paragraph((places.find(',') == std::string::npos ? "rank " : "ranks ") + places +
                      " cannot answer this: " + reason);
  return text;
}

// Returns, for each candidate, whether the table has a row for this candidate. Mechanisms with the same description
// share the row of the first, which needs the fewest users.
std::vector<bool> shown_rows(const std::vector<planner::Candidate>& list) {
  std::set<std::tuple<bool, bool, std::string>> known;
  std::vector<bool> shown;
  for (const planner::Candidate& candidate : list) {
    const bool is_average = candidate.plan && candidate.plan->guarantee == compiler::Guarantee::kAverageCase;
    shown.push_back(known.emplace(static_cast<bool>(candidate.plan), is_average, what_is_asked(candidate)).second);
  }
  return shown;
}

std::string hidden_text(const std::vector<bool>& shown) {
  const auto hidden = std::count(shown.begin(), shown.end(), false);
  if (hidden == 0) return "";
  return paragraph(counted(static_cast<std::uint64_t>(hidden), "rank") + (hidden == 1 ? " is" : " are") +
                   " left out: a rank above has the same last column, and needs no more users; -o csv lists all ranks");
}

std::string weights_text(const planner::Wish& wish) {
  if (!is_weighted(wish.workload)) return "";
  std::set<double, std::greater<>> weights;
  for (const planner::Mixture::Part& part : planner::parts_of(wish.workload)) weights.insert(part.weight);
  const std::string alpha = console::short_number(wish.target.alpha);
  std::string text = "with weights: users are enough for an error of ±" + alpha + "/√W in a part of weight W";
  for (const double weight : weights) {
    text += ", ±" + console::short_number(wish.target.alpha / std::sqrt(weight)) + " at weight " +
            console::short_number(weight);
  }
  return paragraph(text + "; times limit counts a query's variance W times; typical is for ±" + alpha +
                   " in every part");
}

// Returns a text about average-case mechanisms: why they rank last even if they need fewer users.
std::string why_below(const std::vector<planner::Candidate>& list) {
  bool average = false;
  bool cheaper = false;
  for (const planner::Candidate& candidate : list) {
    if (!candidate.plan || candidate.plan->guarantee != compiler::Guarantee::kAverageCase) continue;
    average = true;
    cheaper = cheaper || candidate.plan->users_worst < list.front().plan->users_worst;
  }
  if (!average) return "";
  return paragraph(std::string("average-case: ") + (cheaper ? "cheaper, but " : "") + std::string(kAverageCase));
}

planner::WhatIf what_if(const std::string& change, const Result<planner::Candidate>& best) {
  return {change, best ? best->plan : Result<planner::WorkloadPlan>(best.error())};
}

std::string times(std::uint64_t users, std::uint64_t before) {
  return console::short_number(static_cast<double>(users) / static_cast<double>(before), 3);
}

void add_changes(const std::vector<planner::WhatIf>& changes, std::uint64_t before, console::Table& table) {
  for (const planner::WhatIf& one : changes) {
    const std::string change = shortened(one.change, 60);
    if (!one.plan) {
      table.rows.push_back({change, "-", ""});
    } else {
      table.rows.push_back({change, with_separators(one.plan->users_worst), times(one.plan->users_worst, before)});
    }
  }
}

Json changes_json(const std::vector<planner::WhatIf>& changes) {
  Json list = Json::array();
  for (const planner::WhatIf& one : changes) {
    list.push_back({{"change", one.change}});
    if (one.plan) {
      list.back()["users_worst"] = one.plan->users_worst;
    } else {
      list.back()["error"] = error_json(one.plan.error());
    }
  }
  return list;
}

}  // namespace

bool is_weighted(const planner::Workload& workload) {
  const auto* mixture = std::get_if<planner::Mixture>(&workload);
  return mixture != nullptr && std::any_of(mixture->parts.begin(), mixture->parts.end(),
                                           [](const planner::Mixture::Part& part) { return part.weight != 1; });
}

std::string cuts_text(const Task& task, const std::string& whose) {
  const std::vector<Cuts>& cuts = task.spec().cuts;
  if (cuts.empty()) return "";
  std::vector<std::uint32_t> attributes;
  for (const Cuts& of_one : cuts) attributes.push_back(of_one.attribute);
  return paragraph(whose + " tells apart only those values of " + compiler::names(task.schema(), attributes) +
                   " that these queries tell apart. The task cannot answer queries that divide the values elsewhere. "
                   "To answer more, name those queries as well, or plan for --ranges or --prefixes");
}

std::string text_of(const std::vector<planner::Candidate>& list, const planner::Wish& wish, std::size_t choice) {
  const planner::Target& target = wish.target;
  const double limit = tails::one_query_limit(wish.base.epsilon.approximate());
  std::string text =
      paragraph(planner::describe(wish.workload) + ", epsilon " + wish.base.epsilon.to_string() + ": users for ±" +
                console::short_number(target.alpha) + (is_weighted(wish.workload) ? "/√weight" : "") +
                " at confidence " + console::short_number(1 - target.beta)) +
      '\n';
  console::Table table{{"rank", "users", "typical", "times limit", "bytes", "what each person is asked"}, {}};
  const std::vector<bool> shown = shown_rows(list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!shown[i]) continue;
    const planner::Candidate& candidate = list[i];
    const std::string rank = std::to_string(i + 1);
    if (!candidate.plan) {
      table.rows.push_back({rank, "-", "-", "-", "-", words_of(candidate)});
      continue;
    }
    table.rows.push_back({rank, with_separators(candidate.plan->users_worst),
                          with_separators(candidate.plan->users_average), times_text(candidate.plan->limit_ratio),
                          std::to_string(candidate.plan->report_bytes), words_of(candidate)});
  }
  text += to_text(table) + hidden_text(shown) + '\n';
  text += paragraph(
      "users: enough for the query that needs most, whatever the people are like; typical: enough for the average "
      "query if the people are evenly mixed");
  text += paragraph(
      "times limit: users divided by the users that randomized response to the query alone needs. Its variance is " +
      console::short_number(limit) +
      " for each person. Both numbers are for people drawn at random from a large population");
  text += weights_text(wish) + why_below(list) + failures_of(list);
  if (list.front().plan) {
    text += paragraph("the query that needs most users at rank 1: " +
                      shortened(list.front().plan->worst_query, 3 * line_columns()));
    const planner::Candidate& chosen = list[choice - 1];
    if (chosen.task) text += cuts_text(*chosen.task, "rank " + std::to_string(choice));
  }
  return text;
}

console::Table table_of(const std::vector<planner::Candidate>& list) {
  console::Table table{{"rank", "mechanism", "guarantee", "users_worst", "users_average", "limit_ratio", "influence",
                        "bytes", "remarks"},
                       {}};
  for (const planner::Candidate& candidate : list) {
    const std::string rank = std::to_string(table.rows.size() + 1);
    if (!candidate.plan) {
      table.rows.push_back({rank, candidate.name, "", "", "", "", "", "", refusal_text(candidate.plan.error())});
      continue;
    }
    const planner::WorkloadPlan& plan = *candidate.plan;
    table.rows.push_back({rank, candidate.name, std::string(compiler::guarantee_name(plan.guarantee)),
                          std::to_string(plan.users_worst), std::to_string(plan.users_average),
                          console::exact_number(plan.limit_ratio), console::exact_number(plan.influence),
                          std::to_string(plan.report_bytes), remarks_of(candidate)});
  }
  return table;
}

Json json_of(const std::vector<planner::Candidate>& list) {
  Json listed = Json::array();
  for (const planner::Candidate& candidate : list) listed.push_back(candidate_json(candidate));
  return listed;
}

Changes changes_of(const planner::Wish& wish, const planner::Candidate& best) {
  Changes changes{best.plan->users_worst, {}, {}, {}};
  for (const Epsilon& epsilon : several_epsilons(wish.base.epsilon)) {
    if (epsilon == wish.base.epsilon) continue;
    changes.epsilons.push_back(what_if("epsilon " + epsilon.to_string(), planner::at_epsilon(wish, epsilon)));
  }
  const std::size_t tried = planner::changes_to_try(wish, kTriedChanges);
  changes.coarser = planner::with_coarser_values(wish, *best.task, tried);
  changes.less = planner::with_less(wish, *best.task, tried);
  return changes;
}

std::string text_of(const Changes& changes) {
  console::Table table{{"change", "users", "times now"}, {}};
  add_changes(changes.epsilons, changes.users, table);
  add_changes(changes.coarser, changes.users, table);
  add_changes(changes.less, changes.users, table);
  return "How the users change, now " + with_separators(changes.users) + ":\n\n" + table.to_text();
}

Json json_of(const Changes& changes) {
  return {{"epsilon", changes_json(changes.epsilons)},
          {"coarser_values", changes_json(changes.coarser)},
          {"left_out", changes_json(changes.less)}};
}

}  // namespace hearsay::cli
