#include "aggregator/compiler/sample.h"

#include <bit>
#include <string>

#include "aggregator/compiler/public_bits.h"
#include "common/base/try.h"

namespace hearsay::compiler {
namespace {

// The steps of drawing an attribute for a block of records and adding the attribute to averages. kStepsOfPair is for an
// attribute with two cells.
constexpr std::uint64_t kStepsOfPair = RecordBlock::kRecords / 2;
constexpr std::uint64_t kStepsOfAxis = 8 * RecordBlock::kRecords;

std::uint32_t uniform_below(std::uint32_t size, BitSource& bits) {
  const auto width = static_cast<unsigned>(std::bit_width(size - 1));
  for (;;) {
    const auto value = static_cast<std::uint32_t>(bits.bits(width));
    if (value < size) return value;
  }
}

void draw_axis(std::size_t axis, BitSource& bits, RecordBlock& block) {
  const std::vector<std::uint32_t>& cell_of = block.axes()[axis].cell_of;
  if (cell_of.size() == 2) {
    block.second(axis) = bits.bits(64);
    return;
  }
  for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) {
    block.set_cell(axis, r, cell_of[uniform_below(static_cast<std::uint32_t>(cell_of.size()), bits)]);
  }
}

// A class with a share of 70/2^17, about 1 in 1900, fails this check with probability 1.4e-7 (Poisson).
Result<void> check_members(const std::array<std::uint64_t, 2>& members) {
  for (std::size_t b = 0; b < 2; ++b) {
    if (members[b] >= kMinMembers) continue;
    return Error{ErrorCode::kClassTooRare, "of " + std::to_string(Sample::kRecords) + " uniform records only " +
                                               std::to_string(members[b]) + (b == 1 ? " satisfy" : " fail") +
                                               " the query; at least " + std::to_string(kMinMembers) +
                                               " are needed; for a query of this form, exact means are not known"};
  }
  return {};
}

}  // namespace

Sample::Sample(const Query& query, const Schema& schema, const Digest& key, Work& work)
    : query_(query), attributes_(schema.size()), axes_(distinguished_cells(query, schema, work)), key_(key) {}

Result<void> Sample::draw(Stream stream, const BlockVisitor& visit, std::uint64_t steps_of_visit, Work& work) const {
  constexpr std::uint64_t kBlocks = kRecords / RecordBlock::kRecords;
  const BlockQuery f(query_, attributes_, axes_);
  std::uint64_t steps = f.steps() + steps_of_visit;  // for each block
  for (const Cells& axis : axes_) steps += axis.cell_of.size() == 2 ? kStepsOfPair : kStepsOfAxis;
  const std::uint64_t passes = stream == Stream::kLaws ? 2 : 1;  // a call of moments() follows a call of laws()
  work.foresee({saturated_product(passes * kBlocks, steps), 0}, "ask about fewer attributes, or with fewer conditions");
  PublicBits bits(key_, static_cast<std::uint64_t>(stream));
  ClassWords members{0, 0};
  RecordBlock block(axes_);
  for (std::uint64_t number = 0; number < kBlocks; ++number) {
    work.spend(steps);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) draw_axis(axis, bits, block);
    const std::uint64_t yes = f.evaluate(block);
    members[1] += static_cast<std::uint64_t>(std::popcount(yes));
    visit(block, {~yes, yes});
  }
  members[0] = kRecords - members[1];
  return check_members(members);
}

Result<void> Sample::draw(const BlockVisitor& visit, std::uint64_t steps_of_visit, Work& work) const {
  return draw(Stream::kCovariances, visit, steps_of_visit, work);
}

Result<ClassLaws> Sample::laws(Work& work) const {
  LawAverages averages(axes_);
  const auto add = [&](const RecordBlock& block, const ClassWords& classes) { averages.add(block, classes); };
  HEARSAY_CHECK_OK(draw(Stream::kLaws, add, 0, work));
  return averages.laws();
}

Result<ScoreMoments> Sample::moments(std::span<const AttributeScore> scores, Work& work) const {
  MomentAverages averages(axes_, scores);
  const auto add = [&](const RecordBlock& block, const ClassWords& classes) { averages.add(block, classes); };
  HEARSAY_CHECK_OK(draw(Stream::kMoments, add, 0, work));
  return averages.moments();
}

}  // namespace hearsay::compiler
