#include "aggregator/planner/what_if.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/planner/rewritten_query.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

constexpr Target kTarget{0.01, 0.05};

std::vector<Query> asked(const Schema& schema, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(schema, text).value());
  return queries;
}

Wish wish_of(const std::string& shape, Workload workload) {
  return {tests::spec_over(shape, "1"), std::move(workload), kTarget};
}

Wish listed(const std::string& shape, const std::vector<std::string>& texts) {
  return wish_of(shape, asked(tests::schema_of(shape), texts));
}

std::uint64_t users_of(const Wish& wish) { return best_candidate(wish).value().plan->users_worst; }

TEST_CASE("with users_exact users the error is alpha, and with four times as many the error is half of alpha") {
  const Wish wish = listed("b c3 r6", {"a0", "a1 = v1 and a2 >= 1"});
  const Candidate best = best_candidate(wish).value();
  for (const auto& line : plan(*best.task, std::get<std::vector<Query>>(wish.workload), kTarget)) {
    REQUIRE(line);
    const ExpectedError error = expected_error(*line, line->users_exact, kTarget.beta).value();
    CHECK(error.half_width <= kTarget.alpha);
    CHECK(error.half_width == doctest::Approx(kTarget.alpha).epsilon(1e-4));
    CHECK(error.near_normal);
    CHECK(expected_error(*line, 4 * line->users_exact, kTarget.beta)->half_width ==
          doctest::Approx(kTarget.alpha / 2).epsilon(1e-4));
    CHECK_FALSE(expected_error(*line, 1, kTarget.beta)->near_normal);
    // A smaller error probability needs a wider interval.
    CHECK(expected_error(*line, line->users_exact, 0.01)->half_width > 1.3 * kTarget.alpha);
  }
  const ExpectedError largest = expected_error(*best.plan, best.plan->users_worst, kTarget).value();
  CHECK(largest.half_width == doctest::Approx(kTarget.alpha).epsilon(1e-9));
  CHECK(expected_error(*best.plan, 100 * best.plan->users_worst, kTarget)->half_width ==
        doctest::Approx(kTarget.alpha / 10).epsilon(1e-9));
}

TEST_CASE("at another epsilon the error comes from a plan for this epsilon") {
  const Wish wish = listed("b b", {"a0 and a1"});
  Wish other = wish;
  other.base.epsilon = Epsilon::parse("2").value();
  CHECK(at_epsilon(wish, other.base.epsilon)->plan->users_worst == users_of(other));
  CHECK(users_of(other) < users_of(wish));
}

TEST_CASE("a plan does not depend on earlier plans") {
  for (const Wish& wish : {listed("b r8 r20", {"a0 and a1 in 2..4", "a2 >= 12"}), wish_of("r20", Ranges{})}) {
    const auto best = best_candidate(wish);
    REQUIRE(best);
    with_coarser_values(wish, *best->task, 1);
    for (const char* const epsilon : {"1", "4"}) {
      Wish fresh = wish;
      fresh.known = std::make_shared<KnownPlans>();
      fresh.base.epsilon = Epsilon::parse(epsilon).value();
      CHECK(at_epsilon(wish, fresh.base.epsilon)->task->canonical_json() ==
            best_candidate(fresh)->task->canonical_json());
    }
  }
  KnownPlans known;
  const Schema schema = tests::schema_of("r8 r8");
  const auto& first = known.one_bit(schema, asked(schema, {"a0 >= 3"}));
  CHECK(&known.one_bit(schema, asked(schema, {"a0 >= 3"})) == &first);
  CHECK(&known.one_bit(schema, asked(schema, {"a0 >= 4"})) != &first);
  CHECK(&known.one_bit(schema, Mixture{{{Ranges{}, 1}, {Means{}, 2}}}) !=
        &known.one_bit(schema, Mixture{{{Ranges{}, 1}, {Means{}, 3}}}));
  CHECK(&known.ranges(16, 1, 1) == &known.ranges(16, 1, 1));
  CHECK(&known.ranges(16, 1, 1) != &known.ranges(16, 1, 2));
}

TEST_CASE("what-if leaves out one attribute or one query of a list, and plans the rest") {
  const std::vector<std::string> texts{"a0", "a1 and a2 = v1", "a2 = v2"};
  const Wish wish = listed("b b c4", texts);
  const std::vector<WhatIf> less = with_less(wish, *best_candidate(wish)->task, 8);
  const std::vector<std::pair<std::string, std::vector<std::string>>> expected{
      {"without attribute a0", {texts[1], texts[2]}},
      {"without attribute a1", {texts[0], texts[2]}},
      {"without attribute a2", {texts[0]}},
      {"without query `a0`", {texts[1], texts[2]}},
      {"without query `a1 and a2 = v1`", {texts[0], texts[2]}},
      {"without query `a2 = v2`", {texts[0], texts[1]}}};
  REQUIRE(less.size() == expected.size());
  for (const auto& one_expected : expected) {
    const std::string& change = one_expected.first;
    const std::vector<std::string>& left = one_expected.second;
    CAPTURE(change);
    const auto found = std::find_if(less.begin(), less.end(), [&](const WhatIf& one) { return one.change == change; });
    REQUIRE(found != less.end());
    // Compares with a schema of all three attributes, since an attribute without questions costs nothing.
    CHECK(static_cast<double>(found->plan->users_worst) ==
          doctest::Approx(static_cast<double>(users_of(listed("b b c4", left)))).epsilon(1e-3));
  }
  CHECK(less.front().change == "without attribute a2");
  for (std::size_t i = 1; i < less.size(); ++i) CHECK(less[i - 1].plan->users_worst <= less[i].plan->users_worst);

  // The only query or attribute cannot be left out. Of many, only the most expensive are tried.
  const Wish one = listed("b", {"a0"});
  CHECK(with_less(one, *best_candidate(one)->task, 8).empty());
  const std::vector<WhatIf> two = with_less(wish, *best_candidate(wish)->task, 1);
  REQUIRE(two.size() == 2);
  CHECK(two[0].change == "without attribute a2");
  // With the best weights the two most expensive queries are equally expensive.
  CHECK((two[1].change == "without query `a1 and a2 = v1`" || two[1].change == "without query `a2 = v2`"));
}

