#include "aggregator/compiler/canonical.h"

#include <doctest/doctest.h>

#include <string>

#include "aggregator/compiler/public_bits.h"
#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using tests::Generator;
using tests::parse;

std::string form(const Schema& schema, const std::string& text) {
  return canonical(parse(schema, text), schema).to_string(schema);
}

TEST_CASE("several spellings of a query have one canonical form") {
  const Schema schema = tests::schema_of("b b c3 r5");
  const auto same = [&](const std::string& a, const std::string& b) {
    CAPTURE(a);
    CHECK(form(schema, a) == form(schema, b));
  };
  same("a0 and a1", "a1 and a0");
  same("a0 or a1 or a0", "a1 or a0");
  same("a0 and (a1 and a2 = v1)", "(a2 = v1 and a0) and a1");
  same("not not a0", "a0");
  same("not a0", "a0 = no");
  same("not (a3 >= 2)", "a3 <= 1");
  same("not (a0 and a1)", "not (a1 and a0)");
  same("at_least(1, a0, a1)", "a1 or a0");
  same("at_least(2, a0, a1)", "a1 and a0");
  same("at_least(2, a0, a1, a2 = v0)", "at_least(2, a2 = v0, a1, a0)");
  same("a0 + a3 >= 2", "a3 + a0 >= 2");
  same("decision_list(a0 and a1: yes, else: no)", "decision_list(a1 and a0: yes, else: no)");
  CHECK(form(schema, "a0 and a1") != form(schema, "a0 or a1"));
  // The first query counts a0 twice, so the two queries differ.
  CHECK(form(schema, "at_least(2, a0, a0, a1)") != form(schema, "at_least(2, a0, a1)"));
  CHECK(form(schema, "decision_list(a0: yes, a1: no, else: yes)") !=
        form(schema, "decision_list(a1: no, a0: yes, else: yes)"));
}

TEST_CASE("a canonical form has the answers of its query, and is its own canonical form") {
  tests::CounterBitSource bits("canonical");
  Generator random(bits);
  for (int round = 0; round < 60; ++round) {
    const Schema schema = random.schema();
    for (const auto kind : Generator::kKinds) {
      const std::string text = random.query(schema, kind);
      CAPTURE(text);
      const Query query = parse(schema, text);
      const Query found = canonical(query, schema);
      CHECK(canonical(found, schema) == found);
      bool same = true;
      for (const Record& record : tests::all_records(schema)) {
        same = same && query.evaluate(record) == found.evaluate(record);
      }
      CHECK(same);
    }
  }
}

// The key comes from Python's hashlib, and the streams from the command `openssl enc -aes-256-ctr`.
TEST_CASE("public bits are derived as specified in public_bits.h") {
  TaskId task{};
  for (std::size_t i = 0; i < task.bytes.size(); ++i) task.bytes[i] = static_cast<std::uint8_t>(i);
  const Digest key = sample_key(task, "a0 and a1");
  CHECK(key[0] == 0x25);
  CHECK(key[31] == 0x17);
  PublicBits first(key, 0);
  CHECK(first.bits(64) == 0x526ec2b90aa00a7c);  // the least significant byte comes first
  CHECK(first.bits(64) == 0x359bd2de22f1b393);
  PublicBits second(key, 1);
  CHECK(second.bits(64) == 0x5984c1c7cf986cb5);
}

}  // namespace
}  // namespace hearsay::compiler
