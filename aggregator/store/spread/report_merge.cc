#include "aggregator/store/spread/report_merge.h"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <limits>
#include <mutex>
#include <optional>

#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

// Lets a reader go on only while no other reader is at an earlier window.
class Turns {
 public:
  explicit Turns(std::size_t readers) : windows_(readers, 0) {}

  // A reader calls take() when the reader has come to a report of `window`. Waits for readers at earlier windows, and
  // then visits the report.
  Result<void> take(std::size_t reader, UnixSeconds window, const std::function<Result<void>()>& visit) {
    std::unique_lock lock(mutex_);
    if (windows_[reader] != window) move(reader, window);
    changed_.wait(lock, [&] { return error_ || window <= *std::min_element(windows_.begin(), windows_.end()); });
    if (error_) return *error_;
    auto visited = visit();
    if (!visited) fail(visited.error());
    return visited;
  }

  // A reader calls end() when the reader has no further reports.
  void end(std::size_t reader) {
    const std::lock_guard lock(mutex_);
    move(reader, std::numeric_limits<UnixSeconds>::max());
  }

  void stop(const Error& error) {
    const std::lock_guard lock(mutex_);
    fail(error);
  }

  const std::optional<Error>& error() const { return error_; }  // read this only when no reader runs

 private:
  void move(std::size_t reader, UnixSeconds window) {
    windows_[reader] = window;
    changed_.notify_all();
  }
  void fail(const Error& error) {
    if (!error_) error_ = error;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // for each reader, the window of the latest report that the reader has come to
  std::vector<UnixSeconds> windows_;
  std::optional<Error> error_;  // the first error
};

// Ends a reader's turn even if the visit throws.
class Reader {
 public:
  Reader(Turns& turns, std::size_t number) : turns_(turns), number_(number) {}
  ~Reader() { turns_.end(number_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void read(const Member& member, const Task& task, const std::function<Result<void>(const ReportView&)>& visit) {
    const auto read = member.store->for_each_report(task, [&](const ReportView& report) {
      return turns_.take(number_, task.window_of(report.time), [&] { return visit(report); });
    });
    // An error of a visit is already recorded.
    if (!read) turns_.stop(member.named(read.error()));
  }

 private:
  Turns& turns_;
  const std::size_t number_;
};

}  // namespace

Result<void> visit_by_window(const std::vector<const Member*>& members, const Task& task,
                             const std::function<Result<void>(const ReportView&)>& visit) {
  Turns turns(members.size());
  std::vector<std::future<void>> readers;
  for (std::size_t i = 0; i < members.size(); ++i) {
    readers.push_back(std::async(std::launch::async, [&, i] { Reader(turns, i).read(*members[i], task, visit); }));
  }
  for (auto& reader : readers) reader.get();
  if (turns.error()) return *turns.error();
  return {};
}

}  // namespace hearsay::store::spread
