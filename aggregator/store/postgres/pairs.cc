// Finds which pairs a window already has: in the folded parts of its tally, or in the rows of `deltas`.
#include <algorithm>
#include <set>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/snapshot.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr Statement kCountsOfPairs{
    "counts_of_pairs",
    "SELECT t.counts FROM unnest($3::int8[], $4::int4[]) AS a (g, f) CROSS JOIN LATERAL "
    "(SELECT counts FROM hearsay.tallies WHERE task = $1::int4 AND window_start = $2::int8 AND group_from = a.g "
    "AND answer_from = a.f OFFSET 0) AS t "
    "UNION ALL SELECT counts FROM hearsay.deltas WHERE task = $1::int4 AND window_start = $2::int8"};

}  // namespace

Result<std::vector<Pair>> PostgresStore::new_pairs(Connection& connection, const KnownTask& task, UnixSeconds window,
                                                   const std::vector<Pair>& pairs) const {
  std::vector<std::int64_t> groups;
  std::vector<std::int32_t> answers;
  std::optional<tally::PartStart> last;
  for (const auto& [group, answer] : pairs) {
    const tally::PartStart part = task.parts.of(group, answer);
    if (last == part) continue;
    last = part;
    groups.push_back(to_database(part.group));
    answers.push_back(static_cast<std::int32_t>(part.answer));
  }
  HEARSAY_TRY(const Rows rows,
              connection.run(kCountsOfPairs,
                             Parameters().int4(task.number).int8(to_database(window)).int8s(groups).int4s(answers)));
  std::vector<bool> known(pairs.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto counts = tally::SampledTally::decode(rows.bytes(row, 0));
    if (!counts) return not_a_tally("tallies or hearsay.deltas");
    counts->for_each([&](const tally::SampledTally::Entry& entry) {
      const auto found = std::lower_bound(pairs.begin(), pairs.end(), Pair{entry.group, entry.answer});
      if (found != pairs.end() && *found == Pair{entry.group, entry.answer}) {
        known[static_cast<std::size_t>(found - pairs.begin())] = true;
      }
    });
  }
  std::vector<Pair> fresh;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!known[i]) fresh.push_back(pairs[i]);
  }
  return fresh;
}

}  // namespace hearsay::store::postgres
