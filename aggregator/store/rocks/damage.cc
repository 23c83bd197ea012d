#include "aggregator/store/rocks/damage.h"

#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "aggregator/store/rocks/options.h"
#include "aggregator/store/rocks/status.h"

namespace hearsay::store::rocks {
namespace {

// Returns the first table that RocksDB cannot open or that has a wrong checksum; empty if there is none.
std::string damaged_table(rocksdb::Env* env, const std::string& directory) {
  std::vector<std::string> names;
  if (!env->GetChildren(directory, &names).ok()) return "";
  for (const std::string& name : names) {
    if (!name.ends_with(".sst")) continue;
    const std::string path = directory + "/" + name;
    rocksdb::Options options;
    options.env = env;
    rocksdb::SstFileReader table(options);
    if (!table.Open(path).ok() || !table.VerifyChecksum().ok()) return path;
  }
  return "";
}

bool names_file(const std::string& text) {
  return text.find(".sst") != std::string::npos || text.find(".blob") != std::string::npos;
}

std::string damaged_file(rocksdb::Env* env, const std::string& directory) {
  const std::string manifest = current_manifest(env, directory);
  if (!env->FileExists(manifest).ok()) return manifest + ", which CURRENT names and which is missing";
  std::vector<std::string> families;
  if (!rocksdb::DB::ListColumnFamilies(database_options(env), directory, &families).ok()) return manifest;
  if (std::string table = damaged_table(env, directory); !table.empty()) return table;
  const std::string log = newest_file(env, directory, ".log");
  return (log.empty() ? "" : log + " or an older log, or ") + manifest + ", or a *.blob file beside it";
}

}  // namespace

Error name_damage(const rocksdb::Status& status, rocksdb::Env* env, const std::string& directory) {
  Error error = to_error(status);
  const bool missing = status.IsNotFound() || error.message.find("No such file") != std::string::npos;
  // The directory holds a store, so a missing file is damage.
  if (missing && env->FileExists(directory + "/CURRENT").ok()) error.code = ErrorCode::kStoreCorrupt;
  if (error.code != ErrorCode::kStoreCorrupt) return error;
  // RocksDB looks for a missing table under the old suffix .ldb last, so its message has that suffix. It reports other
  // damage of a table as damage of the MANIFEST.
  if (const std::size_t table = error.message.find(".ldb"); table != std::string::npos) {
    error.message.replace(table, 4, ".sst");
  } else if (!names_file(error.message)) {
    error.message += "; damaged: " + damaged_file(env, directory);
  }
  return error;
}

Error name_damaged_file(const rocksdb::Status& status, rocksdb::DB& db, const std::string& directory) {
  const std::string text = status.ToString();
  if (names_file(text)) return corrupt(text);
  // The MANIFEST has the checksum that each file had when it was written.
  const rocksdb::Status files = db.VerifyFileChecksums({});
  if (files.IsCorruption()) return corrupt(text + "; " + files.ToString());
  return corrupt(text + ", in the *.blob or *.sst files of " + directory);
}

std::string current_manifest(rocksdb::Env* env, const std::string& directory) {
  const std::string current = directory + "/CURRENT";
  std::string manifest;
  if (!rocksdb::ReadFileToString(env, current, &manifest).ok() || !manifest.ends_with('\n')) return current;
  manifest.pop_back();
  constexpr std::string_view kPrefix = "MANIFEST-";
  const bool names_one = manifest.starts_with(kPrefix) && manifest.size() > kPrefix.size() &&
                         manifest.find_first_not_of("0123456789", kPrefix.size()) == std::string::npos;
  return names_one ? directory + "/" + manifest : current;
}

std::string newest_file(rocksdb::Env* env, const std::string& directory, const std::string& suffix) {
  std::vector<std::string> names;
  if (!env->GetChildren(directory, &names).ok()) return "";
  std::erase_if(names, [&](const std::string& name) { return !name.ends_with(suffix); });
  const auto newest = std::max_element(names.begin(), names.end());
  return newest == names.end() ? "" : directory + "/" + *newest;
}

}  // namespace hearsay::store::rocks
