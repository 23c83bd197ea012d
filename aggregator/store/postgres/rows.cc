// Writes the rows of a batch: the reports in `blocks`, their tallies in `deltas`, and the numbers of reports and pairs
// in `windows`.
#include "aggregator/store/postgres/append.h"
#include "aggregator/store/postgres/snapshot.h"

namespace hearsay::store::postgres {
namespace {

constexpr std::size_t kMaxBlockBytes = 8000;  // unless one report is larger

constexpr Statement kInsertBlocks{
    "insert_blocks",
    "INSERT INTO hearsay.blocks (writer, commit, task, seal_day, window_start, part, reports, bytes) "
    "SELECT $1::int4, $2::int8, * FROM "
    "unnest($3::int4[], $4::int4[], $5::int8[], $6::int4[], $7::int4[], $8::bytea[])"};
constexpr Statement kInsertDeltas{"insert_deltas",
                                  "INSERT INTO hearsay.deltas (writer, commit, task, window_start, counts) "
                                  "SELECT $1::int4, $2::int8, * FROM unnest($3::int4[], $4::int8[], $5::bytea[])"};
constexpr Statement kCountWindows{
    "count_windows",
    "INSERT INTO hearsay.windows (writer, task, window_start, reports, pairs) "
    "SELECT $1::int4, * FROM unnest($2::int4[], $3::int8[], $4::int8[], $5::int8[]) "
    "ON CONFLICT (task, window_start, writer) DO UPDATE SET reports = windows.reports + excluded.reports, "
    "pairs = windows.pairs + excluded.pairs, commits = windows.commits + 1"};

}  // namespace

void PostgresStore::Append::send_blocks(Connection& connection) const {
  std::vector<std::int32_t> tasks;
  std::vector<std::int32_t> days;
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> parts;
  std::vector<std::int32_t> reports;
  std::vector<std::string> bodies;
  for (const Window& window : windows_) {
    for (std::size_t e = window.from; e < window.to; ++e) {
      if (!entries_[e].accepted()) continue;
      const auto encoded = submissions_[entries_[e].first].encoded;
      const bool first_of_window =
          starts.empty() || starts.back() != to_database(window.start) || tasks.back() != window.task->number;
      if (first_of_window || bodies.back().size() + encoded.size() > kMaxBlockBytes) {
        parts.push_back(first_of_window ? 0 : parts.back() + 1);
        tasks.push_back(window.task->number);
        days.push_back(window.day);
        starts.push_back(to_database(window.start));
        reports.push_back(0);
        bodies.emplace_back();
      }
      bodies.back().append(reinterpret_cast<const char*>(encoded.data()), encoded.size());
      ++reports.back();
    }
  }
  if (bodies.empty()) return;
  connection.send(kInsertBlocks, Parameters()
                                     .int4(store_.writer_->number())
                                     .int8(store_.writer_->next())
                                     .int4s(tasks)
                                     .int4s(days)
                                     .int8s(starts)
                                     .int4s(parts)
                                     .int4s(reports)
                                     .byteas(bodies));
}

void PostgresStore::Append::send_counts(Connection& connection) const {
  std::vector<std::int32_t> tasks;
  std::vector<std::int64_t> starts;
  std::vector<std::string> counts;
  std::vector<std::int64_t> reports;
  std::vector<std::int64_t> pairs;
  for (const Window& window : windows_) {
    if (!window.delta) continue;
    tasks.push_back(window.task->number);
    starts.push_back(to_database(window.start));
    counts.push_back(window.delta->encode());
    reports.push_back(to_database(window.delta->reports()));
    pairs.push_back(to_database(window.new_pairs ? window.new_pairs->counted() : tally::Parts::pairs(*window.delta)));
  }
  if (tasks.empty()) return;
  const std::int32_t writer = store_.writer_->number();
  connection.send(kInsertDeltas,
                  Parameters().int4(writer).int8(store_.writer_->next()).int4s(tasks).int8s(starts).byteas(counts));
  connection.send(kCountWindows, Parameters().int4(writer).int4s(tasks).int8s(starts).int8s(reports).int8s(pairs));
}

}  // namespace hearsay::store::postgres
