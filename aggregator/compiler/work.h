// Bounds what answering one question may cost, and ends the work if the answer is no longer wanted.
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
  std::uint64_t steps = 0;  // elementary ones, of one to three nanoseconds each: an addition to an entry of a table
  std::uint64_t bytes = 0;  // of the tables that are held at once
};

// Ends the work under way. Work throws this; stoppable() turns it into an error.
class WorkStopped : public std::exception {
 public:
  explicit WorkStopped(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// Pass one Work for each question, by reference, to everything that may take long. There are two guards. Work that
// would exceed the budget is refused before it begins. Work that has begun counts its steps: it ends soon after a
// request to stop, and at the budget if the estimate was wrong.
//
// Thread-safety: one thread at a time. The stop may be requested by any thread.
class Work {
 public:
  // One to three seconds, and 256 MiB.
  static constexpr Cost kBudget{std::uint64_t{1} << 30U, std::uint64_t{1} << 28U};

  explicit Work(std::stop_token stop = {}, Cost budget = kBudget) : stop_(std::move(stop)), budget_(budget) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Refuses work that would exceed the budget, together with the steps taken so far. Call this before the work begins.
  // `remedy` says what makes the work smaller, such as "ask about fewer attributes". Throws WorkStopped
  // (kLimitExceeded, kCancelled).
  void foresee(Cost cost, std::string_view remedy) const;

  // Counts steps that are about to be taken or have been taken. Count at most 2^20 steps in one call, so that a request
  // to stop is seen within a few milliseconds. Throws WorkStopped (kCancelled; kLimitExceeded beyond the budget).
  void spend(std::uint64_t steps) {
    spent_ += steps;
    if (spent_ >= next_look_) look();
  }
  std::uint64_t spent() const { return spent_; }

  // Counts memory that is about to be held and that no estimate could know. Throws WorkStopped (kLimitExceeded).
  void hold(std::uint64_t bytes, std::string_view remedy) { foresee({0, held_ += bytes}, remedy); }

 private:
  void look();

  std::stop_token stop_;
  Cost budget_;
  std::uint64_t spent_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t next_look_ = 0;
};

// Returns the result of `work`, or the error with which Work stopped it.
template <class F>
std::invoke_result_t<F> stoppable(F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const WorkStopped& stopped) {
    return stopped.error();
  }
}

// Returns a·b, or the largest number if the product is larger.
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);

}  // namespace hearsay::compiler
