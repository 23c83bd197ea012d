#include "aggregator/store/spread/lane.h"

#include <pthread.h>

#include <algorithm>

#include "common/base/exception_text.h"
#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

// How long append() waits for a database that failed or was late at the last batch.
constexpr std::chrono::milliseconds kShortPatience(100);
// After a failure, while no reports come, the lane asks at this interval whether the database works again.
constexpr std::chrono::seconds kLookAgain(1);

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
  const auto patience = failed_ ? std::min(kShortPatience, options_.patience) : options_.patience;
  if (changed_.wait_until(lock, begun + patience, [&] { return share.done; })) return true;
  failed_ = true;
  trouble_ = member_.named({ErrorCode::kStoreFailed, "does not answer"});
  return false;
}

std::optional<Error> Lane::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void Lane::run() {
  pthread_setname_np(pthread_self(), "spread");
  std::unique_lock lock(mutex_);
  const auto called = [&] { return stopping_ || share_; };
  for (;;) {
    if (trouble_) {
      changed_.wait_for(lock, kLookAgain, called);
    } else {
      changed_.wait(lock, called);
    }
    if (stopping_) return;
    const std::shared_ptr<Share> share = share_;
    lock.unlock();
    std::optional<Error> hindrance;
    bool failed = false;
    try {
      const auto worked = share ? work(*share, hindrance) : look_again(hindrance);
      failed = !worked;
      if (failed) hindrance = worked.error();
    } catch (const std::exception& e) {
      failed = true;
      hindrance = Error{ErrorCode::kStoreFailed, exception_text(e)};
    }
    lock.lock();
    trouble_.reset();
    if (hindrance) trouble_ = member_.named(*hindrance);
    failed_ = failed;
    if (!share) continue;
    share->done = true;
    share_.reset();
    changed_.notify_all();
  }
}

Result<void> Lane::work(Share& share, std::optional<Error>& hindrance) {
  const std::vector<Submission>& all = share.submissions();
  last_window_ = 0;
  for (const Submission& submission : all) {
    last_window_ = std::max(last_window_, submission.task->window_of(submission.report.time));
  }
  if (last_window_ >= row_.opened_before) HEARSAY_CHECK_OK(confirm(last_window_, hindrance));
  std::vector<Submission> taken;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!takes(all[i])) continue;
    taken.push_back(all[i]);
    numbers.push_back(i);
  }
  if (taken.empty()) return {};
  std::vector<AppendOutcome> outcomes(taken.size());
  HEARSAY_CHECK_OK(member_.store->append(taken, outcomes));
  for (std::size_t i = 0; i < numbers.size(); ++i) share.outcomes[numbers[i]] = outcomes[i];
  return {};
}

Result<void> Lane::look_again(std::optional<Error>& hindrance) {
  if (const auto failure = member_.store->failure()) return *failure;
  return confirm(last_window_, hindrance);
}

Result<void> Lane::confirm(UnixSeconds window, std::optional<Error>& hindrance) {
  HEARSAY_CHECK_OK(open(window));
  if (window >= row_.opened_before && row_.proposed) {
    hindrance = Error{ErrorCode::kStoreFailed, "a change of the map was not completed; repeat `hearsay store map`"};
  }
  return {};
}

Result<void> Lane::open(UnixSeconds window) {
  const auto change = [&](MapRow& row, UnixSeconds now) -> Result<void> {
    // A change of the map may have stopped half way. If the entry is decided elsewhere, decide() completes the change
    // here.
    if (row.proposed && map_.has_decided(*row.proposed)) HEARSAY_CHECK_OK(decide(row, MapEntry(*row.proposed)));
    const bool lost = row.entries.size() < row_.entries.size() || row.opened_before < row_.opened_before;
    if (lost || row.entries.empty()) {
      return Error{ErrorCode::kStoreCorrupt, "it has lost its row of the map; was an older copy restored?"};
    }
    row.max_ahead = std::max(row.max_ahead, options_.max_ahead);
    open_until(row, window + 1 + options_.lead, now + options_.max_ahead);
    return {};
  };
  HEARSAY_TRY(MapRow row, member_.keeper->update(change));
  HEARSAY_CHECK_OK(map_.learn(row.entries));
  row_ = std::move(row);
  return {};
}

bool Lane::takes(const Submission& submission) const {
  const UnixSeconds window = submission.task->window_of(submission.report.time);
  return window < row_.opened_before && server_of(entry_of(row_.entries, window), submission.report.id) == server();
}

}  // namespace hearsay::store::spread
