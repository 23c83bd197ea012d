#include "aggregator/console/output.h"

#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>

namespace hearsay::console {
namespace {

// Writes the whole text. If a write fails, returns false and sets errno.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Removes the permissions that are not in `mode` from a regular file, so that no secret is written to a file that other
// users may read.
bool restrict_mode(int descriptor, mode_t mode) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return false;
  return !S_ISREG(status.st_mode) || ::fchmod(descriptor, status.st_mode & mode) == 0;
}

}  // namespace

void add_output_flag(CLI::App& command, OutputFormat& format) {
  static const std::map<std::string, OutputFormat> kFormats{
      {"text", OutputFormat::kText}, {"json", OutputFormat::kJson}, {"csv", OutputFormat::kCsv}};
  command.add_option_function<std::string>(
      "-o,--output",
      [&format](const std::string& name) {
        const auto known = kFormats.find(CLI::detail::to_lower(name));
        if (known == kFormats.end()) throw CLI::ValidationError("--output", "'" + name + "' is not text, json or csv");
        format = known->second;
      },
      "text, json or csv");
}

std::string number(double value, OutputFormat format) {
  return format == OutputFormat::kCsv ? exact_number(value) : short_number(value);
}

void print(const Table& table, const Json& json, OutputFormat format) {
  switch (format) {
    case OutputFormat::kText:
      std::cout << table.to_text();
      break;
    case OutputFormat::kCsv:
      std::cout << table.to_csv();
      break;
    case OutputFormat::kJson:
      std::cout << json_text(json, 2) << '\n';
      break;
  }
}

Result<void> flush_output() {
  errno = 0;
  // std::cout has no buffer of its own: it writes through stdout.
  const bool flushed = std::fflush(stdout) == 0;
  bool written = flushed && std::ferror(stdout) == 0 && std::cout.good();
  if (written) {
    const int copy = ::dup(STDOUT_FILENO);  // some file systems report a failed write only at close()
    written = copy < 0 || ::close(copy) == 0;
  }
  if (written) return {};
  const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
  return Error{ErrorCode::kIo, "cannot write to standard output" + reason};
}

int finish_output(const std::string& program, int status) {
  const auto written = flush_output();
  if (written) return status;
  std::cerr << program << ": " << error_name(written.error().code) << ": " << written.error().message << '\n';
  return 2;
}

void OutputFile::add_to(CLI::App& command, const std::string& what, const std::string& flag) {
  command.add_option(flag, path, what);
  command.add_flag("--overwrite", overwrite, "Let " + flag + " replace a file that exists")->needs(flag);
}

// A device or a pipe may be written to without --overwrite.
Result<void> OutputFile::check() const {
  std::error_code ignored;
  if (path.empty() || overwrite || !std::filesystem::is_regular_file(path, ignored)) return {};
  return Error{ErrorCode::kInvalidArgument,
               "the file '" + path + "' exists; write to another file, or replace this file with --overwrite"};
}

Result<void> OutputFile::write(std::string_view text, mode_t mode) const {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  const bool created = descriptor >= 0;
  if (!created && errno == EEXIST) {
    HEARSAY_CHECK_OK(check());
    descriptor = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  }
  bool written = descriptor >= 0 && (created || restrict_mode(descriptor, mode)) && write_all(descriptor, text);
  int reason = errno;
  if (descriptor >= 0 && ::close(descriptor) != 0 && written) {
    written = false;
    reason = errno;
  }
  if (written) return {};
  if (created) ::unlink(path.c_str());
  return Error{ErrorCode::kIo, "cannot write '" + path + "': " + std::strerror(reason)};
}

}  // namespace hearsay::console
