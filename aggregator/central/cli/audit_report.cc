#include "aggregator/central/cli/audit_report.h"

#include <cmath>
#include <iostream>
#include <map>

#include "aggregator/central/audit/central_audit.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

using console::exact_number;
using console::OutputFormat;
using console::short_number;
using console::Table;

constexpr std::uint32_t kLargestGroup = 3;
constexpr double kSilentSeconds = 10;

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kConfirmed:
      return "holds";
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kNotRefuted:
      break;
  }
  return "not refuted";
}

std::string evidence_text(Evidence evidence) {
  switch (evidence) {
    case Evidence::kExact:
      return "exact";
    case Evidence::kEnclosure:
      return "certified enclosure of every outcome";
    case Evidence::kBounded:
      return "exact upper bound; lower bound from the enumerated law";
    case Evidence::kLowerOnly:
      return "lower bound from the enumerated law";
    case Evidence::kSampled:
      break;
  }
  return "Clopper-Pearson lower bound";
}

// Returns "[0, 1, 1]", or "0 x 100, 1 x 10" for more than 12 records.
std::string rows_text(const Rows& rows) {
  constexpr std::size_t kWhole = 12;
  std::string text;
  if (rows.size() <= kWhole) {
    for (const std::uint32_t row : rows) text += (text.empty() ? "" : ", ") + std::to_string(row);
    return "[" + text + "]";
  }
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t row : rows) ++counts[row];
  for (const auto& [value, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(value) + " x " + std::to_string(count);
  }
  return text;
}

std::string number(double value) { return std::isinf(value) ? "unbounded" : console::short_number(value, 9); }

// JSON has no number for infinity.
Json json_number(double value) { return std::isinf(value) ? Json("unbounded") : Json(value); }

std::string actual_text(const WorstPair& worst) {
  if (worst.infinite) return "unbounded";
  if (worst.exact) return worst.exact->to_string();
  const std::string low = number(worst.low);
  if (!worst.high) return "at least " + low;
  const std::string high = number(*worst.high);
  return low == high ? low : low + " to " + high;
}

Json worst_json(const WorstPair& worst) {
  Json json{{"verdict", verdict_text(worst.verdict)},
            {"actual", actual_text(worst)},
            {"actual_low", json_number(worst.infinite ? HUGE_VAL : worst.low)},
            {"pairs", worst.pairs},
            {"worst_first", worst.first},
            {"worst_second", worst.second}};
  if (worst.high) json["actual_high"] = json_number(*worst.high);
  return json;
}

console::Table table_of(const AuditedMechanism& mechanism, const CentralAudit& found) {
  const Universe& universe = mechanism.universe;
  const bool replace = universe.neighbours == Neighbours::kReplaceOne;
  console::Table table{{"item", "value"}, {}};
  const auto add = [&table](const std::string& item, const std::string& value) { table.rows.push_back({item, value}); };
  add("mechanism", mechanism.name);
  add("neighbours", replace ? "one row replaced" : "one row added or removed");
  add("databases", (replace ? "" : "up to ") + std::to_string(universe.rows) + " rows of " +
                       std::to_string(universe.domain) + " values");
  add("claimed", mechanism.claimed.to_string());
  add("actual", actual_text(found.worst));
  if (found.divergence) {
    add("claimed tau", console::short_number(mechanism.tau));
    add("actual tau",
        console::short_number(found.divergence->lower) + " to " + console::short_number(found.divergence->upper));
  }
  add("verdict", verdict_text(found.worst.verdict));
  add("evidence", evidence_text(mechanism.evidence));
  if (mechanism.confidence) add("confidence", console::exact_number(*mechanism.confidence));
  add("pairs", std::to_string(found.worst.pairs));
  add("worst pair", rows_text(found.worst.first) + " against " + rows_text(found.worst.second));
  for (const GroupLoss& group : found.groups) {
    add(std::to_string(group.changes) + " rows", "claimed " + group.claimed.to_string() + ", actual " +
                                                     actual_text(group.worst) + ", " +
                                                     verdict_text(group.worst.verdict));
  }
  const InformedAdversary& informed = found.informed;
  add("simulator ratio", number(informed.simulator_ratio) + ", at most " + number(informed.bound));
  add("posterior from 1/2", number(informed.posterior) + ", at most " + number(informed.posterior_bound));
  return table;
}

Json json_of(const AuditedMechanism& mechanism, const CentralAudit& found) {
  const Universe& universe = mechanism.universe;
  Json json = worst_json(found.worst);
  json["mechanism"] = mechanism.name;
  json["neighbours"] = universe.neighbours == Neighbours::kReplaceOne ? "replace_one" : "add_remove";
  json["domain"] = universe.domain;
  json["rows"] = universe.rows;
  json["claimed"] = mechanism.claimed.to_string();
  json["evidence"] = evidence_text(mechanism.evidence);
  if (mechanism.confidence) json["confidence"] = *mechanism.confidence;
  if (found.divergence) {
    json["claimed_tau"] = mechanism.tau;
    json["actual_tau"] = {{"low", found.divergence->lower}, {"high", found.divergence->upper}};
  }
  json["groups"] = Json::array();
  for (const GroupLoss& group : found.groups) {
    Json entry = worst_json(group.worst);
    entry["changes"] = group.changes;
    entry["claimed"] = group.claimed.to_string();
    json["groups"].push_back(entry);
  }
  json["informed_adversary"] = {{"ratio_bound", found.informed.bound},
                                {"simulator_ratio", json_number(found.informed.simulator_ratio)},
                                {"posterior_from_half", found.informed.posterior},
                                {"posterior_bound", found.informed.posterior_bound}};
  return json;
}

}  // namespace

Result<int> audit_mechanism(const AuditRequest& request, console::OutputFormat format) {
  HEARSAY_TRY(const AuditedMechanism mechanism, audited_mechanism(request));
  HEARSAY_TRY(const double seconds, seconds_for_audit(mechanism, kLargestGroup));
  if (seconds > kSilentSeconds) {
    std::cerr << "hearsay-central audit: this may take about "
              << counted(static_cast<std::uint64_t>(std::ceil(seconds)), "second") << "\n";
  }
  HEARSAY_TRY(const CentralAudit found, audit(mechanism, kLargestGroup));
  print(table_of(mechanism, found), json_of(mechanism, found), format);
  return found.worst.verdict == Verdict::kRefuted ? 1 : 0;
}

int list_mechanisms(console::OutputFormat format) {
  console::Table table{{"mechanism", "epsilon", "domain", "rows", "expected", "about"}, {}};
  Json json = Json::array();
  for (const CatalogueEntry& entry : catalogue()) {
    const std::string expected = entry.broken ? "refuted" : "holds";
    table.rows.push_back({std::string(entry.name), entry.epsilon, std::to_string(entry.domain),
                          std::to_string(entry.rows), expected, std::string(entry.about)});
    json.push_back({{"mechanism", entry.name},
                    {"epsilon", entry.epsilon},
                    {"domain", entry.domain},
                    {"rows", entry.rows},
                    {"expected", expected},
                    {"about", entry.about}});
  }
  print(table, json, format);
  return 0;
}

}  // namespace hearsay::central
