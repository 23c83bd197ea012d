#include "aggregator/compiler/record_sample.h"

#include <numeric>
#include <string>

#include "common/random/hash.h"

namespace hearsay::compiler {
namespace {

// The number-th of a sequence of bits that look random and are the same every time.
bool coin(std::size_t number) {
  constexpr std::size_t kBits = 8 * sizeof(Digest);
  std::array<std::uint8_t, 8> block{};
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(number / kBits >> (8 * i));
  return (sha256().digest(block)[number % kBits / 8] >> (number % 8) & 1U) != 0;
}

bool is_of(const Schema& schema, const Record& record) {
  if (record.values().size() != schema.size()) return false;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (record[i] >= schema[i].size()) return false;
  }
  return true;
}

}  // namespace

Result<RecordSample> RecordSample::create(const Query& query, const Schema& schema, std::span<const Record> records) {
  std::vector<std::uint32_t> attributes(schema.size());
  std::iota(attributes.begin(), attributes.end(), 0U);
  RecordSample result(single_value_cells(attributes, schema), records);
  std::array<std::size_t, 2> next_half{0, 0};
  std::array<std::size_t, 2> members{0, 0};
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (!is_of(schema, records[i])) {
      return Error{ErrorCode::kInvalidArgument,
                   "record " + std::to_string(i + 1) + " of the reference sample is not of the task's schema"};
    }
    const std::size_t b = query.evaluate(records[i]) ? 1 : 0;
    const bool is_second = members[b] % 2 == 1;
    next_half[b] = is_second ? 1 - next_half[b] : (coin(members[b] / 2) ? 1 : 0);
    result.members_[b][next_half[b]].push_back(i);
    ++members[b];
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
  LawAverages averages(axes_);
  visit_half(0, [&](bool f, std::span<const std::uint32_t> values) { averages.add(f, values); });
  return averages.laws();
}

ScoreMoments RecordSample::moments(std::span<const AttributeScore> scores) const {
  MomentAverages averages(axes_, scores);
  visit_half(1, [&](bool f, std::span<const std::uint32_t> values) { averages.add(f, values); });
  return averages.moments();
}

void RecordSample::visit_all(const RecordVisitor& visit) const {
  visit_half(0, visit);
  visit_half(1, visit);
}

void RecordSample::visit_half(std::size_t half, const RecordVisitor& visit) const {
  for (const bool f : {false, true}) {
    for (const std::uint32_t i : members_[f ? 1 : 0][half]) visit(f, records_[i].values());
  }
}

}  // namespace hearsay::compiler
