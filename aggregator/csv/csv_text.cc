#include "aggregator/csv/csv_text.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include "aggregator/csv/rows.h"
#include "common/base/try.h"
#include "common/base/utf8.h"

namespace hearsay::csv {
namespace {

constexpr std::string_view kCandidates = ",;\t|";

Error fault_at(const std::string& name, std::string_view before, const std::string& fault) {
  const std::size_t begin = before.find_last_of("\r\n");
  const std::size_t byte = begin == std::string_view::npos ? before.size() : before.size() - begin - 1;
  return {ErrorCode::kInvalidRecord, name + ", line " + std::to_string(line_at(before, before.size())) + ", byte " +
                                         std::to_string(byte + 1) + ": " + fault};
}

std::string small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

bool is_utf8(const std::string& encoding) {
  const std::string small = small_letters(encoding);
  return small.empty() || small == "utf-8" || small == "utf8";
}

// Returns true for Latin encodings with one byte for each character. In such an encoding, the UTF-8 bytes of "ä" look
// like "Ã¤" or "Ă¤".
bool is_latin(const std::string& encoding) {
  constexpr std::array<std::string_view, 8> kLatin{"latin",  "8859-1", "8859_1", "8859-2",
                                                   "8859-9", "1250",   "1252",   "1254"};
  const std::string small = small_letters(encoding);
  return std::any_of(kLatin.begin(), kLatin.end(),
                     [&small](std::string_view part) { return small.find(part) != std::string::npos; });
}

// Finds the first two bytes that look like a UTF-8 character from U+0080 to U+00FF, such as "ä".
std::optional<std::size_t> find_utf8_as_latin(std::string_view bytes) {
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    if ((first == 0xc2 || first == 0xc3) && second >= 0x80 && second <= 0xbf) return i;
  }
  return std::nullopt;
}

class Converter {
 public:
  explicit Converter(const std::string& encoding) : handle_(iconv_open("UTF-8", encoding.c_str())) {}
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  ~Converter() {
    if (is_open()) iconv_close(handle_);
  }

  bool is_open() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  // Converts bytes and appends the result to `text`, up to the first bytes that do not fit the encoding. Returns false
  // if there are such bytes.
  bool convert(std::string_view bytes, std::string& text) {
    std::array<char, 1U << 16U> block;
    char* in = const_cast<char*>(bytes.data());  // iconv does not write to its input
    std::size_t left = bytes.size();
    for (bool flushing = false;;) {
      char* out = block.data();
      std::size_t room = block.size();
      const std::size_t result =
          flushing ? iconv(handle_, nullptr, nullptr, &out, &room) : iconv(handle_, &in, &left, &out, &room);
      const int fault = errno;
      text.append(block.data(), block.size() - room);
      if (result == static_cast<std::size_t>(-1) && fault != E2BIG) return false;
      if (result == static_cast<std::size_t>(-1)) continue;
      if (flushing) return true;
      flushing = true;
    }
  }

 private:
  iconv_t handle_;
};

// Returns true if the text is a table: at least two columns, and the same number of fields in every row.
bool fits(std::string_view text, char separator) {
  std::size_t columns = 0;
  bool even = true;
  const auto fault = read_rows(text, separator, [&](std::size_t /*line*/, const std::vector<std::string>& fields) {
    if (fields.empty()) return true;
    if (columns == 0) columns = fields.size();
    even = columns > 1 && fields.size() == columns;
    return even;
  });
  return even && !fault && columns > 1;
}

// Returns the separator of a first line such as "sep=;", and makes that line blank.
std::optional<char> take_stated_separator(std::string& text) {
  constexpr std::string_view kKey = "sep=";
  const std::string_view line = first_line(text);
  const std::string_view said = line.substr(0, line.find_last_not_of("\r\n") + 1);
  const bool quoted = said.size() == kKey.size() + 3 && said.starts_with('"') && said.ends_with('"');
  const std::string bare(quoted ? said.substr(1, said.size() - 2) : said);
  if (bare.size() != kKey.size() + 1 || small_letters(bare.substr(0, kKey.size())) != kKey) return std::nullopt;
  const char separator = bare.back();
  if (kCandidates.find(separator) == std::string_view::npos) return std::nullopt;
  text.erase(0, said.size());
  return separator;
}

// Returns the first row that is not blank, without its quoted texts. A quote after any of the possible separators
// begins a quoted text.
std::string bare_header(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  const std::size_t line = text.substr(0, begin).find_last_of("\r\n");
  text.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
  std::string bare;
  bool quoted = false;
  bool at_field = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') continue;
      if (text.substr(i + 1).starts_with('"'))
        ++i;
      else
        quoted = false;
      continue;
    }
    if (c == '\r' || c == '\n') break;
    quoted = at_field && c == '"';
    at_field = kCandidates.find(c) != std::string_view::npos || (at_field && c == ' ');
    if (!quoted) bare += c;
  }
  return bare;
}

}  // namespace

