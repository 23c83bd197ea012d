#include "tests/e2e/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace hearsay::e2e {

const std::string kHearsayd = HEARSAYD;
const std::string kHearsay = HEARSAY;
const std::string kHearsayCentral = HEARSAY_CENTRAL;
const std::string kCompareModels = COMPARE_MODELS;
const std::string kSimulatePopulation = SIMULATE_POPULATION;
const std::string kReportOnce = REPORT_ONCE;
const std::string kHearsayReport = HEARSAY_REPORT;

namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// Turns the child process into the program. `output` becomes the program's standard output and error.
[[noreturn]] void become(const std::string& program, std::vector<std::string> arguments,
                         const std::vector<std::string>& environment, int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  arguments.insert(arguments.begin(), program);
  for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
  execv(program.c_str(), pointers(arguments).data());
  _exit(127);
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error("waitpid failed");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Output run(const std::string& program, const std::vector<std::string>& arguments,
           const std::vector<std::string>& environment) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  const pid_t pid = fork();
  if (pid == 0) become(program, arguments, environment, pipe_ends[1]);
  close(pipe_ends[1]);
  Output output;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(pipe_ends[0], buffer.data(), buffer.size())) > 0;) {
    output.text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(pipe_ends[0]);
  output.status = reap(pid);
  return output;
}

Process::Process(const std::string& program, const std::vector<std::string>& arguments, const std::string& output) {
  const int out = open(output.empty() ? "/dev/null" : output.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  pid_ = fork();
  if (pid_ == 0) become(program, arguments, {}, out);
  close(out);
}

Process::~Process() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  wait();
}

void Process::signal(int number) const { kill(pid_, number); }

int Process::wait() {
  const int status = reap(pid_);
  pid_ = -1;
  return status;
}

}  // namespace hearsay::e2e
