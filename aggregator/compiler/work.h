// What answering one question may cost, and whether the answer is still wanted.
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

// Ends the work under way: thrown by Work, returned by stoppable() as an error.
class WorkStopped : public std::exception {
 public:
  explicit WorkStopped(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// Passed by reference into whatever may take long; one for each question. Two guards: long work is foreseen and refused
// before it begins, and whatever has begun counts its steps, so that it ends soon after a request to stop, and at the
// budget if it was foreseen wrongly.
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
  // `remedy`: what makes the work smaller, such as "ask about fewer attributes". Throws WorkStopped (kLimitExceeded,
  // kCancelled).
  void foresee(Cost cost, std::string_view remedy) const;

  // Counts steps that are about to be taken, or have been: at most 2^20 in one call, so that the token is looked at
  // every few milliseconds. Throws WorkStopped (kCancelled; kLimitExceeded beyond the budget).
  void spend(std::uint64_t steps) {
    spent_ += steps;
    if (spent_ >= next_look_) look();
  }
  std::uint64_t spent() const { return spent_; }

  // Counts memory that is about to be held, where nobody could foresee how much. Throws WorkStopped (kLimitExceeded).
  void hold(std::uint64_t bytes, std::string_view remedy) { foresee({0, held_ += bytes}, remedy); }

 private:
  void look();

  std::stop_token stop_;
  Cost budget_;
  std::uint64_t spent_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t next_look_ = 0;
};

// Returns what `work` returns, or why it was stopped.
template <class F>
std::invoke_result_t<F> stoppable(F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const WorkStopped& stopped) {
    return stopped.error();
  }
}

// a·b, or the largest number if that is more.
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);

}  // namespace hearsay::compiler
