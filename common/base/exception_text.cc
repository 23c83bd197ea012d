#include "common/base/exception_text.h"

#include <new>
#include <system_error>

namespace hearsay {

std::string exception_text(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return "the system gives this process no more memory; see the limits on memory (ulimit -v, systemd's MemoryMax=)";
  }
  const auto* const system = dynamic_cast<const std::system_error*>(&exception);
  // pthread_create() also returns EAGAIN if there is no memory for the thread's stack.
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return "the system starts no more threads for this process; see the limits on threads (ulimit -u, systemd's "
           "TasksMax= and LimitNPROC=) and on memory (ulimit -v)";
  }
  return exception.what();
}

}  // namespace hearsay
