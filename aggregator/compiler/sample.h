// Class laws of queries that nothing exact can treat, from uniform records (section 7 of Aldà and Simon 2014).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/record_averages.h"
#include "aggregator/compiler/work.h"
#include "common/random/hash.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

class Sample {
 public:
  // Records per call of laws(), moments() or draw(), whose samples are independent: a direction chosen from the first
  // does not favour the second, so the error of its class means is what it seems. A class that holds half of the
  // records has its mean then to 1/256 of a record's standard deviation; a tenth of that error would take a hundred
  // times as long.
  static constexpr std::uint32_t kRecords = 1U << 17U;

  // The records follow from the key, by PublicBits: each call of a function gets the same ones again.
  Sample(const Query& query, const Schema& schema, const Digest& key, Work& work);

  // Only cells are sampled: within one, values are uniform in both classes, and that is used exactly.
  // Errors of all three: kClassTooRare (fewer than kMinMembers of the records are in a class), kLimitExceeded (more
  // conditions than can be looked at). Throw WorkStopped.
  Result<ClassLaws> laws(Work& work) const;
  Result<ScoreMoments> moments(std::span<const AttributeScore> scores, Work& work) const;
  // Visits kRecords records; each visit takes so many steps. Attributes that the query cannot tell values of apart are
  // not drawn.
  Result<void> draw(const BlockVisitor& visit, std::uint64_t steps_of_visit, Work& work) const;

  const std::vector<Cells>& axes() const { return axes_; }

 private:
  // The numbers of the streams, by what the records are for.
  enum class Stream : std::uint64_t { kLaws, kMoments, kCovariances };
  Result<void> draw(Stream stream, const BlockVisitor& visit, std::uint64_t steps_of_visit, Work& work) const;

  Query query_;
  std::size_t attributes_;
  std::vector<Cells> axes_;
  Digest key_;
};

}  // namespace hearsay::compiler
