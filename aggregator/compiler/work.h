// Bounds the time and memory of answering one question, and ends the work after a request to stop.
//
//   compiler::Work work(stop_token);
//   const Result<CompiledQuery> compiled = compiler::compile(task, query, work);
#pragma once

#include <cstdint>
#include <exception>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hearsay/result.h"

namespace hearsay::compiler {

struct Cost {
  std::uint64_t steps = 0;  // steps of one to three nanoseconds, such as adding a number to an entry of a table
  std::uint64_t bytes = 0;  // the memory of all tables held at the same time
};

// The exception by which Work ends the work under way. stoppable() turns the exception into an error.
class WorkStopped : public std::exception {
 public:
  explicit WorkStopped(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// Make one Work for each question, and pass it by reference to every function that may take long. A function first
// calls foresee(), which throws if the work would exceed the budget. During the work the function counts its steps with
// spend(). spend() throws soon after a request to stop. If the estimate was too low, spend() throws when the budget is
// used up.
//
// Thread-safety: one thread at a time. Any thread may request the stop.
class Work {
 public:
  // The default budget: 2^30 steps, which take one to three seconds, and 256 MiB.
  static constexpr Cost kBudget{std::uint64_t{1} << 30U, std::uint64_t{1} << 28U};

  explicit Work(std::stop_token stop = {}, Cost budget = kBudget) : stop_(std::move(stop)), budget_(budget) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Throws WorkStopped with kLimitExceeded if the work would exceed the budget. The steps taken so far count. Call this
  // before the work begins. `remedy` says what makes the work smaller, such as "ask about fewer attributes". After a
  // request to stop, throws WorkStopped with kCancelled.
  void foresee(Cost cost, std::string_view remedy) const;

  // Counts steps that are about to be taken or have been taken. Count at most 2^20 steps in one call, so that a request
  // to stop is seen within a few milliseconds. Throws WorkStopped (kCancelled; kLimitExceeded beyond the budget).
  void spend(std::uint64_t steps) {
    spent_ += steps;
    if (spent_ >= next_look_) look();
  }
  std::uint64_t spent() const { return spent_; }

  // Counts memory that is about to be held, if foresee() could not count it before. The counts of all calls add up.
  // Throws WorkStopped (kLimitExceeded, kCancelled).
  void hold(std::uint64_t bytes, std::string_view remedy) { foresee({0, held_ += bytes}, remedy); }

 private:
  void look();

  std::stop_token stop_;
  Cost budget_;
  std::uint64_t spent_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t next_look_ = 0;
};

// Calls `work`. Returns the result of `work`, or the error if `work` throws WorkStopped.
template <class F>
std::invoke_result_t<F> stoppable(F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const WorkStopped& stopped) {
    return stopped.error();
  }
}

// Returns a·b, or the largest 64-bit number if the product is larger.
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);

}  // namespace hearsay::compiler
