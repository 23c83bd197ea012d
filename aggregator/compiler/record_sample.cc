#include "aggregator/compiler/record_sample.h"

#include <string>

#include "common/random/hash.h"

namespace hearsay::compiler {
namespace {

// Bits that look random and are the same every time.
class Coins {
 public:
  bool toss() {
    if (next_ == 8 * digest_.size()) {
      std::array<std::uint8_t, 8> block{};
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(blocks_ >> (8 * i));
      digest_ = sha256().digest(block);
      ++blocks_;
      next_ = 0;
    }
    const bool heads = (digest_[next_ / 8] >> (next_ % 8) & 1U) != 0;
    ++next_;
    return heads;
  }

 private:
  Digest digest_{};
  std::size_t next_ = 8 * sizeof(Digest);
  std::uint64_t blocks_ = 0;
};

bool is_of(const Schema& schema, const Record& record) {
  if (record.values().size() != schema.size()) return false;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (record[i] >= schema[i].size()) return false;
  }
  return true;
}

}  // namespace

RecordSample::RecordSample(const Schema& schema, std::span<const Record> records) : records_(records) {
  for (const Attribute& attribute : schema.attributes()) sizes_.push_back(attribute.size());
}

Result<RecordSample> RecordSample::create(const Query& query, const Schema& schema, std::span<const Record> records) {
  RecordSample result(schema, records);
  std::array<Coins, 2> coins;
  std::array<std::size_t, 2> next_half{0, 0};
  std::array<std::size_t, 2> members{0, 0};
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (!is_of(schema, records[i])) {
      return Error{ErrorCode::kInvalidArgument,
                   "record " + std::to_string(i + 1) + " of the reference sample is not of the task's schema"};
    }
    const std::size_t b = query.evaluate(records[i]) ? 1 : 0;
    const bool is_second = members[b]++ % 2 == 1;
    next_half[b] = is_second ? 1 - next_half[b] : (coins[b].toss() ? 1 : 0);
    result.members_[b][next_half[b]].push_back(i);
  }
  for (std::size_t b = 0; b < 2; ++b) {
    if (members[b] >= 2 * kMinMembers) continue;
    return Error{ErrorCode::kClassTooRare, "of " + std::to_string(records.size()) +
                                               " records of the reference sample only " + std::to_string(members[b]) +
                                               (b == 1 ? " satisfy" : " fail") + " the query, at least " +
                                               std::to_string(2 * kMinMembers) +
                                               " are needed: half of them to choose weights by, half for means"};
  }
  return result;
}

ClassLaws RecordSample::laws() const {
  ClassLaws laws;
  for (std::uint32_t attribute = 0; attribute < sizes_.size(); ++attribute) {
    AttributeLaw law{attribute, {}};
    for (std::size_t b = 0; b < 2; ++b) {
      law.probability[b].assign(sizes_[attribute], 0);
      for (const std::uint32_t i : members_[b][0]) law.probability[b][records_[i][attribute]] += 1;
      for (double& probability : law.probability[b]) probability /= static_cast<double>(members_[b][0].size());
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

ScoreMoments RecordSample::moments(std::span<const AttributeScore> scores) const {
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    long double count = 0;
    long double mean = 0;
    long double squares = 0;  // of deviations from the mean so far
    for (const std::uint32_t i : members_[b][1]) {
      long double value = 0;
      for (const auto& [attribute, score] : scores) value += score[records_[i][attribute]];
      count += 1;
      const long double deviation = value - mean;
      mean += deviation / count;
      squares += deviation * (value - mean);
    }
    moments.mean[b] = static_cast<double>(mean);
    moments.variance[b] = static_cast<double>(squares / (count - 1));
    moments.mean_variance[b] = moments.variance[b] / static_cast<double>(count);
  }
  return moments;
}

JointCounts RecordSample::joint_counts(std::span<const std::uint32_t> attributes) const {
  std::vector<std::uint32_t> levels;
  for (const std::uint32_t attribute : attributes) levels.push_back(sizes_[attribute]);
  JointCounts counts(std::move(levels));
  std::vector<std::uint32_t> values(attributes.size());
  for (const bool b : {false, true}) {
    for (const auto& half : members_[b ? 1 : 0]) {
      for (const std::uint32_t i : half) {
        for (std::size_t axis = 0; axis < attributes.size(); ++axis) values[axis] = records_[i][attributes[axis]];
        counts.add(b, values);
      }
    }
  }
  return counts;
}

}  // namespace hearsay::compiler
