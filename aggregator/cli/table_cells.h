// Reads the cells of a table in the aggregator's answer.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// A view of a table and its schema. Both must outlive the view. The last attribute's value changes fastest.
class TableCells {
 public:
  // Errors: kTaskMismatch (the table does not fit the schema).
  static Result<TableCells> create(const Json& table, const Schema& schema);

  const std::vector<std::size_t>& attributes() const { return attributes_; }
  // Returns the heading, for people, of the column for attributes()[place].
  std::string heading(std::size_t place) const;
  // Returns the attributes' values in this cell.
  std::vector<std::string> values(std::size_t cell) const;
  // Returns half the width of the cell's normal interval.
  double margin(std::size_t cell) const;

 private:
  TableCells(const Json& table, const Schema& schema) : table_(&table), schema_(&schema) {}
  const Json* table_;
  const Schema* schema_;
  std::vector<std::size_t> attributes_;
};

}  // namespace hearsay::cli
