// What the runs of a rehearsal show together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/cli/rehearsal.h"
#include "aggregator/console/table.h"
#include "common/base/json.h"

namespace hearsay::cli {

// Of one row, over the runs that answered it. Means but for the counts.
struct RowSummary {
  RehearsedRow row;
  std::uint64_t runs = 0;  // that answered, and had a truth to be held against
  double truth = 0;
  double value = 0;
  double squared_error = 0;
  double standard_error = 0;
  double normal_margin = 0;  // half of the interval's width
  std::uint64_t normal_covered = 0;
  std::uint64_t guaranteed_covered = 0;
  std::string remark = {};  // of the first run that has one

  double bias() const { return value - truth; }
  double rmse() const;
};

class RehearsalSummary {
 public:
  // All runs have the same rows.
  void add(const std::vector<RehearsedAnswer>& run);
  const std::vector<RowSummary>& rows() const { return rows_; }
  std::uint64_t runs() const { return runs_; }
  // Whether every row has an answer in every run.
  bool all_answered() const;

 private:
  std::vector<RowSummary> rows_;
  std::uint64_t runs_ = 0;
};

// For people: lines of at most line_columns().
std::string to_text(const RehearsalSummary& summary, double confidence);
// The same names in both.
console::Table to_table(const RehearsalSummary& summary);
Json to_json(const RehearsalSummary& summary);

}  // namespace hearsay::cli
