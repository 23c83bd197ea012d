#include "examples/comparison/reference/sampled_fourier.h"

#include <bit>
#include <cmath>
#include <string>

#include "common/base/try.h"
#include "examples/comparison/reference/domain.h"

namespace hearsay::examples {
namespace {

constexpr std::uint32_t kMaxBits = 64;
constexpr std::uint32_t kMaxQueryBits = 20;

double gamma_of(double epsilon) { return std::tanh(epsilon / 2); }  // (e^ε-1)/(e^ε+1)

// Returns E[1/N | N >= 1] for N ~ Binomial(n, p).
double mean_inverse(std::uint64_t n, double p) {
  double sum = 0;
  double total = 0;
  for (std::uint64_t k = 1; k <= n; ++k) {
    const auto a = static_cast<double>(k);
    const auto b = static_cast<double>(n - k);
    const double probability = std::exp(std::lgamma(a + b + 1) - std::lgamma(a + 1) - std::lgamma(b + 1) +
                                        a * std::log(p) + (b > 0 ? b * std::log1p(-p) : 0));
    sum += probability / a;
    total += probability;
  }
  return sum / total;
}

}  // namespace

Result<SampledFourier> SampledFourier::create(const Schema& schema, std::uint32_t order, double epsilon) {
  if (order < 1 || order > schema.size()) {
    return Error{ErrorCode::kInvalidArgument, "the order must be from 1 to the number of attributes"};
  }
  SampledFourier fourier;
  fourier.order_ = order;
  fourier.gamma_ = fourier.client_gamma_ = gamma_of(epsilon);
  fourier.offset_.push_back(0);
  std::vector<std::vector<std::uint64_t>> level(order + 1);  // level[i]: the masks that touch exactly i attributes
  level[0].push_back(0);
  std::size_t parities = 0;
  for (const Attribute& attribute : schema.attributes()) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(attribute.size() - 1));
    const std::uint32_t offset = fourier.offset_.back();
    if (offset + bits > kMaxBits) return Error{ErrorCode::kDomainTooLarge, "a record has more than 64 bits"};
    fourier.sizes_.push_back(attribute.size());
    fourier.offset_.push_back(offset + bits);
    for (std::uint32_t l = order; l >= 1; --l) {
      const std::size_t below = level[l - 1].size();
      parities += below * ((std::size_t{1} << bits) - 1);
      if (parities > kMaxParities) {
        return Error{ErrorCode::kDomainTooLarge, "more than " + std::to_string(kMaxParities) + " parities"};
      }
      for (std::uint64_t mask = 1; mask < std::uint64_t{1} << bits; ++mask) {
        for (std::size_t i = 0; i < below; ++i) level[l].push_back(level[l - 1][i] | mask << offset);
      }
    }
  }
  for (std::uint32_t l = 1; l <= order; ++l) {
    fourier.masks_.insert(fourier.masks_.end(), level[l].begin(), level[l].end());
  }
  for (std::size_t i = 0; i < fourier.masks_.size(); ++i) fourier.parity_of_[fourier.masks_[i]] = i;
  return fourier;
}

SampledFourier SampledFourier::with_client_epsilon(double epsilon) const {
  SampledFourier fourier = *this;
  fourier.client_gamma_ = gamma_of(epsilon);
  return fourier;
}

std::uint64_t SampledFourier::pack(const Record& record) const {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) packed |= std::uint64_t{record[i]} << offset_[i];
  return packed;
}

