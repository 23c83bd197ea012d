#include "aggregator/bounds/semidefinite.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace hearsay::bounds {
namespace {

// Returns the program that maximises 2·X_01 with X_00 = X_11 = 1. The optimum is at X_01 = 1.
SemidefiniteProgram largest_correlation() {
  SemidefiniteProgram program;
  program.dense_size = 2;
  program.diagonal_size = 1;
  program.right_sides = {1, 1, 0};
  program.entries = {{0, true, 0, 1, 1}, {1, true, 0, 0, 1}, {2, true, 1, 1, 1}, {3, false, 0, 0, 1}};
  return program;
}

class Variable {
 public:
  Variable(std::string name, const char* value) : name_(std::move(name)), before_(std::getenv(name_.c_str())) {
    setenv(name_.c_str(), value, 1);
  }
  ~Variable() { setenv(name_.c_str(), before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const std::string name_;
  const std::string before_;
};

TEST_CASE("the optimum of a semidefinite program is found") {
  const SemidefiniteSolution solution = solve(largest_correlation()).value();
  CHECK(solution.dense(0, 1) == doctest::Approx(1).epsilon(1e-6));
  CHECK(solution.multipliers[0] == doctest::Approx(1).epsilon(1e-6));
  CHECK(solution.multipliers[1] == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("without the solver the error names the package to install") {
  const Variable path("PATH", "/nonexistent");
  const Result<SemidefiniteSolution> solution = solve(largest_correlation());
  REQUIRE_FALSE(solution);
  CHECK(solution.error().code == ErrorCode::kUnsupported);
  CHECK(solution.error().message.find("coinor-csdp") != std::string::npos);
}

TEST_CASE("a semidefinite program that has no solution is an error") {
  SemidefiniteProgram program = largest_correlation();
  program.right_sides[0] = -1;  // no semidefinite matrix has a negative diagonal entry
  CHECK(solve(program).error().code == ErrorCode::kInternal);
}

}  // namespace
}  // namespace hearsay::bounds
