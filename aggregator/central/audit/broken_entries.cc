// Broken mechanisms that papers print or warn of. The audit must refute each of these mechanisms.
#include <bit>
#include <cmath>

#include "aggregator/central/audit/entries.h"
#include "aggregator/central/audit/printed_intervals.h"
#include "aggregator/central/extremes/published_extreme.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// Dwork et al. 2006, Example 2: publishes one row, drawn at random from the n rows.
Made random_row(const AuditSettings& settings) {
  const LossOf loss = [domain = settings.domain](const Rows& first, const Rows& second) -> Result<PairLoss> {
    const std::vector<std::uint64_t> a = histogram_of(first, domain);
    const std::vector<std::uint64_t> b = histogram_of(second, domain);
    PairLoss found;
    found.complete = true;
    for (std::uint32_t value = 0; value < domain; ++value) {
      found.infinite = found.infinite || (a[value] > 0 && b[value] == 0);
      if (a[value] == 0 || b[value] == 0) continue;
      const LogRatio ratio{{}, {a[value], b[value]}};
      found.outcomes.push_back({ratio, ratio});
    }
    return found;
  };
  return described(settings, kReplace, false, Evidence::kExact, loss);
}

// Dwork et al. 2006, section 3.3, as printed: flips each bit with probability 1/2 - ε/(2S). The odds that a bit stays
// are (S + ε)/(S - ε).
Made printed_flips(const AuditSettings& settings) {
  const std::uint64_t sensitivity = bits_for(settings.domain) * settings.built.den();
  if (sensitivity <= settings.built.num()) {
    return Error{ErrorCode::kInvalidArgument, "printed-bit-flips needs an epsilon below the number of bits of a value"};
  }
  return flipped_bits(settings, {sensitivity + settings.built.num(), sensitivity - settings.built.num()});
}

// Theorem 5 of Roth 2010 as printed: publishes ‖D‖₁, the number of records, without noise. Under add-remove, neighbours
// differ in this number.
Made clear_total(const AuditSettings& settings) {
  HEARSAY_TRY(AuditedMechanism audited, linear_release(settings, kReplace));
  audited.universe.neighbours = kAdd;
  audited.universe.fewest = 1;
  return audited;
}

Made published(const AuditSettings& settings, Reading reading) {
  HEARSAY_TRY(const PublishedExtreme mechanism, PublishedExtreme::create(reading, settings.domain, 1, settings.built));
  using Law = std::vector<double>;
  const auto laws = remembered<Published<Law>>(
      [mechanism](const Rows& rows) { return published_law<Law>(attempted([&] { return mechanism.law(rows); })); });
  const LossOf loss = [laws](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const Published<Law>* a, laws(first));
    HEARSAY_TRY(const Published<Law>* b, laws(second));
    if (auto told = loss_of_errors(*a, *b)) return *std::move(told);
    PairLoss found;
    for (std::size_t value = 0; value < std::get<Law>(*a).size(); ++value) {
      const long double p = std::get<Law>(*a)[value];
      const long double q = std::get<Law>(*b)[value];
      if (p > 0 && q > 0)
        found.outcomes.push_back(outcome_from(p, q, 1e-12L));  // the law's relative error is about 1e-15 for each row
      found.infinite = found.infinite || (p > 0 && q == 0);
    }
    return found;
  };
  return described(settings, kAdd, true, Evidence::kLowerOnly, loss);
}

// Theorem 4.2 of Blum et al. 2008 as printed, for the error ε = 3/4.
Made printed_intervals(const AuditSettings& settings) {
  if (settings.domain < 2 || !std::has_single_bit(settings.domain) || settings.domain > 256) {
    return Error{ErrorCode::kInvalidArgument, "printed-intervals is audited on 2, 4, 8, ..., 256 values"};
  }
  const PrintedIntervals mechanism(bits_for(settings.domain), 0.75, settings.built.approximate());
  const auto laws =
      remembered<PrintedIntervals::Law>([mechanism](const Rows& rows) { return Result(mechanism.law(rows)); });
  const LossOf loss = [laws](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const PrintedIntervals::Law* a, laws(first));
    HEARSAY_TRY(const PrintedIntervals::Law* b, laws(second));
    PairLoss found;
    found.outcomes = {outcome_from(std::exp(PrintedIntervals::largest_log_ratio(*a, *b)), 1, 1e-12L)};
    return found;
  };
  return described(settings, kReplace, false, Evidence::kLowerOnly, loss);
}

}  // namespace

std::vector<CatalogueEntry> broken_entries() {
  using S = const AuditSettings&;
  return {
      {"random-row", "one random row without noise (Dwork et al., Example 2)", "1", 2, 3,
       [](S s) { return random_row(s); }},
      {"printed-bit-flips", "bits flipped with probability 1/2 - eps/(2S)", "1", 4, 2,
       [](S s) { return printed_flips(s); }},
      {"printed-cells", "cell release with Lap(1/(alpha n)), replaced rows", "1", 3, 3,
       [](S s) { return cell_counts(s, kAdd, kReplace); }},
      {"clear-total", "linear release with the number of rows without noise, add-remove", "1", 3, 3,
       [](S s) { return clear_total(s); }},
      {"printed-intervals", "intervals piece by piece, with noise for 4b/eps counts", "1", 64, 1,
       [](S s) { return printed_intervals(s); }},
      {"published-maximum-domain-half-open", "maximum as published, lowers [domain minimum, x-reach)", "0.5", 6, 4,
       [](S s) { return published(s, Reading::kDomainHalfOpen); }},
      {"published-maximum-domain-closed", "maximum as published, lowers [domain minimum, x-reach]", "0.5", 6, 4,
       [](S s) { return published(s, Reading::kDomainClosed); }},
      {"published-maximum-data-half-open", "maximum as published, lowers [least row, x-reach)", "0.5", 6, 4,
       [](S s) { return published(s, Reading::kDataHalfOpen); }},
      {"published-maximum-data-closed", "maximum as published, lowers [least row, x-reach]", "0.5", 6, 4,
       [](S s) { return published(s, Reading::kDataClosed); }},
      {"published-maximum-complement", "maximum as published, lowers all but the raised values", "0.5", 6, 4,
       [](S s) { return published(s, Reading::kComplement); }},
  };
}

}  // namespace hearsay::central
