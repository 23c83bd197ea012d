// Small classes and all small histograms, for the tests of synthetic databases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "aggregator/central/synthetic/selection.h"
#include "aggregator/central/synthetic/target.h"
#include "tests/support/selection_laws.h"

namespace hearsay::central {

using RowCounts = std::vector<std::uint64_t>;

inline QueryClass intervals(std::size_t domain) {
  std::vector<std::vector<std::uint8_t>> queries;
  for (std::size_t a = 0; a < domain; ++a) {
    for (std::size_t b = a; b < domain; ++b) {
      std::vector<std::uint8_t> query(domain, 0);
      for (std::size_t x = a; x <= b; ++x) query[x] = 1;
      queries.push_back(query);
    }
  }
  return QueryClass::predicates(queries).value();
}

inline QueryClass thresholds(std::size_t domain) {
  std::vector<std::vector<std::uint8_t>> queries;
  for (std::size_t t = 1; t < domain; ++t) {
    std::vector<std::uint8_t> query(domain, 0);
    for (std::size_t x = t; x < domain; ++x) query[x] = 1;
    queries.push_back(query);
  }
  return QueryClass::predicates(queries).value();
}

inline std::vector<RowCounts> histograms(std::size_t domain, std::uint64_t total) {
  if (domain == 1) return {{total}};
  std::vector<RowCounts> all;
  for (std::uint64_t first = 0; first <= total; ++first) {
    for (RowCounts rest : histograms(domain - 1, total - first)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  }
  return all;
}

inline std::uint64_t distance(const RowCounts& a, const RowCounts& b) {
  std::uint64_t sum = 0;
  for (std::size_t x = 0; x < a.size(); ++x) sum += a[x] > b[x] ? a[x] - b[x] : b[x] - a[x];
  return sum;
}

// Returns the logarithms of the probabilities of enumerate(), indexed by the multiset's position in the enumeration.
inline tests::LogLaw log_law(const Selection& selection, const RowCounts& data) {
  return tests::log_law(ExponentialMechanism(selection.decay()), selection.scores(data).value());
}

inline double error_of(const Selection& selection, const RowCounts& data, const Counts& counts) {
  const Target target = Target::create(selection.queries(), selection.size(), data).value();
  const auto units = static_cast<double>(selection.size()) * static_cast<double>(selection.queries().unit());
  return -static_cast<double>(target.score(target.answers(counts))) / units;
}

inline long double largest_log_ratio(const std::vector<long double>& a, const std::vector<long double>& b) {
  long double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace hearsay::central
