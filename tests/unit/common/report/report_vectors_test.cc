#include <doctest/doctest.h>

#include <map>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "common/channel/channel.h"
#include "common/report/report.h"
#include "common/task/coarsening.h"
#include "hearsay/task.h"
#include "tests/support/golden.h"
#include "tests/support/report_json.h"

namespace hearsay {
namespace {

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Report report_of(const nlohmann::json& vector) {
  Report report{.id = {}, .time = vector.at("time").get<std::uint64_t>(), .payload = from_hex(vector.at("payload"))};
  const auto id = from_hex(vector.at("id"));
  REQUIRE(id.size() == report.id.bytes.size());
  std::copy(id.begin(), id.end(), report.id.bytes.begin());
  return report;
}

TEST_CASE("an independent implementation encodes reports in the same way") {
  const auto vectors = tests::read_vectors("reports.json");
  REQUIRE(vectors.size() >= 10);
  for (const auto& vector : vectors) {
    CAPTURE(vector.at("about").get<std::string>());
    const Report report = report_of(vector);
    std::vector<std::uint8_t> bytes;
    append_report(report, bytes);
    CHECK(hex_encode(bytes) == vector.at("cbor").get<std::string>());
    CHECK(tests::report_to_json(report) == vector.at("json"));

    const auto given = from_hex(vector.at("cbor"));
    std::span<const std::uint8_t> rest = given;
    const auto view = read_report(rest);
    REQUIRE_MESSAGE(view, view.error().message);
    CHECK(rest.empty());
    CHECK(Report{view->id, view->time, {view->payload.begin(), view->payload.end()}} == report);
    const auto people = report_from_json(vector.at("json"));
    REQUIRE_MESSAGE(people, people.error().message);
    CHECK(*people == report);
  }
}

TEST_CASE("an independent implementation packs payloads in the same way") {
  const auto vectors = tests::read_vectors("payloads.json");
  REQUIRE(vectors.size() >= 5);
  for (const auto& vector : vectors) {
    CAPTURE(vector.at("about").get<std::string>());
    const auto task = Task::parse(vector.at("task").get<std::string>());
    REQUIRE_MESSAGE(task, task.error().message);
    const auto& channel = std::get<LaplaceChannel>(task->channel().kind());
    std::vector<std::int64_t> bounds;
    for (std::size_t j = 0; j < channel.coordinates(); ++j) bounds.push_back(channel.bound(j));
    CHECK(bounds == vector.at("bounds").get<std::vector<std::int64_t>>());
    for (const auto& each : vector.at("reports")) {
      const auto y = each.at("y").get<std::vector<std::int32_t>>();
      REQUIRE(y.size() == channel.coordinates());
      std::vector<std::uint8_t> payload(channel.payload_size());
      channel.pack(y, payload);
      CHECK(hex_encode(payload) == each.at("payload").get<std::string>());
      std::vector<std::int32_t> unpacked(y.size());
      CHECK(channel.unpack(payload, unpacked));
      CHECK(unpacked == y);
      CHECK(task->channel().check(payload));
    }
  }
}

TEST_CASE("an independent implementation numbers, computes and packs answers in the same way") {
  const auto vectors = tests::read_vectors("answers.json");
  REQUIRE(vectors.size() >= 5);
  for (const auto& vector : vectors) {
    CAPTURE(vector.at("about").get<std::string>());
    const auto task = Task::parse(vector.at("task").get<std::string>());
    REQUIRE_MESSAGE(task, task.error().message);
    const auto& channel = std::get<SampledChannel>(task->channel().kind());
    CHECK(channel.groups() == vector.at("groups").get<std::uint64_t>());
    for (const auto& each : vector.at("reports")) {
      const auto record = Record::create(task->schema(), each.at("record").get<std::vector<std::uint32_t>>());
      REQUIRE(record);
      const auto group = each.at("group").get<std::uint64_t>();
      const Coarsening* coarsening = task->coarsening();
      const std::uint32_t answer =
          channel.true_value(group, coarsening == nullptr ? *record : coarsening->coarse(*record));
      CHECK(answer == each.at("answer").get<std::uint32_t>());
      std::vector<std::uint8_t> payload(channel.payload_size());
      channel.pack(group, answer, payload);
      CHECK(hex_encode(payload) == each.at("payload").get<std::string>());
      const auto unpacked = channel.unpack(payload);
      REQUIRE(unpacked);
      CHECK(unpacked->group == group);
      CHECK(unpacked->answer == answer);
    }
  }
}

Result<Report> read_file_of_corpus(const tests::CorpusFile& file) {
  if (file.name.ends_with(".json")) {
    const auto json = parse_json(file.bytes);
    return json ? report_from_json(*json) : Result<Report>(json.error());
  }
  std::span<const std::uint8_t> rest(reinterpret_cast<const std::uint8_t*>(file.bytes.data()), file.bytes.size());
  const auto view = read_report(rest);
  if (!view) return view.error();
  return Report{view->id, view->time, {view->payload.begin(), view->payload.end()}};
}

// The reports of the corpus are for this task. The error comes from the codec or from the channel, whichever fails
// first.
TEST_CASE("every report of the corpus gives the error in its file name, and the message says where") {
  const auto task = Task::parse(tests::read_file(tests::tests_directory() / "fuzz/corpus/task/ok----plain.json"));
  REQUIRE(task);
  std::map<std::string, int> count;
  for (const auto& file : tests::read_corpus("report")) {
    CAPTURE(file.name);
    ++count[file.error];
    const auto report = read_file_of_corpus(file);
    const Result<void> checked = report ? task->channel().check(report->payload) : Result<void>(report.error());
    if (file.error == "ok") {
      CHECK_MESSAGE(checked, checked.error().message);
      continue;
    }
    REQUIRE_FALSE(checked);
    CAPTURE(checked.error().message);
    CHECK(error_name(checked.error().code) == file.error);
    CHECK(checked.error().message.find(file.message_part) != std::string::npos);
  }
  CHECK(count["report_malformed"] >= 50);
  CHECK(count["malformed_json"] >= 5);
  CHECK(count["report_wrong_size"] >= 2);
  CHECK(count["report_out_of_bounds"] >= 3);
}

}  // namespace
}  // namespace hearsay
