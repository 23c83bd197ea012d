#include "aggregator/bounds/semidefinite.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "common/base/try.h"

namespace hearsay::bounds {
namespace {

// A file in memory. The file vanishes with the process, even if the process is killed.
class MemoryFile {
 public:
  static Result<MemoryFile> create(const char* name) {
    const int descriptor = memfd_create(name, MFD_CLOEXEC);
    if (descriptor < 0) return Error{ErrorCode::kIo, "cannot make a file in memory for csdp"};
    return MemoryFile(descriptor);
  }
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// Writes the program in the sparse format of SDPA.
bool write_program(const SemidefiniteProgram& program, const MemoryFile& to) {
  std::ofstream file(to.path());
  file.precision(std::numeric_limits<double>::max_digits10);
  file << program.right_sides.size() << "\n2\n" << program.dense_size << ' ' << -program.diagonal_size << '\n';
  for (const double right_side : program.right_sides) file << right_side << ' ';
  file << '\n';
  for (const SemidefiniteProgram::Entry& entry : program.entries) {
    file << entry.matrix << (entry.dense ? " 1 " : " 2 ") << entry.row + 1 << ' ' << entry.column + 1 << ' '
         << entry.value << '\n';
  }
  return file.flush().good();
}

// Runs csdp on one thread and returns its exit status. csdp reads a file of settings in its working directory. So csdp
// runs in the root directory, which has no such file.
Result<int> run_csdp(const MemoryFile& program, const MemoryFile& solution) {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!text.starts_with("OMP_NUM_THREADS=") && !text.starts_with("OPENBLAS_NUM_THREADS="))
      environment.push_back(text);
  }
  environment.insert(environment.end(), {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"});
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  const auto name_of = [](const MemoryFile& file) { return "/dev/fd/" + std::to_string(file.descriptor()); };
  std::string words[] = {"csdp", name_of(program), name_of(solution)};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};

  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return Error{ErrorCode::kIo, "cannot start csdp"};
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // Duplicating a descriptor onto itself keeps it open in csdp.
  for (const MemoryFile* file : {&program, &solution}) {
    posix_spawn_file_actions_adddup2(&actions, file->descriptor(), file->descriptor());
  }
  pid_t child = 0;
  const int failure = posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments, variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) {
    return Error{ErrorCode::kUnsupported, "the program csdp is not installed: install Debian's coinor-csdp"};
  }
  if (failure != 0) return Error{ErrorCode::kIo, "cannot start csdp"};
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Error{ErrorCode::kIo, "cannot wait for csdp"};
  }
  if (!WIFEXITED(status)) return Error{ErrorCode::kInternal, "csdp was killed"};
  return WEXITSTATUS(status);
}

Result<SemidefiniteSolution> read_solution(const SemidefiniteProgram& program, const MemoryFile& from) {
  const Error unreadable{ErrorCode::kInternal, "csdp found no solution"};
  std::ifstream file(from.path());
  SemidefiniteSolution solution{Eigen::MatrixXd::Zero(program.dense_size, program.dense_size), {}};
  for (std::size_t k = 0; k < program.right_sides.size(); ++k) {
    double multiplier = 0;
    if (!(file >> multiplier) || !std::isfinite(multiplier)) return unreadable;
    solution.multipliers.push_back(multiplier);
  }
  int matrix = 0;
  int block = 0;
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  double value = 0;
  while (file >> matrix >> block >> row >> column >> value) {
    if (matrix != 2 || block != 1) continue;
    if (row < 1 || column < 1 || row > program.dense_size || column > program.dense_size || !std::isfinite(value)) {
      return unreadable;
    }
    solution.dense(row - 1, column - 1) = value;
    solution.dense(column - 1, row - 1) = value;
  }
  if (!file.eof()) return unreadable;
  return solution;
}

}  // namespace

Result<SemidefiniteSolution> solve(const SemidefiniteProgram& program) {
  HEARSAY_TRY(const MemoryFile input, MemoryFile::create("program"));
  HEARSAY_TRY(const MemoryFile output, MemoryFile::create("solution"));
  if (!write_program(program, input)) return Error{ErrorCode::kIo, "cannot write a file for csdp"};
  HEARSAY_TRY(const int status, run_csdp(input, output));
  // Statuses 1 and 2 mean that the program is infeasible. Other statuses with a solution mean a loss of accuracy, which
  // the caller detects.
  constexpr int kExecutionFailed = 127;
  if (status == kExecutionFailed) {
    return Error{ErrorCode::kUnsupported, "the program csdp is not installed: install Debian's coinor-csdp"};
  }
  if (status == 1 || status == 2) return Error{ErrorCode::kInternal, "csdp found no solution"};
  return read_solution(program, output);
}

double seconds_for(std::size_t dense_size, std::size_t constraints) {
  const auto n = static_cast<double>(dense_size);
  const auto m = static_cast<double>(constraints);
  constexpr double kIterations = 20;
  constexpr double kOperations = 1.5e9;  // operations per second
  return kIterations * (m * m * m / 3 + m * n * n * 4 + 20 * n * n * n) / kOperations;
}

}  // namespace hearsay::bounds
