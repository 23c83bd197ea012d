#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "hearsay/task.h"
#include "tests/support/explicit_tasks.h"

namespace hearsay {
namespace {

using tests::explicit_spec;
using tests::weighted_bits;

TEST_CASE("an explicit task is read as written, and has one form") {
  const Task task = Task::create(explicit_spec("b b b", weighted_bits())).value();
  const Task again = Task::parse(task.canonical_json()).value();
  CHECK(again.id() == task.id());
  CHECK(again.spec().arrangement == task.spec().arrangement);
  // The common divisor 10 of 100, 60 and 30 is divided out.
  const auto& spec = std::get<ExplicitSpec>(task.spec().arrangement);
  CHECK(spec == weighted_bits(10, 6, 3));

  ExplicitSpec other = weighted_bits(10, 6, 3);
  std::swap(other.queries[0], other.queries[1]);
  for (std::int8_t& entry : other.queries[0].vector) entry = static_cast<std::int8_t>(entry * 50);
  const Task same = Task::create(explicit_spec("b b b", other)).value();
  CHECK(same.id() == task.id());
  CHECK(same.canonical_json() == task.canonical_json());

  // The division keeps the sign, and a vector with one unit more is another arrangement.
  other = weighted_bits(10, 6, 3);
  other.queries[0].vector = {-1, -1, 0};
  CHECK(Task::create(explicit_spec("b b b", other)).value().id() != task.id());
  CHECK(Task::create(explicit_spec("b b b", weighted_bits(11, 6, 3))).value().id() != task.id());
}

TEST_CASE("the bytes of the document are two's complement in unpadded base64url") {
  const Task task = Task::create(explicit_spec("b b b", weighted_bits(10, 6, 3))).value();
  const Json document = Json::parse(task.canonical_json());
  const auto records = base64url_decode(document["arrangement"]["records"].get<std::string>()).value();
  REQUIRE(records.size() == 24);
  CHECK(records[0] == 246);  // -10
  CHECK(records[21] == 10);
  CHECK(document["arrangement"]["queries"][0] == Json({{"query", "a0 and a1"}, {"vector", "AQEA"}}));
  CHECK(document["arrangement"]["dimension"] == 3);
}

TEST_CASE("the error about malformed vectors has the path of the member") {
  const Json good = Json::parse(Task::create(explicit_spec("b b b", weighted_bits())).value().canonical_json());
  const auto refusal = [](const Json& document) {
    const auto parsed = Task::parse(document.dump());
    REQUIRE_FALSE(parsed);
    return parsed.error();
  };
  const auto with = [&](const char* key, const Json& value) {
    Json document = good;
    document["arrangement"][key] = value;
    return refusal(document);
  };
  CHECK(with("dimension", 0).code == ErrorCode::kInvalidTask);
  CHECK(with("dimension", "3").code == ErrorCode::kWrongType);
  CHECK(with("dimension", 4).message.starts_with("arrangement: records has "));
  CHECK(with("records", "AAA=").message.starts_with("arrangement.records must be unpadded base64url"));
  CHECK(with("records", "????").code == ErrorCode::kInvalidTask);
  CHECK(with("records", 5).code == ErrorCode::kWrongType);
  CHECK(with("queries", Json::array()).code == ErrorCode::kInvalidTask);
  CHECK(with("queries", Json::array({5})).code == ErrorCode::kWrongType);
  CHECK(with("order", 2).code == ErrorCode::kUnknownKey);
  CHECK(with("queries", Json::array({{{"query", "a0"}}})).code == ErrorCode::kMissingKey);
  CHECK(with("queries", Json::array({{{"query", "a0"}, {"vector", "AAAA"}}})).message ==
        "arrangement: queries[0].vector must not be all zero");
  CHECK(with("queries", Json::array({{{"query", "a0"}, {"vector", "AAA="}}}))
            .message.starts_with("arrangement.queries[0].vector must be unpadded"));

  Json document = good;
  document["channel"]["shares"] = {1, 2, 3};
  CHECK(refusal(document).code == ErrorCode::kInvalidTask);
  document["channel"] = {{"type", "sampled"}, {"group_size", 1}};
  CHECK(refusal(document).code == ErrorCode::kUnsupported);
  document["channel"] = {{"type", "strategy"}, {"outputs", 2}, {"matrix", "AAAA"}};
  CHECK(refusal(document).code == ErrorCode::kInvalidTask);
  document = good;
  document["cuts"] = Json::array({{{"attribute", "a0"}, {"starts", {1}}}});
  CHECK(refusal(document).code == ErrorCode::kInvalidTask);
}

TEST_CASE("a document of the most entries is accepted, and one entry more is refused") {
  ExplicitSpec spec{1U << 19U, std::vector<std::int8_t>(1U << 20U, 1), {}};
  spec.records[0] = 2;
  spec.queries.push_back({"a0", std::vector<std::int8_t>(1U << 19U, 1)});
  const auto wide = Task::create(explicit_spec("b", spec));
  REQUIRE_FALSE(wide);  // the arrangement allows these vectors, but the channel does not
  CHECK(wide.error().message.find("65,536") != std::string::npos);

  spec = {1, std::vector<std::int8_t>(1U << 20U, 0), {{"a0 >= 0", {1}}}};
  spec.records[5] = 127;
  const auto task = Task::create(explicit_spec("r1048576", spec));
  REQUIRE(task);
  CHECK(task->canonical_json().size() < Task::kMaxJsonBytes);
  CHECK(Task::parse(task->canonical_json()).value().id() == task->id());
}

}  // namespace
}  // namespace hearsay
