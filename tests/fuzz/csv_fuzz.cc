// The first byte chooses the options. An accepted CSV file must keep all its rows. The proposed companion document must
// read each row. The records, written as CSV, must read again as the same records. A second reader must count the same
// number of rows.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "aggregator/csv/csv_text.h"
#include "aggregator/csv/read_records.h"
#include "aggregator/csv/write_records.h"
#include "aggregator/proposal/propose.h"
#include "tests/fuzz/require.h"

namespace {

using namespace hearsay;

std::size_t rows_of(std::string_view text, char separator) {
  std::size_t rows = 0;
  bool quoted = false;
  bool blank = true;
  for (const char c : text) {
    const bool line_end = (c == '\n' || c == '\r') && !quoted;
    if (line_end && !blank) ++rows;
    blank = line_end || (blank && (c == ' ' || (c == '\t' && separator != '\t')));
    if (c == '"') quoted = !quoted;
  }
  return rows + (blank ? 0 : 1);
}

proposal::ProposalOptions options_of(std::uint8_t byte) {
  constexpr std::array<const char*, 4> kEncodings{"", "windows-1252", "UTF-16LE", "ISO-8859-15"};
  proposal::ProposalOptions options;
  options.layout.encoding = kEncodings[byte % kEncodings.size()];
  if ((byte & 4U) != 0) options.layout.separator = ',';
  if ((byte & 8U) != 0) options.decimal_mark = ',';
  if ((byte & 16U) != 0) options.guess.date_order = DateOrder::kDayMonthYear;
  if ((byte & 32U) != 0) options.guess.most_values = 2;
  if ((byte & 64U) != 0) options.guess.most_steps = 3;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const proposal::ProposalOptions options = options_of(data[0]);
  const auto proposal = proposal::propose(bytes, options, "fuzz");
  if (!proposal) {
    FUZZ_REQUIRE(!proposal.error().message.empty());
    FUZZ_REQUIRE(proposal.error().code != ErrorCode::kInternal);
    return 0;
  }
  const auto csv = csv::read_csv_text(bytes, proposal->companion.csv(), "fuzz");
  FUZZ_REQUIRE(csv);
  FUZZ_REQUIRE(rows_of(csv->text, csv->separator) == proposal->rows + 1);
  const auto records = csv::read_records(proposal->companion, bytes, "fuzz");
  FUZZ_REQUIRE(records && records->size() == proposal->rows);
  const auto again = csv::read_records(proposal->schema, csv::write_records(proposal->schema, *records));
  FUZZ_REQUIRE(again && *again == *records);
  return 0;
}
