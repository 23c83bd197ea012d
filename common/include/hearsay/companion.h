// Turns raw text, such as a cell of a CSV file or an answer that a person typed, into a record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay {

// A raw text under the label of its column: {"Age", "33"}.
struct RawText {
  std::string column;
  std::string text;
};

// How a CSV file is written, as a companion document states it.
struct CsvLayout {
  std::optional<char> separator;  // if absent, the reader of the file guesses the separator
  std::string encoding;           // a name that iconv knows; an empty name means UTF-8
};

// A companion document says for each attribute of a schema which raw text means which value. common/companion/format.md
// describes the document. The command `hearsay schema` proposes a companion document from a CSV file. Copies are cheap.
//
// Thread-safety: any number of threads may use one companion.
class Companion {
 public:
  static constexpr std::size_t kMaxJsonBytes = 4U << 20U;
  static constexpr std::size_t kMaxTextBytes = 1024;  // the most bytes of a label, or of a document's raw text

  // Reads a companion document of this schema. If a field is at fault, the message begins with the path of this field.
  // Errors: kMalformedJson, kUnknownKey, kMissingKey, kWrongType, kLimitExceeded, kInvalidArgument (the rules do not
  // fit each other or the schema, or the document has another version).
  static Result<Companion> parse(const Schema& schema, std::string_view json);

  const Schema& schema() const;
  // Returns the label of the column that holds an attribute. `attribute` is the attribute's place in the schema.
  const std::string& column(std::size_t attribute) const;
  // Returns how the CSV file is written, as far as the document says so.
  const CsvLayout& csv() const;

  // Returns the index of the value that a raw text means. Returns nothing if the text means no value. Uses no floating
  // point.
  std::optional<std::uint32_t> index_from_text(std::size_t attribute, std::string_view text) const;

  // Returns words that say which texts the attribute accepts, to follow "must be" in a message.
  std::string accepted_texts(std::size_t attribute) const;

  // Makes a record from the texts of one person, in any order. Ignores columns that the document does not name. Errors:
  // kInvalidRecord (a column is absent or given twice, or the text of a column means no value). The message names the
  // attribute and the column, not the text.
  Result<Record> record(const std::vector<RawText>& texts) const;

  // Makes a record from a JSON object of strings, with the columns' labels as keys: {"Age": "33"}. Errors: those of
  // record(), kMalformedJson, kLimitExceeded (the text is longer than 4 MiB or nested too deeply).
  Result<Record> record_from_json(std::string_view json) const;

 private:
  struct State;
  explicit Companion(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace hearsay
