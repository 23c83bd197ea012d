// Reads the database in a thread of its own and keeps the results, so that other threads need not wait for a database
// that does not answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "hearsay/result.h"

namespace hearsay::store::postgres {

struct Observation;  // postgres_store.h

// Thread-safe.
class Observer {
 public:
  using Steady = std::chrono::steady_clock;
  // Reads the database once more. Returns `last` with the new figures; null if the read failed. Calls `heard` whenever
  // the database has answered.
  using Look =
      std::function<std::shared_ptr<const Observation>(const Observation& last, const std::function<void()>& heard)>;
  // The functions with which the thread asks the database. If the database does not answer, a function may take long.
  // The functions must not throw.
  struct Questions {
    std::function<Result<void>()> answers;  // asks whether the database answers; takes little time
    Look tasks;
    Look count;  // may take long if there are many windows; the thread then calls `count` less often
  };

  // `first` is an observation that the caller has just made. The constructor starts the thread. The destructor waits
  // until a running question returns.
  Observer(Questions questions, std::shared_ptr<const Observation> first);

  // Returns the last observation.
  std::shared_ptr<const Observation> last() const;
  // Returns for how long the database has not answered.
  Steady::duration silence() const;
  // Returns why the last call of Questions::answers failed; nothing once the database has answered.
  std::optional<Error> trouble() const;

 private:
  void note(const Result<void>& answer);
  void look(const Look& question);
  void watch(const std::stop_token& stopping);

  const Questions questions_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Observation> last_;
  Steady::time_point answered_;
  std::optional<Error> trouble_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last member: the thread uses all other members
};

}  // namespace hearsay::store::postgres
