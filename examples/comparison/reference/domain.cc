#include "examples/comparison/reference/domain.h"

#include <numeric>
#include <string>

namespace hearsay::examples {

Result<Domain> Domain::create(const Schema& schema) {
  Domain domain;
  for (const Attribute& attribute : schema.attributes()) {
    domain.sizes_.push_back(attribute.size());
    domain.cells_ *= attribute.size();
    if (domain.cells_ > kMaxCells) {
      return Error{ErrorCode::kDomainTooLarge,
                   "the product of the attributes has more than " + std::to_string(kMaxCells) + " cells"};
    }
  }
  return domain;
}

std::size_t Domain::cell_of(const Record& record) const {
  std::size_t cell = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) cell = cell * sizes_[i] + record[i];
  return cell;
}

std::vector<std::uint64_t> Domain::histogram(std::span<const Record> records) const {
  std::vector<std::uint64_t> counts(cells_);
  for (const Record& record : records) ++counts[cell_of(record)];
  return counts;
}

std::vector<std::uint32_t> Domain::cells_of(const Query& query) const {
  std::vector<std::uint32_t> satisfying;
  std::vector<std::uint32_t> values(sizes_.size());
  for (std::uint32_t cell = 0; cell < cells_; ++cell) {
    if (query.evaluate(values)) satisfying.push_back(cell);
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      if (++values[i] < sizes_[i]) break;
      values[i] = 0;
    }
  }
  return satisfying;
}

void make_sum_to_one(std::span<double> estimates) {
  const double sum = std::accumulate(estimates.begin(), estimates.end(), 0.0);
  const double residual = (sum - 1) / static_cast<double>(estimates.size());
  for (double& estimate : estimates) estimate -= residual;
}

double population_variance(std::span<const std::uint64_t> histogram, std::span<const double> report_variances) {
  double users = 0;
  double sum = 0;
  for (std::size_t x = 0; x < histogram.size(); ++x) {
    users += static_cast<double>(histogram[x]);
    sum += static_cast<double>(histogram[x]) * report_variances[x];
  }
  return sum / (users * users);
}

void walsh_hadamard(std::span<double> values) {
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t start = 0; start < values.size(); start += 2 * half) {
      for (std::size_t i = start; i < start + half; ++i) {
        const double sum = values[i] + values[i + half];
        values[i + half] = values[i] - values[i + half];
        values[i] = sum;
      }
    }
  }
}

}  // namespace hearsay::examples