Result<std::string> decoded(std::string_view bytes, const std::string& encoding, const std::string& name) {
  std::string text;
  if (is_utf8(encoding)) {
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
      return Error{ErrorCode::kInvalidRecord,
                   name +
                       ", line 1: not UTF-8 but UTF-16; save the file as UTF-8, or make its companion document with "
                       "`hearsay schema --encoding UTF-16`"};
    }
    text = bytes;
    if (const auto invalid = find_invalid_utf8(text)) {
      return fault_at(name, bytes.substr(0, *invalid),
                      "not UTF-8; save the file as UTF-8, or make its companion document with `hearsay schema` and the "
                      "file's encoding, such as --encoding windows-1252");
    }
  } else {
    Converter converter(encoding);
    if (!converter.is_open()) {
      return Error{ErrorCode::kInvalidArgument,
                   "--encoding: this system knows no encoding " + encoding + "; iconv -l lists the known encodings"};
    }
    const auto suspect = is_latin(encoding) ? find_utf8_as_latin(bytes) : std::nullopt;
    if (suspect) return fault_at(name, bytes.substr(0, *suspect), "this character is UTF-8, not " + encoding);
    if (!converter.convert(bytes, text)) return fault_at(name, text, "not " + encoding);
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    return fault_at(name, std::string_view(text).substr(0, zero),
                    "a zero byte, which text does not have; if the file is UTF-16, make its companion document with "
                    "`hearsay schema --encoding UTF-16LE`");
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (const std::size_t mark = text.find(kByteOrderMark); mark != std::string::npos) {
    return fault_at(name, std::string_view(text).substr(0, mark),
                    "a byte order mark within the text; perhaps two files were joined here");
  }
  return text;
}

Result<char> find_separator(std::string_view text, const std::string& name) {
  const std::string header = bare_header(text);
  std::string fitting;
  char most_frequent = ',';
  const auto count = [&header](char c) { return std::count(header.begin(), header.end(), c); };
  for (const char separator : kCandidates) {
    if (count(separator) > count(most_frequent)) most_frequent = separator;
    if (count(separator) > 0 && fits(text, separator)) fitting += separator;
  }
  // If some rows lack fields, the true separator may not fit, and another character may fit by chance.
  if (fitting.size() > 1 || (!fitting.empty() && count(fitting[0]) < count(most_frequent))) {
    return Error{ErrorCode::kInvalidRecord,
                 name +
                     ", line 1: several characters may separate the columns; make the companion document with `hearsay "
                     "schema` and the right character, such as --separator \";\""};
  }
  return fitting.empty() ? most_frequent : fitting[0];
}

Result<CsvText> read_csv_text(std::string_view bytes, const CsvLayout& layout, const std::string& name) {
  CsvText csv;
  HEARSAY_TRY(csv.text, decoded(bytes, layout.encoding, name));
  const auto stated = take_stated_separator(csv.text);
  if (layout.separator || stated) {
    csv.separator = layout.separator ? *layout.separator : *stated;
    return csv;
  }
  HEARSAY_TRY(csv.separator, find_separator(csv.text, name));
  return csv;
}

}  // namespace hearsay::csv
