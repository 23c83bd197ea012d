#include "aggregator/store/spread/upkeep.h"

#include "common/base/exception_text.h"

namespace hearsay::store::spread {
namespace {

using Steady = std::chrono::steady_clock;

Expiry carry_out(Store& store, const Upkeep::Work& work) try { return work(store); } catch (const std::exception& e) {
  return {0, Error{ErrorCode::kStoreFailed, exception_text(e)}};
}

std::future<Expiry> begin(const std::shared_ptr<Store>& store, const Upkeep::Work& work) try {
  return std::async(std::launch::async, [store, work] { return carry_out(*store, work); });
} catch (const std::exception& e) {  // the system gave no thread
  std::promise<Expiry> failed;
  failed.set_value({0, Error{ErrorCode::kStoreFailed, exception_text(e)}});
  return failed.get_future();
}

}  // namespace

Upkeep::Upkeep(std::vector<Member> members, std::chrono::milliseconds patience)
    : members_(std::move(members)), patience_(patience), at_work_(members_.size()) {}

Upkeep::Done Upkeep::run(const Work& work) {
  const std::lock_guard lock(mutex_);
  const Steady::time_point begun = Steady::now();
  Done done;
  const auto add = [&](std::size_t i, const Expiry& one) {
    done.ended.forgotten += one.forgotten;
    if (one.failure && !done.ended.failure) done.ended.failure = members_[i].named(*one.failure);
  };
  const auto ends_by = [&](std::size_t i, Steady::time_point time) {
    return at_work_[i].wait_until(time) == std::future_status::ready;
  };
  std::vector<Steady::time_point> deadlines(members_.size(), begun);  // run() does not wait for work that began earlier
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (at_work_[i].valid() && !ends_by(i, begun)) continue;
    if (at_work_[i].valid()) add(i, at_work_[i].get());
    at_work_[i] = begin(members_[i].store, work);
    deadlines[i] = begun + patience_;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (ends_by(i, deadlines[i])) {
      add(i, at_work_[i].get());
    } else if (!done.late) {
      done.late = members_[i].named(
          {ErrorCode::kStoreFailed, "its upkeep takes long and goes on; a later call tells how it ends"});
    }
  }
  return done;
}

}  // namespace hearsay::store::spread
