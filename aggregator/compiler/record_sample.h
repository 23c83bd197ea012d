// Estimates a query's class laws (class_laws.h) from a given sample of records (section 7 of Aldà and Simon 2014).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/record_averages.h"
#include "aggregator/compiler/work.h"
#include "hearsay/query.h"
#include "hearsay/record.h"

namespace hearsay::compiler {

class RecordSample {
 public:
  // Splits each class into two halves, in the same way at every call. Of every two successive members of a class, a
  // hash of their position sends one to each half. So a sorted sample does no harm. Errors: kInvalidArgument (a record
  // that is not of `schema`), kClassTooRare (fewer than 2·kMinMembers records of a class). The records must outlive the
  // sample; the query need not.
  static Result<RecordSample> create(const Query& query, const Schema& schema, std::span<const Record> records,
                                     Work& work);

  // The most blocks that visit_all() visits.
  std::uint64_t blocks() const { return records_.size() / RecordBlock::kRecords + 4; }
  // Returns the laws of all attributes, from the first halves.
  ClassLaws laws(Work& work) const;
  // Returns moments from the second halves. The scores come from the laws of the first halves, so the scores do not fit
  // the second halves better than the population. So the mean is unbiased and its stated error is right.
  ScoreMoments moments(std::span<const AttributeScore> scores, Work& work) const;
  // Visits all records, in blocks with the axes `cells`. Every value must be a cell of its own. Each visit takes
  // `steps_of_visit` steps.
  void visit_all(const std::vector<Cells>& cells, const BlockVisitor& visit, std::uint64_t steps_of_visit,
                 Work& work) const;

 private:
  RecordSample(std::vector<Cells> axes, std::span<const Record> records) : axes_(std::move(axes)), records_(records) {}
  void visit_half(std::size_t half, const std::vector<Cells>& cells, const BlockVisitor& visit, Work& work) const;

  std::vector<Cells> axes_;  // every attribute, each value a cell of its own
  std::span<const Record> records_;
  std::array<std::array<std::vector<std::uint32_t>, 2>, 2> members_;  // per class and half: positions in records_
};

}  // namespace hearsay::compiler
