// What a thread of its own last saw of the database, so that nobody else need wait for a database that does not answer.
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
  // Returns what is known after one more look; null if the look failed. Calls `heard` whenever the database has
  // answered.
  using Look =
      std::function<std::shared_ptr<const Observation>(const Observation& last, const std::function<void()>& heard)>;
  // All ask the database, and may take long where it does not answer. They must not throw.
  struct Questions {
    std::function<Result<void>()> answers;  // cheap, as is the next
    Look tasks;
    Look count;  // may take long with many windows: asked the more seldom, the longer it takes
  };

  // `first`: what was observed just now. The thread starts here, and ends with the object, once a question returns.
  Observer(Questions questions, std::shared_ptr<const Observation> first);

  // What was observed last.
  std::shared_ptr<const Observation> last() const;
  // How long the database has not answered.
  Steady::duration silence() const;
  // Why it did not answer the last time; nothing if it did.
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
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace hearsay::store::postgres
