#include "aggregator/central/synthetic/consistent_database.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace hearsay::central {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();

struct Columns {
  std::vector<CoinBigIndex> start{0};
  std::vector<int> row;
  std::vector<double> value;

  void add(int in_row, double coefficient) {
    row.push_back(in_row);
    value.push_back(coefficient);
  }
  void end() { start.push_back(static_cast<CoinBigIndex>(row.size())); }
};

// Rows 2q and 2q + 1 of the matrix say q·D' - t <= answer, and q·D' + t >= answer. The last column is the error t.
Columns constraints(const QueryClass& queries) {
  Columns columns;
  for (std::size_t x = 0; x < queries.domain(); ++x) {
    const auto weights = queries.weights_of(x);
    for (std::size_t q = 0; q < weights.size(); ++q) {
      if (weights[q] == 0) continue;
      const double weight = weights[q] / static_cast<double>(queries.unit());
      columns.add(static_cast<int>(2 * q), weight);
      columns.add(static_cast<int>(2 * q + 1), weight);
    }
    columns.end();
  }
  for (std::size_t q = 0; q < queries.size(); ++q) {
    columns.add(static_cast<int>(2 * q), -1);
    columns.add(static_cast<int>(2 * q + 1), 1);
  }
  columns.end();
  return columns;
}

double largest_error(const QueryClass& queries, std::span<const double> answers, const std::vector<double>& weights) {
  std::vector<double> found(queries.size(), 0);
  for (std::size_t x = 0; x < queries.domain(); ++x) {
    const auto of_element = queries.weights_of(x);
    for (std::size_t q = 0; q < found.size(); ++q) found[q] += weights[x] * of_element[q];
  }
  double largest = 0;
  for (std::size_t q = 0; q < found.size(); ++q) {
    largest = std::max(largest, std::abs(found[q] / static_cast<double>(queries.unit()) - answers[q]));
  }
  return largest;
}

}  // namespace

Result<ConsistentDatabase> consistent_database(const QueryClass& queries, std::span<const double> answers) {
  if (answers.size() != queries.size() ||
      !std::all_of(answers.begin(), answers.end(), [](double answer) { return std::isfinite(answer); })) {
    return Error{ErrorCode::kInvalidArgument, "there must be one finite answer for each query"};
  }
  if (queries.size() > kMostProgramWeights / queries.domain()) {
    return Error{ErrorCode::kDomainTooLarge, "the linear program would have more than 2^18 weights"};
  }
  const Columns columns = constraints(queries);
  const std::size_t variables = queries.domain() + 1;
  const std::vector<double> least(variables, 0);
  const std::vector<double> most(variables, kUnbounded);
  std::vector<double> cost(variables, 0);
  cost.back() = 1;
  std::vector<double> row_least;
  std::vector<double> row_most;
  for (const double answer : answers) {
    row_least.insert(row_least.end(), {-kUnbounded, answer});
    row_most.insert(row_most.end(), {answer, kUnbounded});
  }
  const std::unique_ptr<Clp_Simplex, decltype(&Clp_deleteModel)> model(Clp_newModel(), &Clp_deleteModel);
  Clp_setLogLevel(model.get(), 0);
  Clp_loadProblem(model.get(), static_cast<int>(variables), static_cast<int>(row_least.size()), columns.start.data(),
                  columns.row.data(), columns.value.data(), least.data(), most.data(), cost.data(), row_least.data(),
                  row_most.data());
  Clp_initialSolve(model.get());
  if (Clp_isProvenOptimal(model.get()) == 0) {
    return Error{ErrorCode::kInternal, "the linear program was not solved"};
  }
  const double* solution = Clp_getColSolution(model.get());
  std::vector<double> weights;
  for (std::size_t x = 0; x < queries.domain(); ++x) weights.push_back(std::max(0.0, solution[x]));
  const double error = largest_error(queries, answers, weights);
  return ConsistentDatabase{std::move(weights), error};
}

}  // namespace hearsay::central
