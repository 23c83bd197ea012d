// The cells of a table in the aggregator's answer.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// A view of both, which must outlive it. The last attribute's value runs fastest.
class TableCells {
 public:
  // Errors: kTaskMismatch.
  static Result<TableCells> create(const Json& table, const Schema& schema);

  const std::vector<std::size_t>& attributes() const { return attributes_; }
  // What people read above the values of the attribute at this place of attributes().
  std::string heading(std::size_t place) const;
  // The attributes' values in this cell.
  std::vector<std::string> values(std::size_t cell) const;
  // Half the width of the cell's normal interval.
  double margin(std::size_t cell) const;

 private:
  TableCells(const Json& table, const Schema& schema) : table_(&table), schema_(&schema) {}
  const Json* table_;
  const Schema* schema_;
  std::vector<std::size_t> attributes_;
};

}  // namespace hearsay::cli
