#include "aggregator/cli/table_cells.h"

#include "common/schema/value_text.h"

namespace hearsay::cli {

Result<TableCells> TableCells::create(const Json& table, const Schema& schema) {
  TableCells cells(table, schema);
  for (const Json& name : table.at("attributes")) {
    const auto attribute = schema.find(name.get_ref<const std::string&>());
    if (!attribute) return Error{ErrorCode::kTaskMismatch, "the answer names an attribute that the task lacks"};
    cells.attributes_.push_back(*attribute);
  }
  return cells;
}

std::string TableCells::heading(std::size_t place) const { return hearsay::heading((*schema_)[attributes_[place]]); }

std::vector<std::string> TableCells::values(std::size_t cell) const {
  std::vector<std::string> values(attributes_.size());
  for (std::size_t i = attributes_.size(); i-- > 0;) {
    const Attribute& attribute = (*schema_)[attributes_[i]];
    values[i] = attribute.value_text(static_cast<std::uint32_t>(cell % attribute.size()));
    cell /= attribute.size();
  }
  return values;
}

double TableCells::margin(std::size_t cell) const {
  return table_->at("quantile").get<double>() * table_->at("standard_errors").at(cell).get<double>();
}

}  // namespace hearsay::cli
