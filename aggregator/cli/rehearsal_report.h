// Summarises the runs of a rehearsal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/cli/rehearsal.h"
#include "aggregator/console/table.h"
#include "common/base/json.h"

namespace hearsay::cli {

// The summary of one row. All numbers except the counts are means over the runs that answered the row.
struct RowSummary {
  RehearsedRow row;
  std::uint64_t runs = 0;  // the number of runs that answered the row and had a true value for it
  double truth = 0;
  double value = 0;
  double squared_error = 0;
  double standard_error = 0;
  double normal_margin = 0;  // half the width of the normal interval
  std::uint64_t normal_covered = 0;
  std::uint64_t guaranteed_covered = 0;
  std::string remark = {};  // from the first run that has a remark

  double bias() const { return value - truth; }
  double rmse() const;
};

class RehearsalSummary {
 public:
  // Adds one run. All runs must have the same rows.
  void add(const std::vector<RehearsedAnswer>& run);
  const std::vector<RowSummary>& rows() const { return rows_; }
  std::uint64_t runs() const { return runs_; }
  // Returns true if every row has an answer in every run.
  bool all_answered() const;

 private:
  std::vector<RowSummary> rows_;
  std::uint64_t runs_ = 0;
};

// Returns the table for people, with lines of at most line_columns().
std::string to_text(const RehearsalSummary& summary, double confidence);
// The columns of CSV and the members of JSON have the same names.
console::Table to_table(const RehearsalSummary& summary);
Json to_json(const RehearsalSummary& summary);

}  // namespace hearsay::cli
