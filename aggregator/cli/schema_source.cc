#include "aggregator/cli/schema_source.h"

#include <algorithm>
#include <iostream>

#include "aggregator/cli/layout.h"
#include "aggregator/cli/next_steps.h"
#include "aggregator/console/input.h"
#include "aggregator/proposal/propose.h"
#include "common/base/number_text.h"
#include "common/base/try.h"
#include "common/base/utf8.h"

namespace hearsay::cli {
namespace {

bool is_document(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
}

}  // namespace

Result<Schema> read_schema(const std::string& path) {
  HEARSAY_TRY(const std::string text, console::read_file(path));
  if (is_document(text)) return console::named(path, Schema::parse(text));
  auto proposed = proposal::propose(text, {}, path);
  if (!proposed) {
    return Error{proposed.error().code, proposed.error().message +
                                            "; if the file needs options, write the schema first: " +
                                            command_line({"hearsay", "schema", path, "--write", "schema.json"})};
  }
  proposal::Proposal& proposal = *proposed;
  const auto left_out = static_cast<std::uint64_t>(
      std::count_if(proposal.decisions.begin(), proposal.decisions.end(),
                    [](const proposal::Decision& decision) { return decision.attribute.empty(); }));
  std::cerr << paragraph(path + ": " + counted(proposal.schema.size(), "attribute") + " proposed from " +
                         counted(proposal.rows, "row") + ", " + counted(left_out, "column") +
                         " left out. The schema becomes public, and reveals something about these rows. To see and "
                         "change what was decided: " +
                         command_line({"hearsay", "schema", path}));
  return std::move(proposal.schema);
}

}  // namespace hearsay::cli
