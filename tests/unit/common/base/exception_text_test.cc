#include "common/base/exception_text.h"

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace hearsay {
namespace {

TEST_CASE("if the system refuses threads or memory, the message says so and names the limits") {
  const auto text_of = [](const std::exception& exception) { return exception_text(exception); };
  const std::string no_thread =
      text_of(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)));
  CHECK(no_thread.find("no more threads") != std::string::npos);
  CHECK(no_thread.find("TasksMax=") != std::string::npos);
  const std::string no_memory = text_of(std::bad_alloc());
  CHECK(no_memory.find("no more memory") != std::string::npos);
  CHECK(no_memory.find("MemoryMax=") != std::string::npos);
  CHECK(text_of(std::runtime_error("as it is")) == "as it is");
  CHECK(text_of(std::system_error(std::make_error_code(std::errc::io_error))).find("threads") == std::string::npos);
}

}  // namespace
}  // namespace hearsay
