// Reads tallies: the folded parts in `tallies`, and the counts of later commits in `deltas`.
#include <map>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/snapshot.h"
#include "aggregator/store/range_sum.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr std::int64_t kPartsAtOnce = 16;
constexpr UnixSeconds kEnd = ~UnixSeconds{0};

constexpr Statement kParts{
    "tally_parts",
    "SELECT window_start, group_from, answer_from, counts FROM hearsay.tallies WHERE task = $1::int4 "
    "AND (window_start, group_from, answer_from) >= ($2::int8, $3::int8, $4::int4) AND window_start < $5::int8 "
    "ORDER BY 1, 2, 3 LIMIT $6::int8"};
constexpr Statement kNextDeltas{
    "next_deltas",
    "SELECT window_start, counts FROM hearsay.deltas WHERE task = $1::int4 AND window_start = "
    "(SELECT min(window_start) FROM hearsay.deltas WHERE task = $1::int4 AND window_start >= $2::int8 "
    "AND window_start < $3::int8)"};

}  // namespace

// Merges the folded parts, one page at a time, with the parts of one window's deltas.
class PostgresStore::PartReader final : public TallyReader {
 public:
  // Reads the windows that start before `to`.
  PartReader(std::shared_ptr<Snapshot> view, std::shared_ptr<const KnownTask> task, UnixSeconds to = kEnd)
      : view_(std::move(view)), task_(std::move(task)), to_(to) {}
  // Makes a reader that returns `error`, or no parts if there is no error.
  explicit PartReader(std::optional<Error> error) : error_(std::move(error)) {}

  void seek(UnixSeconds window, const tally::PartStart& from) override {
    folded_.clear();
    deltas_.clear();
    next_folded_ = {window, from};
    folded_left_ = true;
    first_ = {window, from};
    next_delta_ = window;
    deltas_left_ = true;
  }

  Result<std::optional<TallyPart>> next() override {
    if (error_) return *error_;
    if (!task_) return std::optional<TallyPart>();
    if (folded_.empty() && folded_left_) HEARSAY_CHECK_OK(read_folded());
    while (deltas_.empty() && deltas_left_) HEARSAY_CHECK_OK(read_deltas());
    if (folded_.empty() && deltas_.empty()) return std::optional<TallyPart>();
    if (deltas_.empty()) return take(folded_);
    if (folded_.empty()) return take(deltas_);
    const Place folded = folded_.begin()->first;
    const Place delta = deltas_.begin()->first;
    if (folded < delta) return take(folded_);
    HEARSAY_TRY(std::optional<TallyPart> part, take(deltas_));
    if (folded == delta) {
      HEARSAY_CHECK_OK(part->tally.merge(folded_.begin()->second));
      folded_.erase(folded_.begin());
    }
    return part;
  }

 private:
  using Place = std::pair<UnixSeconds, tally::PartStart>;
  using Parts = std::map<Place, tally::Tally>;

  static Result<std::optional<TallyPart>> take(Parts& parts) {
    auto node = parts.extract(parts.begin());
    return std::optional(TallyPart{node.key().first, std::move(node.mapped())});
  }

  std::int64_t end() const { return to_database(to_); }

  Result<void> read_folded() {
    HEARSAY_TRY(Connection* const connection, view_->connection());
    HEARSAY_TRY(const Rows rows,
                connection->run(kParts, Parameters()
                                            .int4(task_->number)
                                            .int8(to_database(next_folded_.first))
                                            .int8(to_database(next_folded_.second.group))
                                            .int4(static_cast<std::int32_t>(next_folded_.second.answer))
                                            .int8(end())
                                            .int8(kPartsAtOnce)));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Place place{static_cast<UnixSeconds>(rows.int8(row, 0)),
                        {static_cast<std::uint64_t>(rows.int8(row, 1)), static_cast<std::uint32_t>(rows.int4(row, 2))}};
      auto tally = tally::Tally::decode(rows.bytes(row, 3));
      if (!tally || tally->reports() == 0 || !task_->parts.fit(*tally, place.second)) return not_a_tally("tallies");
      folded_.emplace(place, *std::move(tally));
      next_folded_ = {place.first, {place.second.group, place.second.answer + 1}};
    }
    folded_left_ = rows.size() == static_cast<std::size_t>(kPartsAtOnce);
    return {};
  }

  // Reads the rows of `deltas` of the next window that has such rows.
  Result<void> read_deltas() {
    HEARSAY_TRY(Connection* const connection, view_->connection());
    HEARSAY_TRY(
        const Rows rows,
        connection->run(kNextDeltas, Parameters().int4(task_->number).int8(to_database(next_delta_)).int8(end())));
    deltas_left_ = !rows.empty();
    if (rows.empty()) return {};
    const auto window = static_cast<UnixSeconds>(rows.int8(0, 0));
    tally::Tally sum = tally::Tally::empty(task_->task.channel());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto delta = tally::Tally::decode(rows.bytes(row, 1));
      if (!delta || !task_->parts.fit(*delta)) return not_a_tally("deltas");
      HEARSAY_CHECK_OK(sum.merge(*delta));
    }
    next_delta_ = window + 1;
    const auto keep = [&](const tally::PartStart& start, const std::string& encoding) -> Result<void> {
      if (Place{window, start} < first_) return {};
      HEARSAY_TRY(tally::Tally part, tally::Tally::decode(encoding));
      deltas_.emplace(Place{window, start}, std::move(part));
      return {};
    };
    const auto pairs = task_->parts.split(sum, keep);
    if (!pairs) return pairs.error();
    return {};
  }

  std::optional<Error> error_;
  std::shared_ptr<Snapshot> view_;
  std::shared_ptr<const KnownTask> task_;
  const UnixSeconds to_ = kEnd;
  Parts folded_;
  Place next_folded_;
  bool folded_left_ = true;
  Place first_;  // where the latest seek() moved to
  Parts deltas_;
  UnixSeconds next_delta_ = 0;
  bool deltas_left_ = true;
};

Result<tally::Tally> PostgresStore::tally(const Task& task, WindowRange range, const std::stop_token& stop) const {
  if (range.from >= range.to) return tally::Tally::empty(task.channel());
  HEARSAY_TRY(const auto view, Snapshot::take(*database_));
  HEARSAY_TRY(Connection* const connection, view->connection());
  HEARSAY_TRY(const auto known, present_task(*connection, task.id()));
  if (!known) return tally::Tally::empty(task.channel());
  const auto make_reader = [&](UnixSeconds to) -> Result<std::unique_ptr<TallyReader>> {
    return std::unique_ptr<TallyReader>(std::make_unique<PartReader>(view, known, to));
  };
  return sum_windows(task, range, make_reader, options_.max_tally_pairs, stop);
}

std::unique_ptr<TallyReader> PostgresStore::read_tallies(const Task& task) const {
  const auto view = Snapshot::take(*database_);
  if (!view) return std::make_unique<PartReader>(view.error());
  const auto connection = (*view)->connection();
  if (!connection) return std::make_unique<PartReader>(connection.error());
  const auto known = present_task(**connection, task.id());
  if (!known) return std::make_unique<PartReader>(known.error());
  return std::make_unique<PartReader>(*view, *known);
}

}  // namespace hearsay::store::postgres