TEST_CASE("what-if plans a class on a smaller schema, and at a smaller order if needed") {
  const Wish wish = wish_of("b b c4", Conjunctions{3});
  for (const WhatIf& one : with_less(wish, *best_candidate(wish)->task, 8)) {
    const Wish left = wish_of(one.change == "without attribute a2" ? "b b" : "b c4", Conjunctions{2});
    CHECK(one.plan->users_worst == users_of(left));
  }
}

TEST_CASE("what-if joins pairs of values") {
  const Wish wish = listed("r7 b c5", {"a0 in -1..1 and a1", "a2 = v3"});
  const Task uncut = tests::task_over("r7 b c5", "1", LiteralsSpec{}, LaplaceSpec{});
  const std::vector<WhatIf> coarser = with_coarser_values(wish, uncut, 8);
  REQUIRE(coarser.size() == 2);
  for (const WhatIf& one : coarser) {
    CAPTURE(one.change);
    const bool range = one.change == "4 values of a0 instead of 7";
    CHECK((range || one.change == "3 values of a2 instead of 5"));
    // The values -1..1 have the indices 1 to 3, in the pairs 0 and 1. v3 is in the pair 1.
    const Wish by_hand = range ? listed("r4 b c5", {"a0 in -2..-1 and a1", "a2 = v3"})
                               : listed("r7 b c3", {"a0 in -1..1 and a1", "a2 = v1"});
    CHECK(one.plan->users_worst == users_of(by_hand));
  }
  CHECK(with_coarser_values(wish, uncut, 1).size() == 1);
  // A weighted sum makes sense only for the original values.
  CHECK(with_coarser_values(listed("r7 r5", {"a0 + a1 >= 3"}), uncut, 8).empty());
}

TEST_CASE("fewer changes are tried if questions ask about many values") {
  CHECK(changes_to_try(wish_of("r512", Ranges{}), 4) == 4);
  CHECK(changes_to_try(wish_of("r1024", Ranges{}), 4) == 2);
  CHECK(changes_to_try(wish_of("r1024 r1024 r1024", Ranges{}), 4) == 1);
  CHECK(changes_to_try(listed("r16 r1024", {"a0 >= 3"}), 4) == 4);
}

TEST_CASE("a rewritten query is right for joined values, and for records without an attribute") {
  const Schema schema = tests::schema_of("r7 b c5");
  const Schema coarse = Schema::create({coarsened(schema[0]), schema[1], schema[2]}).value();
  CHECK(coarse[0].size() == 4);
  CHECK(coarsened(schema[2]).values() == std::vector<std::string>{"v0", "v2", "v4"});
  const Rewriting halves{{0, 1, 2}, 0};
  for (const char* const text : {"a0 in {-2, 1, 4}", "a0 in -1..1", "a0 >= 4", "a0 in {-1, 2}"}) {
    CAPTURE(text);
    const Query before = Query::parse(schema, text).value();
    const Query after = rewritten(before, halves).value();
    for (std::uint32_t v = 0; v < 4; ++v) {
      bool any = false;
      for (const std::uint32_t old : {2 * v, 2 * v + 1}) {
        any = any || (old < 7 && before.evaluate(std::vector<std::uint32_t>{old, 0, 0}));
      }
      CHECK(after.evaluate(std::vector<std::uint32_t>{v, 0, 0}) == any);
    }
    // The printed query is read back unchanged.
    CHECK(Query::parse(coarse, after.to_string(coarse)).value() == after);
  }
  const Rewriting without_first{{std::nullopt, 0, 1}};
  const Query query = Query::parse(schema, "not a1 or at_least(1, a2 = v1, a2 = v3)").value();
  const Query after = rewritten(query, without_first).value();
  for (std::uint32_t b = 0; b < 2; ++b) {
    for (std::uint32_t c = 0; c < 5; ++c) {
      CHECK(after.evaluate(std::vector<std::uint32_t>{b, c}) == query.evaluate(std::vector<std::uint32_t>{3, b, c}));
    }
  }
  for (const char* const text : {"a0 >= 1 and a1", "not a0 = 1", "a0 + a1 >= 2"}) {
    CHECK_FALSE(rewritten(Query::parse(schema, text).value(), without_first));
  }
  CHECK_FALSE(rewritten(Query::parse(schema, "a0 + a1 >= 2").value(), halves));
}

}  // namespace
}  // namespace hearsay::planner
