// Makes up the records of people for the drivers.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

struct Population {
  Schema schema;
  std::vector<Record> records;  // one for each person

  // Returns the fraction of people whose record satisfies the query.
  double fraction(const Query& query) const;
};

// Generates the random numbers that make people up. Do not use them for anything that must be private.
using PopulationGenerator = std::mt19937_64;

// Returns the applicants to the six largest graduate departments of Berkeley for the autumn of 1973: 4,526 people, one
// record each. Attributes: department (A..F), woman, admitted. Source: Bickel, Hammel and O'Connell, "Sex bias in
// graduate admissions: data from Berkeley", Science 187 (1975), with the counts by department as in Freedman, Pisani
// and Purves, "Statistics".
Result<Population> berkeley_admissions();

// A CSV file, and how to read it.
struct CsvFile {
  std::string path;
  std::string companion;                // file with the companion document; empty: the cells are the schema's values
  bool ignore_unknown_columns = false;  // no effect with a companion document: unknown columns are then ignored
};

// Reads the people of a CSV file, one row a person. Errors: those of console::read_text() and
// console::read_companion(), kInvalidRecord.
Result<Population> read_csv(const Schema& schema, const CsvFile& file);

// Draws `users` people from `source` with replacement.
Population resample(const Population& source, std::size_t users, PopulationGenerator& generator);

// Draws the paper's (f,ω,n)-random database of n = `users` people: round(ωn) people uniformly from the records with f =
// 1, and the others uniformly from the records with f = 0. `query` is f, and `fraction` is ω. Errors: kClassTooRare if
// a million draws find no record of a class that is needed.
Result<Population> random_database(const Schema& schema, const Query& query, double fraction, std::size_t users,
                                   PopulationGenerator& generator);

}  // namespace hearsay::examples
