// The sampler draws the group independently of the record. Given the group and the record, the answer is a function of
// a 64-bit coin and of one of the group's K answers, drawn uniformly. All coins below γ·2^64 act alike, and so do all
// other coins. These two sets are called the halves of the coin. Each pair of a half and a uniform answer has an
// integer weight in units of 2^-64/K. Running the sampler's own second step on all pairs gives the whole law of the
// answer.

#include "common/audit/sampled_audit.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/audit/ratio_verdict.h"
#include "common/base/try.h"
#include "common/schema/universe.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 26U;

using GroupClass = SampledChannel::GroupClass;

// The extreme probabilities of an answer over all records, in units of 2^-64/K.
struct Extremes {
  Uint128 most = 0;
  Uint128 least = ~Uint128{0};
  std::size_t at_most = 0;  // index of a record with the probability `most`
  std::size_t at_least = 0;
};

// Writes the weight of each answer to `law`. The weights add up to 2^64·K. Errors: kInternal (the sampler gives a
// number that is no answer of the group).
Result<void> fill_law(const SampledChannel& channel, const GroupClass& group_class, std::uint64_t group,
                      const Record& record, std::vector<Uint128>& law) {
  constexpr Uint128 kAll = Uint128{1} << 64U;
  // One coin stands for each half.
  const std::array<std::pair<std::uint64_t, Uint128>, 2> halves{
      {{group_class.gamma - 1, group_class.gamma}, {group_class.gamma, kAll - group_class.gamma}}};
  law.assign(std::size_t{1} << group_class.width, 0);
  for (const auto& [coin, weight] : halves) {
    for (std::uint32_t n = 0; n < group_class.answers; ++n) {
      const std::uint32_t answer = channel.answer({group, coin, channel.nth_answer(group, n)}, record);
      if (!channel.is_answer(group, answer))
        return Error{ErrorCode::kInternal, "the sampler drew an answer that its group does not have"};
      law[answer] += weight;
    }
  }
  return {};
}

Result<LargestRatio> worst_of(const SampledChannel& channel, std::span<const Record> records) {
  LargestRatio worst;
  worst.report = {0, 0};
  std::vector<Uint128> law;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const GroupClass& group_class = channel.class_of(group);
    std::vector<Extremes> extremes(std::size_t{1} << group_class.width);
    for (std::size_t i = 0; i < records.size(); ++i) {
      HEARSAY_CHECK_OK(fill_law(channel, group_class, group, records[i], law));
      for (std::size_t answer = 0; answer < law.size(); ++answer) {
        Extremes& extreme = extremes[answer];
        if (law[answer] > extreme.most) {
          extreme.most = law[answer];
          extreme.at_most = i;
        }
        if (law[answer] < extreme.least) {
          extreme.least = law[answer];
          extreme.at_least = i;
        }
      }
    }
    for (std::uint32_t n = 0; n < group_class.answers; ++n) {
      const std::uint32_t answer = channel.nth_answer(group, n);
      const Extremes& extreme = extremes[answer];
      const WideFraction ratio{extreme.most, extreme.least};
      if (compare(ratio, worst.ratio) <= 0) continue;
      worst = {ratio,
               extreme.at_most,
               extreme.at_least,
               {static_cast<std::int64_t>(group), static_cast<std::int64_t>(answer)}};
    }
  }
  return worst;
}

// Returns the number of pairs (half of the coin, answer) of all groups together, or a number beyond kMaxWork.
std::uint64_t draws_of(const SampledChannel& channel) {
  Uint128 sum = 0;
  for (const GroupClass& group_class : channel.classes()) sum += Uint128{group_class.count} * group_class.answers * 2;
  return sum > kMaxWork ? kMaxWork + 1 : static_cast<std::uint64_t>(sum);
}

}  // namespace

Result<AuditResult> audit_sampled(const Task& task, const SampledChannel& channel) {
  if (!channel.is_over(task.arrangement())) {
    return Error{ErrorCode::kInvalidArgument, "the channel to audit is for another arrangement than the task's"};
  }
  const std::uint64_t universe = task.asked_schema().universe_size().value_or(kMaxWork + 1);
  if (universe > kMaxWork / draws_of(channel)) {
    return Error{ErrorCode::kDomainTooLarge,
                 "an audit tries every record with every draw, and there are more than 2^26 such pairs: audit a task "
                 "of the same channel and epsilon with fewer attributes, or with fewer values of each"};
  }
  const std::vector<Record> records = universe_of(task.asked_schema());
  HEARSAY_TRY(LargestRatio worst, worst_of(channel, records));
  return verdict_of(task, records, std::move(worst));
}

}  // namespace hearsay
