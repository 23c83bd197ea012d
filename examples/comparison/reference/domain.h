// The domain: the product of all attributes' values as one list of cells. The literature's frequency oracles work on
// this list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

// A cell is a combination of values, one for each attribute. In the numbering of the cells, the last attribute's value
// runs fastest.
class Domain {
 public:
  static constexpr std::uint64_t kMaxCells = 1U << 16U;

  // Errors: kDomainTooLarge (more than kMaxCells cells).
  static Result<Domain> create(const Schema& schema);

  std::size_t cells() const { return cells_; }
  std::size_t cell_of(const Record& record) const;
  // Returns the number of records in each cell.
  std::vector<std::uint64_t> histogram(std::span<const Record> records) const;
  // Returns the cells whose records satisfy the query, ascending. Cost: one evaluation a cell.
  std::vector<std::uint32_t> cells_of(const Query& query) const;

 private:
  Domain() = default;
  std::vector<std::uint32_t> sizes_;
  std::size_t cells_ = 1;
};

// Adds the same constant to every cell's estimate, so that the estimates add up to 1. This is the least-squares
// projection onto the estimates with sum 1. The estimates stay unbiased, and may be negative. The adjustment is called
// Norm in Wang, Li, Lopuhaä-Zwakenberg, Skoric and Li, "Locally differentially private frequency estimation with
// consistency" (NDSS 2020).
void make_sum_to_one(std::span<double> estimates);

// Returns the exact variance of Σ_c weight[c]·estimate[c] in a population of n people, n_x of them in cell x. Reports
// are independent, so the variance is Σ_x n_x·v_x/n². `report_variances` holds v_x: the variance of the contribution of
// one report by a person in cell x.
double population_variance(std::span<const std::uint64_t> histogram, std::span<const double> report_variances);

// Transforms in place: out[s] = Σ_t (-1)^popcount(s & t)·in[t]. The size must be a power of two.
void walsh_hadamard(std::span<double> values);

}  // namespace hearsay::examples
