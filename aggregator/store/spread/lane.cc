#include "aggregator/store/spread/lane.h"

#include <pthread.h>

#include <algorithm>

#include "common/base/exception_text.h"
#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

// How long a database is waited for that failed the last time.
constexpr std::chrono::milliseconds kShortPatience(100);

}  // namespace

Lane::Lane(const Member& member, MapRow row, KnownMap& map, const Options& options)
    : member_(member), map_(map), options_(options), row_(std::move(row)), thread_([this] { run(); }) {}

Lane::~Lane() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Lane::start(std::shared_ptr<Share> share) {
  {
    const std::lock_guard lock(mutex_);
    if (share_) return false;
    share_ = std::move(share);
  }
  changed_.notify_all();
  return true;
}

bool Lane::wait(const Share& share, Steady::time_point begun) {
  std::unique_lock lock(mutex_);
  const auto patience = trouble_ ? std::min(kShortPatience, options_.patience) : options_.patience;
  if (changed_.wait_until(lock, begun + patience, [&] { return share.done; })) return true;
  if (!trouble_) trouble_ = Error{ErrorCode::kStoreFailed, member_.name + " does not answer"};
  return false;
}

std::optional<Error> Lane::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void Lane::run() {
  pthread_setname_np(pthread_self(), "spread");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || share_; });
    if (stopping_) return;
    const std::shared_ptr<Share> share = share_;
    lock.unlock();
    Result<void> worked;
    try {
      worked = work(*share);
    } catch (const std::exception& e) {
      worked = Error{ErrorCode::kStoreFailed, exception_text(e)};
    }
    // An error says nothing about which reports are stored.
    if (!worked) std::fill(share->outcomes.begin(), share->outcomes.end(), AppendOutcome::kUnavailable);
    lock.lock();
    trouble_.reset();
    if (!worked) trouble_ = member_.named(worked.error());
    share->done = true;
    share_.reset();
    changed_.notify_all();
  }
}

Result<void> Lane::work(Share& share) {
  const std::vector<Submission>& all = share.submissions();
  UnixSeconds last = 0;
  for (const Submission& submission : all) last = std::max(last, submission.task->window_of(submission.report.time));
  Result<void> opened;
  if (last >= row_.opened_before) opened = open(last);
  std::vector<Submission> taken;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!takes(all[i])) continue;
    taken.push_back(all[i]);
    numbers.push_back(i);
  }
  if (taken.empty()) return opened;
  std::vector<AppendOutcome> outcomes(taken.size());
  HEARSAY_CHECK_OK(member_.store->append(taken, outcomes));
  for (std::size_t i = 0; i < numbers.size(); ++i) share.outcomes[numbers[i]] = outcomes[i];
  return opened;
}

Result<void> Lane::open(UnixSeconds window) {
  const auto change = [&](MapRow& row, UnixSeconds now) -> Result<void> {
    // A change of the map that stopped half way is completed by whoever sees that it was decided.
    if (row.proposed && map_.has_decided(*row.proposed)) HEARSAY_CHECK_OK(decide(row, MapEntry(*row.proposed)));
    const bool lost = row.entries.size() < row_.entries.size() || row.opened_before < row_.opened_before;
    if (lost || row.entries.empty()) {
      return Error{ErrorCode::kStoreCorrupt, "it has lost what it said of the map; was an older copy restored?"};
    }
    open_until(row, window + 1 + options_.lead, now + options_.max_ahead);
    return {};
  };
  HEARSAY_TRY(MapRow row, member_.keeper->update(change));
  HEARSAY_CHECK_OK(map_.learn(row.entries));
  row_ = std::move(row);
  if (window < row_.opened_before) return {};
  return Error{ErrorCode::kStoreFailed, row_.proposed ? "a change of its map was not completed"
                                                      : "the window lies too far ahead of the database's clock"};
}

bool Lane::takes(const Submission& submission) const {
  const UnixSeconds window = submission.task->window_of(submission.report.time);
  return window < row_.opened_before && server_of(entry_of(row_.entries, window), submission.report.id) == server();
}

}  // namespace hearsay::store::spread
