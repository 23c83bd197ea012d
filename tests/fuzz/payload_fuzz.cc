// The first byte of the input chooses one of four tasks, or a tally. An accepted payload of the channel `sampled` must
// be the only payload of its group and answer. The payload must answer at least one question, and a tally must take the
// payload. Bytes that decode to a tally must be the only encoding of this tally.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "hearsay/task.h"
#include "tests/fuzz/require.h"

using hearsay::SampledChannel;
using hearsay::Task;
using hearsay::tally::Tally;

namespace {

Task task_with(std::string_view arrangement, std::string_view channel) {
  std::string document = R"({"version": 2, "epsilon": "2", "task_start": 0, "task_duration": 1, "time_precision": 1,
    "min_batch_size": 1, "schema": [{"name": "a", "type": "boolean"},
    {"name": "c", "type": "categorical", "values": ["x", "y", "z"]}, {"name": "r", "type": "range", "min": 0, "max": 9}],
    "arrangement": )";
  document += arrangement;
  document += R"(, "channel": )";
  document += channel;
  return *Task::parse(document + "}");
}

const std::array<Task, 4>& tasks() {
  static const std::array<Task, 4> all = {
      task_with(R"({"type": "literals"})", R"({"type": "sampled", "group_size": 3})"),
      task_with(R"({"type": "characters", "order": 2})",
                R"({"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1},
                    {"kind": "even", "size": 3, "weight": 2}, {"kind": "raw", "size": 2, "weight": 1}]})"),
      task_with(R"({"type": "characters", "order": 3})",
                R"({"type": "sampled", "groups": [{"kind": "raw", "size": 3, "weight": 1, "odds": [1, 2, 7]}]})"),
      task_with(R"({"type": "characters", "order": 2})",
                R"({"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1, "attributes": ["a", "r"]},
                    {"kind": "raw", "size": 2, "weight": 2, "attributes": ["c", "r"]}],
                    "questions": [{"attribute": "c", "kind": "hash", "answers": 3}, {"attribute": "r",
                    "kind": "circle", "places": 20, "bits": 1, "multipliers": [1, 3], "weights": [2, 1]}]})")};
  return all;
}

void check_questions(const SampledChannel& channel, std::uint64_t group) {
  std::vector<hearsay::Factor> factors(channel.class_of(group).size);
  channel.factors(group, factors);
  for (const auto& [attribute, number] : factors) {
    FUZZ_REQUIRE(number >= 1 && number <= channel.questions(attribute).count());
  }
}

void check_payload(const Task& task, std::span<const std::uint8_t> payload) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const auto answer = channel.unpack(payload);
  Tally tally = Tally::empty(task.channel());
  FUZZ_REQUIRE(static_cast<bool>(tally.add(task.channel(), payload)) == static_cast<bool>(answer));
  FUZZ_REQUIRE(tally.reports() == (answer ? 1 : 0));
  if (!answer) return;
  FUZZ_REQUIRE(answer->group < channel.groups());
  FUZZ_REQUIRE(channel.is_answer(answer->group, answer->answer));
  std::vector<std::uint8_t> packed(channel.payload_size());
  channel.pack(answer->group, answer->answer, packed);
  FUZZ_REQUIRE(std::equal(packed.begin(), packed.end(), payload.begin(), payload.end()));
  const bool literals = std::holds_alternative<hearsay::LiteralsSpec>(task.spec().arrangement);
  if (!literals) check_questions(channel, answer->group);
  if (!literals && !channel.asks_parities()) return;
  std::vector<SampledChannel::Covered> covered;
  channel.covered(answer->group, covered);
  FUZZ_REQUIRE(!covered.empty());
  for (const auto& each : covered) {
    FUZZ_REQUIRE(each.coordinate < channel.dimension());
    FUZZ_REQUIRE(each.answer_mask != 0 && each.answer_mask < 1U << channel.class_of(answer->group).width);
  }
}

void check_tally(std::string_view bytes) {
  const auto tally = Tally::decode(bytes);
  if (!tally) {
    FUZZ_REQUIRE(tally.error().code == hearsay::ErrorCode::kStoreCorrupt);
    return;
  }
  FUZZ_REQUIRE(tally->encode() == bytes);
  FUZZ_REQUIRE(tally->reports() <= Tally::kMaxReports);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  if (data[0] < tasks().size()) {
    check_payload(tasks()[data[0]], rest);
  } else {
    check_tally({reinterpret_cast<const char*>(rest.data()), rest.size()});
  }
  return 0;
}
