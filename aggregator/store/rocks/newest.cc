#include "aggregator/store/rocks/newest.h"

#include <xxhash.h>

#include <string_view>

#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::size_t kMarkSize = 16;
constexpr std::string_view kPrefix = "hearsay newest 1";

std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i, value >>= 8U) bytes.push_back(static_cast<char>(value & 0xffU));
  return bytes;
}

std::string encode(std::uint64_t commits) {
  const std::string number = little_endian(commits);
  const std::string checked = std::string(kPrefix) + number;
  return number + little_endian(XXH3_64bits(checked.data(), checked.size()));
}

std::uint64_t number_of(std::string_view mark) {
  std::uint64_t commits = 0;
  for (std::size_t i = 8; i-- > 0;) commits = commits << 8U | static_cast<std::uint8_t>(mark[i]);
  return commits;
}

}  // namespace

Result<std::optional<std::uint64_t>> NewestMark::read(rocksdb::Env& env, const std::string& directory) {
  const std::string path = path_in(directory);
  const rocksdb::Status found = env.FileExists(path);
  if (found.IsNotFound()) return std::optional<std::uint64_t>();
  HEARSAY_CHECK_OK(to_result(found));
  std::string bytes;
  HEARSAY_CHECK_OK(to_result(rocksdb::ReadFileToString(&env, path, &bytes)));
  if (bytes.size() != kMarkSize || encode(number_of(bytes)) != bytes) {
    return corrupt(path + " is damaged; `hearsay repair` can make the file anew from the database");
  }
  return std::optional(number_of(bytes));
}

Result<NewestMark> NewestMark::create(rocksdb::Env& env, const std::string& directory, std::uint64_t commits) {
  const std::string path = path_in(directory);
  const std::string partial = partial_path_in(directory);
  constexpr bool kSynchronised = true;
  HEARSAY_CHECK_OK(to_result(rocksdb::WriteStringToFile(&env, encode(commits), partial, kSynchronised)));
  HEARSAY_CHECK_OK(to_result(env.RenameFile(partial, path)));
  std::unique_ptr<rocksdb::Directory> entries;
  HEARSAY_CHECK_OK(to_result(env.NewDirectory(directory, &entries)));
  HEARSAY_CHECK_OK(to_result(entries->Fsync()));
  std::unique_ptr<rocksdb::RandomRWFile> file;
  HEARSAY_CHECK_OK(to_result(env.NewRandomRWFile(path, &file, rocksdb::EnvOptions())));
  return NewestMark(std::move(file));
}

Result<void> NewestMark::write(std::uint64_t commits) { return to_result(file_->Write(0, encode(commits))); }

Result<void> NewestMark::sync() { return to_result(file_->Sync()); }

}  // namespace hearsay::store::rocks