Result<SampledFourier::Expansion> SampledFourier::expand(const Query& query) const {
  const std::vector<std::uint32_t> touched = query.attributes();
  if (touched.size() > order_) {
    return Error{ErrorCode::kQueryNotCovered, "the query touches " + std::to_string(touched.size()) +
                                                  " attributes, and the parities at most " + std::to_string(order_)};
  }
  std::vector<std::uint32_t> bits;  // positions of the touched attributes' bits in a packed record
  for (const std::uint32_t attribute : touched) {
    for (std::uint32_t bit = offset_[attribute]; bit < offset_[attribute + 1]; ++bit) bits.push_back(bit);
  }
  if (bits.size() > kMaxQueryBits) return Error{ErrorCode::kQueryTooLarge, "the query touches more than 20 bits"};
  const auto mask_of = [&bits](std::size_t pattern) {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) mask |= std::uint64_t{pattern >> i & 1U} << bits[i];
    return mask;
  };

  std::vector<double> values(std::size_t{1} << bits.size());
  std::vector<std::uint32_t> record(sizes_.size(), 0);
  for (std::size_t pattern = 0; pattern < values.size(); ++pattern) {
    const std::uint64_t packed = mask_of(pattern);
    bool exists = true;
    for (const std::uint32_t attribute : touched) {
      const std::uint32_t width = offset_[attribute + 1] - offset_[attribute];
      const std::uint64_t value = packed >> offset_[attribute] & ((std::uint64_t{1} << width) - 1);
      exists = exists && value < sizes_[attribute];
      record[attribute] = static_cast<std::uint32_t>(value);
    }
    values[pattern] = exists && query.evaluate(record) ? 1 : 0;
  }
  walsh_hadamard(values);

  Expansion expansion;
  for (std::size_t pattern = 0; pattern < values.size(); ++pattern) {
    const double value = values[pattern] / static_cast<double>(values.size());
    if (pattern == 0) {
      expansion.constant = value;
    } else if (value != 0) {
      expansion.terms.push_back({parity_of_.at(mask_of(pattern)), value});
    }
  }
  return expansion;
}

SampledFourier::Tally SampledFourier::collect(std::span<const Record> people, std::mt19937_64& random) const {
  std::uniform_int_distribution<std::size_t> any(0, masks_.size() - 1);
  std::bernoulli_distribution lie((1 - client_gamma_) / 2);
  Tally tally{std::vector<std::uint64_t>(masks_.size()), std::vector<std::int64_t>(masks_.size())};
  for (const Record& record : people) {
    const std::size_t parity = any(random);
    const bool odd = std::popcount(pack(record) & masks_[parity]) % 2 != 0;
    ++tally.reports[parity];
    tally.sum[parity] += odd != lie(random) ? -1 : 1;
  }
  return tally;
}

double SampledFourier::estimate(const Expansion& query, const Tally& tally) const {
  double value = query.constant;
  for (const Expansion::Term& term : query.terms) {
    if (tally.reports[term.parity] == 0) continue;
    value += term.value * static_cast<double>(tally.sum[term.parity]) /
             (gamma_ * static_cast<double>(tally.reports[term.parity]));
  }
  return value;
}

double SampledFourier::mean(std::uint64_t mask, std::span<const std::uint64_t> packed,
                            std::span<const double> parts) const {
  double sum = 0;
  for (std::size_t i = 0; i < packed.size(); ++i)
    sum += std::popcount(packed[i] & mask) % 2 == 0 ? parts[i] : -parts[i];
  return sum;
}

// In a sample of n people, 1-m_i² and s_ij are on average (n-1)/n times the population's values. So the variance for
// given people has the factor n/(n-1), and expected_variance() does not.
double SampledFourier::variance(const Expansion& query, std::span<const Record> people) const {
  const auto users = static_cast<double>(people.size());
  const std::vector<double> alike(people.size(), 1 / users);
  return variance(query, people, alike, people.size(), users / (users - 1));
}

double SampledFourier::expected_variance(const Expansion& query, std::span<const Record> records,
                                         std::span<const double> parts, std::size_t users) const {
  return variance(query, records, parts, users, 1);
}

double SampledFourier::variance(const Expansion& query, std::span<const Record> records, std::span<const double> parts,
                                std::size_t users, double correction) const {
  std::vector<std::uint64_t> packed;
  packed.reserve(records.size());
  for (const Record& record : records) packed.push_back(pack(record));
  const double inverse = mean_inverse(users, 1 / static_cast<double>(masks_.size()));
  const double of_one = 1 / static_cast<double>(users);

  std::vector<double> means;
  for (const Expansion::Term& term : query.terms) means.push_back(mean(masks_[term.parity], packed, parts));
  double variance = 0;
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const double weight = query.terms[i].value;
    variance += weight * weight *
                ((1 / (gamma_ * gamma_) - 1) * inverse + (1 - means[i] * means[i]) * (inverse - of_one) * correction);
    for (std::size_t j = 0; j < i; ++j) {
      const double product = mean(masks_[query.terms[i].parity] ^ masks_[query.terms[j].parity], packed, parts);
      variance -= 2 * weight * query.terms[j].value * (product - means[i] * means[j]) * of_one * correction;
    }
  }
  return variance;
}

}  // namespace hearsay::examples
