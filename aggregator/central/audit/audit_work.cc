// Estimates the work of an audit before the audit starts.
#include <algorithm>
#include <ctime>

#include "aggregator/central/audit/central_audit.h"
#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr double kMostSeconds = 600;
constexpr double kMostOutcomes =
    0x1p24;  // the outcomes of all databases together; one outcome takes up to about 100 bytes

struct UnitWork {
  double law_seconds = 0;
  double pair_seconds = 0;
  std::size_t outcomes = 0;
};

// Calls loss() twice for a pair. Only the first call computes the laws of the two databases.
Result<UnitWork> measured(const AuditedMechanism& mechanism, const Rows& first, const Rows& second) {
  const auto seconds = [](std::clock_t from, std::clock_t to) {
    return static_cast<double>(to - from) / CLOCKS_PER_SEC;
  };
  const std::clock_t start = std::clock();
  HEARSAY_TRY(const PairLoss loss, mechanism.loss(first, second));
  const std::clock_t middle = std::clock();
  HEARSAY_CHECK_OK(mechanism.loss(first, second));
  double again = seconds(middle, std::clock());
  const double laws = std::max(0.0, seconds(start, middle) - again);
  if (mechanism.divergence) {
    const std::clock_t from = std::clock();
    HEARSAY_CHECK_OK(mechanism.divergence(first, second, mechanism.claimed.approximate()));
    again += seconds(from, std::clock());
  }
  return UnitWork{laws / 2, again, loss.outcomes.size()};
}

Result<UnitWork> most_of_some(const AuditedMechanism& mechanism, const Databases& databases) {
  UnitWork most;
  for (const std::size_t i : {std::size_t{0}, databases.size() / 2, databases.size() - 1}) {
    const std::vector<std::size_t> near = databases.at_distance(i, 1);
    if (near.empty()) continue;
    HEARSAY_TRY(const UnitWork work, measured(mechanism, databases[i], databases[near.back()]));
    most.law_seconds = std::max(most.law_seconds, work.law_seconds);
    most.pair_seconds = std::max(most.pair_seconds, work.pair_seconds);
    most.outcomes = std::max(most.outcomes, work.outcomes);
  }
  return most;
}

Error too_large(const std::string& why) {
  return {ErrorCode::kDomainTooLarge, why + "; take a smaller domain or fewer rows"};
}

}  // namespace

Result<double> seconds_for_audit(const AuditedMechanism& mechanism, std::uint32_t largest_group) {
  HEARSAY_TRY(const Databases databases, Databases::enumerate(mechanism.universe));
  HEARSAY_TRY(const UnitWork unit, most_of_some(mechanism, databases));
  if (static_cast<double>(databases.size()) * static_cast<double>(unit.outcomes) > kMostOutcomes) {
    return too_large("the audit would hold " + with_separators(unit.outcomes) + " outcomes for each of " +
                     with_separators(databases.size()) + " databases, more than fit into memory");
  }
  double seconds = static_cast<double>(databases.size()) * unit.law_seconds;
  const std::uint32_t groups = mechanism.divergence ? 1 : largest_group;
  for (std::uint32_t changes = 1; changes <= groups; ++changes) {
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < databases.size(); ++i) {
      pairs += databases.at_distance(i, changes).size();
      if (pairs > kMostAuditPairs) return too_large("more than 2^20 pairs of databases");
    }
    seconds += static_cast<double>(pairs) * unit.pair_seconds;
  }
  if (seconds > kMostSeconds) {
    return too_large("the audit would take about " + with_separators(static_cast<std::uint64_t>(seconds / 60)) +
                     " minutes, more than 10");
  }
  return seconds;
}

}  // namespace hearsay::central
