#include "aggregator/console/program_start.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

#include "common/base/exception_text.h"

namespace hearsay::console {
namespace {

void (*report_uncaught)(const std::string& what) = nullptr;
int uncaught_status = 1;

// Describes the exception that nothing caught. Sometimes there is no such exception: for example, if unwinding
// destroyed a std::thread that still ran.
std::string uncaught_text() {
  const std::exception_ptr exception = std::current_exception();
  if (!exception) return "the program's clean-up failed after an error";
  try {
    std::rethrow_exception(exception);
  } catch (const boost::system::system_error& error) {  // in Boost 1.74, no subclass of std::system_error
    return exception_text(std::system_error(error.code()));
  } catch (const std::exception& error) {
    return exception_text(error);
  } catch (...) {
    return "an exception of an unknown type";
  }
}

[[noreturn]] void end_process() {
  try {
    report_uncaught(uncaught_text());
  } catch (...) {  // there was no memory for the report
    constexpr std::string_view kText = "out of memory\n";
    static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
  }
  std::_Exit(uncaught_status);
}

}  // namespace

bool fill_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // open() returns the lowest free descriptor, which is `descriptor`.
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return false;
  }
  return true;
}

void end_on_uncaught_exception(void (*report)(const std::string& what), int status) {
  report_uncaught = report;
  uncaught_status = status;
  std::set_terminate(end_process);
}

}  // namespace hearsay::console
