#include <doctest/doctest.h>

#include <ctime>
#include <string>

#include "aggregator/central/audit/catalogue.h"
#include "aggregator/central/audit/central_audit.h"
#include "aggregator/central/audit/distributional.h"

namespace hearsay::central {
namespace {

constexpr std::uint32_t kGroups = 3;

double seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

AuditedMechanism mechanism_of(const std::string& name, std::uint32_t domain, std::uint32_t rows) {
  return audited_mechanism({name, std::nullopt, domain, rows}).value();
}

AuditedMechanism slow(double pause) {
  AuditedMechanism mechanism;
  mechanism.claimed = Rational::create(1, 1).value();
  mechanism.universe = {4, 3, Neighbours::kReplaceOne, false};
  mechanism.loss = [pause](const Rows&, const Rows&) -> Result<PairLoss> {
    const std::clock_t start = std::clock();
    while (seconds_since(start) < pause) continue;
    return PairLoss{false, {}, true, Rational()};
  };
  return mechanism;
}

// The databases are the 20 multisets of 3 of 4 values. All pairs are at a distance of 1, 2 or 3.
TEST_CASE(
    "the time of an audit is the number of pairs times the time of one pair, and an audit that is too long is "
    "refused") {
  constexpr double kPairs = 20 * 19;
  const double seconds = seconds_for_audit(slow(0.01), kGroups).value();
  CHECK(seconds > 0.9 * kPairs * 0.01);
  CHECK(seconds < 2 * kPairs * 0.01);
  CHECK(seconds_for_audit(slow(0.01), 1).value() < seconds);
  AuditedMechanism large = slow(0.02);
  large.universe = {8, 4, Neighbours::kReplaceOne, false};  // 330 databases, nearly 330² pairs
  const Error error = seconds_for_audit(large, kGroups).error();
  CHECK(error.code == ErrorCode::kDomainTooLarge);
  CHECK(error.message.find("minutes") != std::string::npos);
}

TEST_CASE("an audit that does not fit into memory is refused") {
  AuditedMechanism mechanism = slow(0);
  mechanism.loss = [](const Rows&, const Rows&) -> Result<PairLoss> {
    return PairLoss{false, std::vector<Outcome>(1'000'000), true, Rational()};
  };
  const Error error = seconds_for_audit(mechanism, kGroups).error();
  CHECK(error.code == ErrorCode::kDomainTooLarge);
  CHECK(error.message.find("memory") != std::string::npos);
}

// Without the check this audit would need 23 GB.
TEST_CASE("an audit of too many pairs is refused within seconds") {
  const std::clock_t start = std::clock();
  const Error error = seconds_for_audit(mechanism_of("linear-release", 64, 2), kGroups).error();
  CHECK(error.code == ErrorCode::kDomainTooLarge);
  CHECK(seconds_since(start) < 20);
}

TEST_CASE("by the estimate an audit on the catalogue's own domain takes less than a minute") {
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.broken || entry.name == "adaptive-session") continue;
    CAPTURE(entry.name);
    CHECK(seconds_for_audit(mechanism_of(std::string(entry.name), entry.domain, entry.rows), 1).value() < 60);
  }
}

TEST_CASE("distributional privacy counts samples and their pairs before any loss is computed") {
  AuditedMechanism mechanism = slow(0);
  mechanism.loss = [](const Rows&, const Rows&) -> Result<PairLoss> {
    return Error{ErrorCode::kInternal, "a loss was computed"};
  };
  for (const auto& [domain, rows] : {std::pair{12U, 3U}, {16U, 2U}, {16U, 8U}}) {
    mechanism.universe = {domain, rows, Neighbours::kReplaceOne, false};
    CHECK(distributional_loss(mechanism, std::nullopt).error().code == ErrorCode::kDomainTooLarge);
  }
  mechanism.universe = {8, 2, Neighbours::kReplaceOne, false};
  CHECK(distributional_loss(mechanism, std::nullopt).error().code == ErrorCode::kInternal);
}

}  // namespace
}  // namespace hearsay::central
