// Reads files of the tests: vectors, and inputs with the error that each input must cause.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hearsay::tests {

// Returns tests/ of this project.
std::filesystem::path tests_directory();

std::string read_file(const std::filesystem::path& path);

// Returns the JSON document in tests/vectors/<name>.
nlohmann::json read_vectors(const std::string& name);

// A file of tests/fuzz/corpus/<stem>/. Its name is <error>--<part of the message>--<description>.<extension>. <error>
// is an error_name() or "ok". A + in the part of the message stands for a space.
struct CorpusFile {
  std::string name;
  std::string error;
  std::string message_part;
  std::string bytes;
};

// Returns the files in the order of their names.
std::vector<CorpusFile> read_corpus(const std::string& stem);

}  // namespace hearsay::tests
