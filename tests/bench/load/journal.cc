#include "tests/bench/load/journal.h"

#include <cstring>
#include <filesystem>
#include <fstream>

namespace hearsay::load {
namespace {

constexpr std::uintmax_t kMaxJournal = std::uintmax_t{2} << 30U;

std::uint64_t word_at(const std::string& bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

}  // namespace

Result<Journal> Journal::create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return Error{ErrorCode::kInvalidArgument, "cannot write the journal"};
  return Journal(file);
}

void Journal::put(const void* bytes, std::size_t size) {
  failed_ = failed_ || std::fwrite(bytes, 1, size, file_.get()) != size;
}

void Journal::sent(std::uint64_t number, std::uint64_t reports, std::string_view body) {
  const std::uint64_t words[3] = {number, reports, body.size()};
  put("S", 1);
  put(words, sizeof words);
  put(body.data(), body.size());
}

void Journal::acknowledged(std::uint64_t number) {
  put("A", 1);
  put(&number, sizeof number);
}

bool Journal::finish() {
  failed_ = std::fflush(file_.get()) != 0 || failed_;
  return !failed_;
}

Result<void> read_journal(const std::string& path, JournalContents& contents) {
  const Error malformed{ErrorCode::kInvalidArgument, path + " is no journal"};
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure || size > kMaxJournal) return malformed;
  std::string& bytes = contents.bytes;
  std::size_t at = bytes.size();
  bytes.resize(at + size);
  if (!std::ifstream(path, std::ios::binary).read(bytes.data() + at, static_cast<std::streamsize>(size))) {
    return malformed;
  }
  const std::size_t first = contents.bodies.size();
  while (at < bytes.size()) {
    const char kind = bytes[at++];
    const std::size_t words = kind == 'S' ? 3 : 1;
    if ((kind != 'S' && kind != 'A') || bytes.size() - at < words * 8) return malformed;
    const std::uint64_t number = word_at(bytes, at);
    if (kind == 'A') {
      if (number >= contents.bodies.size() - first) return malformed;
      contents.bodies[first + number].acknowledged = true;
    } else {
      const JournalBody body{at + 24, word_at(bytes, at + 16), word_at(bytes, at + 8), false};
      if (number != contents.bodies.size() - first || body.size > bytes.size() - body.at) return malformed;
      contents.bodies.push_back(body);
      at += body.size;
    }
    at += words * 8;
  }
  return {};
}

}  // namespace hearsay::load
