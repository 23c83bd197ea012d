// Replaces a record's values by the cells of a task's cuts. Reports are about the cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hearsay/mechanism.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// Immutable. Thread-safe.
class Coarsening {
 public:
  // `cuts` has at least one element. Errors: kInvalidArgument (cuts that do not fit the schema, or leave as many cells
  // as values; the message names the attribute), kLimitExceeded.
  static Result<Coarsening> create(const Schema& schema, const std::vector<Cuts>& cuts);

  // Returns the schema whose values are cells. In this schema, an attribute with cuts is categorical. A cell is named
  // after its integers, such as "0..299".
  const Schema& schema() const { return schema_; }

  // Returns the record's cells. `record` must fit the schema that create() got. Takes the same time, and reads the same
  // addresses, for all records.
  Record coarse(const Record& record) const;

  // Returns the cuts of an attribute, or null if the attribute has none.
  const Cuts* cuts_of(std::uint32_t attribute) const;

 private:
  explicit Coarsening(Schema schema) : schema_(std::move(schema)) {}

  Schema schema_;
  std::vector<Cuts> cuts_;  // `cells` is never empty here
};

// Returns the stretch of values [first, last] as text: "0..299", or "7" for one value.
std::string stretch_text(const Attribute& attribute, std::uint32_t first, std::uint32_t last);

}  // namespace hearsay
