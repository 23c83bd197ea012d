// The journal is a file that holds every sent body, and says which bodies were acknowledged. After a server was killed,
// a test sends these bodies again to find lost reports.
//
// The file has two kinds of entries, with little-endian integers. A sent body: 'S', number (8 bytes), reports (8), size
// (8), the body. An acknowledgement: 'A', number (8).
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::load {

class Journal {
 public:
  // Creates the file, or empties an existing file. Errors: kInvalidArgument.
  static Result<Journal> create(const std::string& path);

  void sent(std::uint64_t number, std::uint64_t reports, std::string_view body);
  void acknowledged(std::uint64_t number);
  // Writes the buffered entries to the file. Returns false if any part of the journal could not be written.
  bool finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit Journal(std::FILE* file) : file_(file) {}
  void put(const void* bytes, std::size_t size);

  std::unique_ptr<std::FILE, Close> file_;
  bool failed_ = false;
};

struct JournalBody {
  std::size_t at = 0;  // the body's place in JournalContents::bytes
  std::size_t size = 0;
  std::uint64_t reports = 0;
  bool acknowledged = false;
};

struct JournalContents {
  std::string bytes;
  std::vector<JournalBody> bodies;
};

// Appends the journal to `contents`. Errors: kInvalidArgument (the file is no journal, or is larger than 2 GiB).
Result<void> read_journal(const std::string& path, JournalContents& contents);

}  // namespace hearsay::load
