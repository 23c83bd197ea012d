#include "aggregator/compiler/sample.h"

#include <bit>
#include <string>

#include "common/base/try.h"

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
    if (members[b] >= kMinMembers) continue;
    return Error{ErrorCode::kClassTooRare,
                 "of " + std::to_string(Sample::kRecords) + " uniform records only " + std::to_string(members[b]) +
                     (b == 1 ? " satisfy" : " fail") + " the query, at least " + std::to_string(kMinMembers) +
                     " are needed; the query has no structure that exact means are known for"};
  }
  return {};
}

}  // namespace

Sample::Sample(const Query& query, const Schema& schema, BitSource& bits)
    : query_(query), attributes_(schema.size()), axes_(distinguished_cells(query, schema)), bits_(bits) {}

Result<void> Sample::draw(const RecordVisitor& visit) {
  std::array<std::uint32_t, 2> members{0, 0};
  std::vector<std::uint32_t> values(attributes_, 0);
  for (std::uint32_t drawn = 0; drawn < kRecords; ++drawn) {
    for (const Cells& axis : axes_) {
      values[axis.attribute] = uniform_below(static_cast<std::uint32_t>(axis.cell_of.size()), bits_);
    }
    const bool f = query_.evaluate(values);
    ++members[f ? 1 : 0];
    visit(f, values);
  }
  return check_members(members);
}

Result<ClassLaws> Sample::laws() {
  LawAverages averages(axes_);
  HEARSAY_CHECK_OK(draw([&](bool f, std::span<const std::uint32_t> values) { averages.add(f, values); }));
  return averages.laws();
}

Result<ScoreMoments> Sample::moments(std::span<const AttributeScore> scores) {
  MomentAverages averages(axes_, scores);
  HEARSAY_CHECK_OK(draw([&](bool f, std::span<const std::uint32_t> values) { averages.add(f, values); }));
  return averages.moments();
}

}  // namespace hearsay::compiler
