#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace hearsay::e2e {

extern const std::string kHearsayd;
extern const std::string kHearsay;
extern const std::string kHearsayCentral;
extern const std::string kCompareModels;
extern const std::string kSimulatePopulation;
extern const std::string kReportOnce;
extern const std::string kHearsayReport;

struct Output {
  int status = -1;   // exit status; 128 + signal if a signal killed the program
  std::string text;  // standard output and error

  bool contains(std::string_view part) const { return text.find(part) != std::string::npos; }
};

// Runs the program to its end. Entries of `environment` look like NAME=value.
Output run(const std::string& program, const std::vector<std::string>& arguments,
           const std::vector<std::string>& environment = {});

// A program in the background. The destructor kills the program with SIGKILL.
class Process {
 public:
  // If `output` names a file, the program's standard output and error are appended to this file.
  Process(const std::string& program, const std::vector<std::string>& arguments, const std::string& output = "");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits for the program's end. Returns the exit status, or 128 + signal.
  int wait();

 private:
  pid_t pid_ = -1;
};

}  // namespace hearsay::e2e
