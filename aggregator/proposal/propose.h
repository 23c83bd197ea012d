// Proposes a schema and its companion document from a CSV file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/proposal/guess.h"
#include "hearsay/companion.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::proposal {

struct ProposalOptions {
  CsvLayout layout;
  GuessOptions guess;
  std::optional<char> decimal_mark;    // empty: the mark that most columns suggest
  std::vector<std::string> leave_out;  // labels of columns
  std::vector<std::string> keep;       // labels of columns that stay even if they look like identifiers or free text
};

// The proposal for a column, and the reason for it.
struct Decision {
  std::string column;     // the label
  std::string attribute;  // empty: the column is left out
  std::string what;
  std::string why;
};

struct Proposal {
  Schema schema;
  Companion companion;
  std::string schema_json;          // one attribute in each line
  std::string companion_json;       // one attribute in each line
  std::vector<Decision> decisions;  // in the order of the columns
  std::size_t rows = 0;
  char separator = ',';
};

// Reads the file's bytes and proposes an attribute for each suitable column. No row is skipped: if a row does not fit
// the table, the function returns an error. The proposed companion document can read every row of the file. `name` is
// the file's name, for messages. Errors: those of csv::read_csv_text(), kInvalidRecord (rows that do not fit the table,
// with their lines in the message; no row; a first line that looks like a row), kInvalidArgument (no column can be an
// attribute, or an option names no column).
Result<Proposal> propose(std::string_view bytes, const ProposalOptions& options, const std::string& name);

}  // namespace hearsay::proposal
