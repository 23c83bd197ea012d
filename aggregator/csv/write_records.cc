#include "aggregator/csv/write_records.h"

#include "aggregator/csv/fields.h"

namespace hearsay::csv {

std::string write_records(const Schema& schema, const std::vector<Record>& records) {
  std::vector<std::string> fields;
  for (const Attribute& attribute : schema.attributes()) fields.push_back(attribute.name());
  std::string text = write_fields(fields) + '\n';
  for (const Record& record : records) {
    for (std::size_t i = 0; i < schema.size(); ++i) fields[i] = schema[i].value_text(record[i]);
    text += write_fields(fields) + '\n';
  }
  return text;
}

}  // namespace hearsay::csv
