#include "common/arrangement/sample.h"

#include <algorithm>
#include <bit>
#include <string>

namespace hearsay::compiler {
namespace {

std::uint32_t uniform_below(std::uint32_t size, BitSource& bits) {
  const auto width = static_cast<unsigned>(std::bit_width(size - 1));
  for (;;) {
    const auto value = static_cast<std::uint32_t>(bits.bits(width));
    if (value < size) return value;
  }
}

// A class with a share of 70/2^17, about 1 in 1900, is refused with probability 1.4e-7 (Poisson).
Result<void> check_members(const std::array<std::uint32_t, 2>& members) {
  for (std::size_t b = 0; b < 2; ++b) {
    if (members[b] >= Sample::kMinMembers) continue;
    return Error{ErrorCode::kClassTooRare,
                 "of " + std::to_string(Sample::kRecords) + " uniform records only " + std::to_string(members[b]) +
                     (b == 1 ? " satisfy" : " fail") + " the query, at least " + std::to_string(Sample::kMinMembers) +
                     " are needed; the query has no structure that exact means are known for"};
  }
  return {};
}

}  // namespace

Sample::Sample(const Query& query, const Schema& schema, BitSource& bits)
    : query_(query), schema_(schema), bits_(bits), attributes_(query.attributes()), values_(schema.size(), 0) {}

bool Sample::draw() {
  for (const std::uint32_t attribute : attributes_)
    values_[attribute] = uniform_below(schema_[attribute].size(), bits_);
  return query_.evaluate(values_);
}

Result<ClassLaws> Sample::laws() {
  ClassLaws laws;
  for (const std::uint32_t attribute : attributes_) {
    const std::vector<double> none(schema_[attribute].size(), 0);
    laws.push_back({attribute, {none, none}});
  }
  std::array<std::uint32_t, 2> members{0, 0};
  for (std::uint32_t i = 0; i < kRecords; ++i) {
    const std::size_t b = draw() ? 1 : 0;
    ++members[b];
    for (AttributeLaw& law : laws) ++law.probability[b][values_[law.attribute]];
  }
  if (auto enough = check_members(members); !enough) return enough.error();
  for (AttributeLaw& law : laws) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (double& probability : law.probability[b]) probability /= members[b];
    }
  }
  return laws;
}

Result<ScoreMoments> Sample::moments(std::span<const AttributeScore> scores) {
  struct Sums {
    std::uint32_t count = 0;
    long double mean = 0;
    long double squares = 0;  // of deviations from the running mean
  };
  std::array<Sums, 2> sums;
  for (std::uint32_t i = 0; i < kRecords; ++i) {
    Sums& of_class = sums[draw() ? 1 : 0];
    long double total = 0;
    for (const auto& [attribute, score] : scores) total += score[values_[attribute]];
    ++of_class.count;
    const long double deviation = total - of_class.mean;
    of_class.mean += deviation / of_class.count;
    of_class.squares += deviation * (total - of_class.mean);
  }
  if (auto enough = check_members({sums[0].count, sums[1].count}); !enough) return enough.error();
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    moments.mean[b] = static_cast<double>(sums[b].mean);
    moments.variance[b] = static_cast<double>(sums[b].squares / (sums[b].count - 1));
    moments.mean_variance[b] = moments.variance[b] / sums[b].count;
  }
  return moments;
}

}  // namespace hearsay::compiler
