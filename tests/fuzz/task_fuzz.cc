// The canonical form of an accepted task document must parse to the same task, with the same canonical form.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/strict_json.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"
#include "tests/fuzz/require.h"

using hearsay::Task;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view document(reinterpret_cast<const char*>(data), size);
  const auto task = Task::parse(document);
  if (!task) {
    FUZZ_REQUIRE(!task.error().message.empty());
    return 0;
  }
  FUZZ_REQUIRE(task->canonical_json().size() <= size);
  const auto again = Task::parse(task->canonical_json());
  FUZZ_REQUIRE(again);
  FUZZ_REQUIRE(again->canonical_json() == task->canonical_json());
  FUZZ_REQUIRE(again->id() == task->id());
  FUZZ_REQUIRE(again->schema() == task->schema());
  FUZZ_REQUIRE(again->epsilon() == task->epsilon());
  FUZZ_REQUIRE(again->spec().title == task->spec().title);
  FUZZ_REQUIRE(again->spec().channel == task->spec().channel);
  FUZZ_REQUIRE(again->end() == task->end());
  FUZZ_REQUIRE(again->channel().payload_size() == task->channel().payload_size());
  FUZZ_REQUIRE(*hearsay::TaskId::parse(task->id().to_string()) == task->id());
  return 0;
}
