// Files of the tests: vectors made by an independent implementation, and inputs with the error they deserve.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace hearsay::tests {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// tests/vectors/<name>
inline nlohmann::json read_vectors(const std::string& name) {
  return nlohmann::json::parse(read_file(std::filesystem::path(HEARSAY_TESTS_DIR) / "vectors" / name));
}

// One file of tests/fuzz/corpus/<stem>/, named <error>--<part of the message>--<what it is>.<extension>. The error is
// an error_name() or "ok"; a + in the part stands for a space.
struct CorpusFile {
  std::string name;
  std::string error;
  std::string message_part;
  std::string bytes;
};

// In the order of their names.
inline std::vector<CorpusFile> read_corpus(const std::string& stem) {
  std::vector<CorpusFile> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(HEARSAY_TESTS_DIR) / "fuzz/corpus" / stem)) {
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
