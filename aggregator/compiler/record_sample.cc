#include "aggregator/compiler/record_sample.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "common/base/try.h"
#include "common/random/hash.h"

namespace hearsay::compiler {
namespace {

// Returns one bit of a fixed pseudorandom sequence.
bool coin(std::size_t number) {
  constexpr std::size_t kBits = 8 * sizeof(Digest);
  std::array<std::uint8_t, 8> block{};
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(number / kBits >> (8 * i));
  return (sha256().digest(block)[number % kBits / 8] >> (number % 8) & 1U) != 0;
}

// Steps of adding a record to averages, for each attribute.
constexpr std::uint64_t kStepsPerRecordValue = 8;

bool is_of(const Schema& schema, const Record& record) {
  if (record.values().size() != schema.size()) return false;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (record[i] >= schema[i].size()) return false;
  }
  return true;
}

void set_record(RecordBlock& block, std::uint32_t r, const Record& record) {
  for (std::size_t axis = 0; axis < block.axes().size(); ++axis) {
    block.set_cell(axis, r, record[block.axes()[axis].attribute]);
  }
}

Result<std::vector<std::uint64_t>> answers_of(const Query& query, const Schema& schema, const std::vector<Cells>& axes,
                                              std::span<const Record> records, Work& work) {
  constexpr std::size_t kBlock = RecordBlock::kRecords;
  const BlockQuery f(query, schema.size(), axes);
  const std::uint64_t steps = f.steps() + kStepsPerRecordValue * kBlock * axes.size();
  // Compiling reads all records twice: here, and then half by half.
  work.foresee({saturated_product(2 * (records.size() / kBlock + 1), steps), 0},
               "send fewer records as the sample, or ask with fewer conditions");
  std::vector<std::uint64_t> answers;
  RecordBlock block(axes);
  for (std::size_t first = 0; first < records.size(); first += kBlock) {
    work.spend(steps);
    const std::size_t size = std::min(kBlock, records.size() - first);
    for (std::uint32_t r = 0; r < size; ++r) {
      if (!is_of(schema, records[first + r])) {
        return Error{ErrorCode::kInvalidArgument, "record " + std::to_string(first + r + 1) +
                                                      " of the reference sample does not fit the task's schema"};
      }
      set_record(block, r, records[first + r]);
    }
    answers.push_back(f.evaluate(block));
  }
  return answers;
}

}  // namespace

Result<RecordSample> RecordSample::create(const Query& query, const Schema& schema, std::span<const Record> records,
                                          Work& work) {
  std::vector<std::uint32_t> attributes(schema.size());
  std::iota(attributes.begin(), attributes.end(), 0U);
  RecordSample result(single_value_cells(attributes, schema), records);
  HEARSAY_TRY(const std::vector<std::uint64_t> answers, answers_of(query, schema, result.axes_, records, work));
  std::array<std::size_t, 2> next_half{0, 0};
  std::array<std::size_t, 2> members{0, 0};
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    const std::size_t b = answers[i / RecordBlock::kRecords] >> (i % RecordBlock::kRecords) & 1U;
    const bool is_second = members[b] % 2 == 1;
    next_half[b] = is_second ? 1 - next_half[b] : (coin(members[b] / 2) ? 1 : 0);
    result.members_[b][next_half[b]].push_back(i);
    ++members[b];
  }
  for (std::size_t b = 0; b < 2; ++b) {
    if (members[b] >= 2 * kMinMembers) continue;
    return Error{ErrorCode::kClassTooRare, "of " + std::to_string(records.size()) +
                                               " records of the reference sample only " + std::to_string(members[b]) +
                                               (b == 1 ? " satisfy" : " fail") + " the query; at least " +
                                               std::to_string(2 * kMinMembers) +
                                               " are needed: half of them choose the weights, half give the means"};
  }
  return result;
}

ClassLaws RecordSample::laws(Work& work) const {
  LawAverages averages(axes_);
  const auto add = [&](const RecordBlock& block, const ClassWords& classes) { averages.add(block, classes); };
  visit_half(0, axes_, add, work);
  return averages.laws();
}

ScoreMoments RecordSample::moments(std::span<const AttributeScore> scores, Work& work) const {
  MomentAverages averages(axes_, scores);
  const auto add = [&](const RecordBlock& block, const ClassWords& classes) { averages.add(block, classes); };
  visit_half(1, axes_, add, work);
  return averages.moments();
}

void RecordSample::visit_all(const std::vector<Cells>& cells, const BlockVisitor& visit, std::uint64_t steps_of_visit,
                             Work& work) const {
  const std::uint64_t steps = steps_of_visit + kStepsPerRecordValue * RecordBlock::kRecords * cells.size();
  work.foresee({saturated_product(blocks(), steps), 0},
               "ask about fewer attributes, or send fewer records as the sample");
  visit_half(0, cells, visit, work);
  visit_half(1, cells, visit, work);
}

void RecordSample::visit_half(std::size_t half, const std::vector<Cells>& cells, const BlockVisitor& visit,
                              Work& work) const {
  RecordBlock block(cells);
  for (std::size_t b = 0; b < 2; ++b) {
    const std::vector<std::uint32_t>& members = members_[b][half];
    for (std::size_t first = 0; first < members.size(); first += RecordBlock::kRecords) {
      const auto size = std::min<std::size_t>(RecordBlock::kRecords, members.size() - first);
      work.spend(kStepsPerRecordValue * RecordBlock::kRecords * cells.size());
      for (std::uint32_t r = 0; r < size; ++r) set_record(block, r, records_[members[first + r]]);
      ClassWords classes{0, 0};
      classes[b] = ~std::uint64_t{0} >> (RecordBlock::kRecords - size);
      visit(block, classes);
    }
  }
}

}  // namespace hearsay::compiler
