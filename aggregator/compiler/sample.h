// Class laws of queries that nothing exact can treat, from uniform records (section 7 of Aldà and Simon 2014).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/joint_counts.h"
#include "aggregator/compiler/lanes.h"
#include "common/random/bit_source.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

class Sample {
 public:
  // Records per call of laws(), moments() or joint_counts(), whose samples are independent: a direction chosen from the
  // first does not favour the second, so the error of its class means is what it seems. A class that holds half of the
  // records has its mean then to 1/256 of a record's standard deviation; a tenth of that error would take a hundred
  // times as long.
  static constexpr std::uint32_t kRecords = 1U << 17U;
  // Below that the estimated variance of a class mean is itself too uncertain (1/√(2·32), 13 %) to state an error with.
  static constexpr std::uint32_t kMinMembers = 32;

  // `bits` must outlive the sample.
  Sample(const Query& query, const Schema& schema, BitSource& bits);

  // Only cells are sampled: within one, values are uniform in both classes, and that is used exactly.
  // Errors of both: kClassTooRare (fewer than kMinMembers of the records are in a class). May throw EntropyError.
  Result<ClassLaws> laws();
  Result<ScoreMoments> moments(std::span<const AttributeScore> scores);
  // How often two cells occur together, in the order of distinguished_cells(). Errors: also kLimitExceeded, for so many
  // attributes that counting would take more than 2^30 additions.
  Result<JointCounts> joint_counts();

 private:
  // Draws 64 records; returns f, a bit for each.
  std::uint64_t draw();

  BitSource& bits_;
  Lanes lanes_;
};

}  // namespace hearsay::compiler
