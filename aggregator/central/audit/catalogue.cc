#include "aggregator/central/audit/catalogue.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "aggregator/central/audit/entries.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

Result<Epsilon> from_millionths(std::uint64_t millionths) {
  const std::string digits = std::to_string(millionths % 1'000'000);
  return Epsilon::parse(std::to_string(millionths / 1'000'000) + "." + std::string(6 - digits.size(), '0') + digits);
}

// Returns ε/f as an Epsilon. Errors: kInvalidArgument if ε/f needs more than 6 decimals or is out of range.
Result<Epsilon> built_for(const Epsilon& epsilon, const Rational& factor) {
  HEARSAY_TRY(const Rational value, exact(epsilon).divided_by(factor));
  HEARSAY_TRY(const Rational millionths, value.times(whole(1'000'000)));
  if (millionths.den() != 1) {
    return Error{ErrorCode::kInvalidArgument, "epsilon divided by --scale-factor must have at most 6 decimals"};
  }
  return from_millionths(millionths.num());
}

}  // namespace

AuditedMechanism described(const AuditSettings& settings, Neighbours neighbours, bool ordered, Evidence evidence,
                           LossOf loss) {
  AuditedMechanism mechanism;
  mechanism.claimed = exact(settings.claimed);
  mechanism.universe = {settings.domain, settings.rows, neighbours, ordered};
  mechanism.evidence = evidence;
  mechanism.loss = std::move(loss);
  return mechanism;
}

AuditedMechanism flipped_bits(const AuditSettings& settings, const WideFraction& odds) {
  const LossOf loss = [odds](const Rows& first, const Rows& second) -> Result<PairLoss> {
    unsigned differing = 0;
    for (std::size_t i = 0; i < first.size(); ++i) differing += std::popcount(first[i] ^ second[i]);
    const LogRatio ratio = differing == 0 ? LogRatio{} : LogRatio{{}, odds, differing};
    return PairLoss{false, {{ratio, ratio}}, true, std::nullopt};
  };
  return described(settings, kReplace, true, Evidence::kExact, loss);
}

Result<Epsilon> half(const Epsilon& epsilon) {
  return from_millionths(epsilon.num() * (1'000'000 / epsilon.den()) / 2);
}

std::vector<std::uint64_t> histogram_of(const Rows& rows, std::uint32_t domain) {
  std::vector<std::uint64_t> histogram(domain);
  for (const std::uint32_t row : rows) ++histogram[row];
  return histogram;
}

std::uint32_t bits_for(std::uint32_t values) {
  return values <= 2 ? 1 : static_cast<std::uint32_t>(std::bit_width(values - 1));
}

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> kEntries = [] {
    std::vector<CatalogueEntry> all;
    for (auto part : {laplace_entries(), selection_entries(), release_entries(), session_entries()}) {
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    std::vector<CatalogueEntry> broken = broken_entries();
    for (CatalogueEntry& entry : broken) {
      entry.broken = true;
      all.push_back(std::move(entry));
    }
    return all;
  }();
  return kEntries;
}

Result<AuditedMechanism> audited_mechanism(const AuditRequest& request) {
  const auto entry = std::find_if(catalogue().begin(), catalogue().end(),
                                  [&request](const CatalogueEntry& e) { return e.name == request.name; });
  if (entry == catalogue().end()) {
    return Error{ErrorCode::kNotFound,
                 "no mechanism is called '" + request.name + "'; `hearsay-central audit --list` names all"};
  }
  Epsilon claimed = Epsilon::parse(entry->epsilon).value();
  if (request.epsilon) claimed = *request.epsilon;
  AuditSettings settings{claimed, claimed, request.domain.value_or(entry->domain), request.rows.value_or(entry->rows)};
  if (request.scale_factor) {
    HEARSAY_TRY(settings.built, built_for(claimed, *request.scale_factor));
  }
  constexpr std::uint32_t kMostValues = 64;
  constexpr std::uint32_t kMostRows = 1024;
  if (settings.domain == 0 || settings.rows == 0) {
    return Error{ErrorCode::kInvalidArgument, "an audit needs at least one value and one row"};
  }
  if (settings.domain > kMostValues || settings.rows > kMostRows) {
    return Error{ErrorCode::kDomainTooLarge, "an audit takes at most 64 values and 1024 rows"};
  }
  HEARSAY_TRY(AuditedMechanism mechanism, entry->make(settings));
  mechanism.name = entry->name;
  return mechanism;
}

}  // namespace hearsay::central
