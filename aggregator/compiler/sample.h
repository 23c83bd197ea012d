// Estimates class laws (class_laws.h) from uniformly drawn records, for queries that no exact method covers (section 7
// of Aldà and Simon 2014).
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
  // The number of records that each call of laws(), moments() or draw() draws. The three functions draw independent
  // samples. So scores that come from laws() do not fit the sample of moments() better than the population, and the
  // stated error of moments() is right. If a class holds half of the records, its mean has a standard error of 1/256 of
  // a record's standard deviation.
  static constexpr std::uint32_t kRecords = 1U << 17U;

  // The key determines the records (PublicBits). Every call of the same function draws the same records.
  Sample(const Query& query, const Schema& schema, const Digest& key, Work& work);

  // laws(), moments() and draw() draw only the cells of a record's values. Within a cell all values are equally likely,
  // so the average over the cell is computed, not sampled. All three functions return kClassTooRare if a class has
  // fewer than kMinMembers of the records. All three functions throw WorkStopped, with kLimitExceeded if the query has
  // too many conditions.
  Result<ClassLaws> laws(Work& work) const;
  Result<ScoreMoments> moments(std::span<const AttributeScore> scores, Work& work) const;
  // Visits kRecords records. Each visit takes `steps_of_visit` steps. Does not draw attributes that have one cell.
  Result<void> draw(const BlockVisitor& visit, std::uint64_t steps_of_visit, Work& work) const;

  const std::vector<Cells>& axes() const { return axes_; }

 private:
  // The number of the pseudorandom stream, one for each purpose.
  enum class Stream : std::uint64_t { kLaws, kMoments, kCovariances };
  Result<void> draw(Stream stream, const BlockVisitor& visit, std::uint64_t steps_of_visit, Work& work) const;

  Query query_;
  std::size_t attributes_;
  std::vector<Cells> axes_;
  Digest key_;
};

}  // namespace hearsay::compiler
