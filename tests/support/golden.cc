#include "tests/support/golden.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace hearsay::tests {

std::filesystem::path tests_directory() { return HEARSAY_TESTS_DIR; }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::json read_vectors(const std::string& name) {
  return nlohmann::json::parse(read_file(tests_directory() / "vectors" / name));
}

std::vector<CorpusFile> read_corpus(const std::string& stem) {
  std::vector<CorpusFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests_directory() / "fuzz/corpus" / stem)) {
    const std::string name = entry.path().filename().string();
    const std::size_t first = name.find("--");
    const std::size_t second = first == std::string::npos ? first : name.find("--", first + 2);
    if (second == std::string::npos) throw std::runtime_error("the name does not say what is expected: " + name);
    std::string part = name.substr(first + 2, second - first - 2);
    std::replace(part.begin(), part.end(), '+', ' ');
    files.push_back({name, name.substr(0, first), std::move(part), read_file(entry.path())});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace hearsay::tests
