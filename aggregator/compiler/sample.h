// Class laws from uniform records, for queries without an exact way (section 7 of Aldà and Simon 2014).
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
  // Records drawn by each call of laws(), moments() or draw(). The samples are independent, so a direction chosen from
  // the first does not favour the second, and the stated error of its class means is right. The mean of a class that
  // holds half of the records has a standard error of 1/256 of a record's standard deviation. A tenth of that error
  // would take a hundred times as long.
  static constexpr std::uint32_t kRecords = 1U << 17U;

  // Draws records by the key (PublicBits). Every call of the same function gets the same records.
  Sample(const Query& query, const Schema& schema, const Digest& key, Work& work);

  // The sample draws cells only. Within a cell all values are equally likely, whatever f is, and this is used exactly.
  // Errors of all three functions: kClassTooRare (a class has fewer than kMinMembers of the records), kLimitExceeded
  // (more conditions than can be looked at). They throw WorkStopped.
  Result<ClassLaws> laws(Work& work) const;
  Result<ScoreMoments> moments(std::span<const AttributeScore> scores, Work& work) const;
  // Visits kRecords records. Each visit takes `steps_of_visit` steps. Does not draw attributes whose values the query
  // cannot tell apart.
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
