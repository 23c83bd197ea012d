#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/compiler/enumeration.h"
#include "aggregator/compiler/list_laws.h"
#include "aggregator/compiler/model.h"
#include "aggregator/compiler/query_form.h"
#include "aggregator/compiler/threshold_laws.h"
#include "common/base/strict_json.h"
#include "tests/support/bit_sources.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

using namespace hearsay;
using namespace hearsay::compiler;
using tests::booleans;
using tests::Generator;
using tests::work;

namespace {

const AttributeLaw* find(const ClassLaws& laws, std::uint32_t attribute) {
  for (const AttributeLaw& law : laws) {
    if (law.attribute == attribute) return &law;
  }
  return nullptr;
}

// If only one of the laws lists an attribute, its law must be uniform.
void check_equal(const ClassLaws& a, const ClassLaws& b) {
  for (const AttributeLaw& law : a) {
    const AttributeLaw* other = find(b, law.attribute);
    for (std::size_t c = 0; c < 2; ++c) {
      const auto& p = law.probability[c];
      for (std::size_t v = 0; v < p.size(); ++v) {
        const double q = other == nullptr ? 1 / static_cast<double>(p.size()) : other->probability[c][v];
        CHECK(std::abs(p[v] - q) < 1e-14);
      }
    }
  }
}

std::vector<AttributeScore> random_scores(const Schema& schema, const ClassLaws& laws, Generator& random) {
  std::vector<AttributeScore> scores;
  for (const AttributeLaw& law : laws) {
    AttributeScore score{law.attribute, {}};
    for (std::uint32_t v = 0; v < schema[law.attribute].size(); ++v) {
      score.score.push_back(static_cast<double>(random.below(2001)) / 100 - 10);
    }
    if (random.below(4) != 0) scores.push_back(std::move(score));
  }
  return scores;
}

void check_equal(const ScoreMoments& a, const ScoreMoments& b) {
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(a.mean[c] == doctest::Approx(b.mean[c]).epsilon(1e-12));
    CHECK(std::abs(a.variance[c] - b.variance[c]) < 1e-11);  // scores are at most 10 in magnitude
  }
}

std::array<double, 2> mean_scores(const ClassLaws& laws, const std::vector<AttributeScore>& scores) {
  std::array<double, 2> mean{0, 0};
  for (const auto& [attribute, score] : scores) {
    const AttributeLaw* law = find(laws, attribute);
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t v = 0; v < score.size(); ++v) mean[c] += law->probability[c][v] * score[v];
    }
  }
  return mean;
}

template <class Source>
void check_same(const Source& source, const Enumeration& enumeration, const Schema& schema, Generator& random) {
  const ClassLaws laws = source.laws(work());
  check_equal(laws, enumeration.laws(work()));
  check_equal(enumeration.laws(work()), laws);
  const auto scores = random_scores(schema, laws, random);
  check_equal(source.moments(scores, work()), enumeration.moments(scores, work()));
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(source.moments(scores, work()).mean[c] == doctest::Approx(mean_scores(laws, scores)[c]).epsilon(1e-12));
  }
}

template <class Form>
Form form_of(const Query& query, const Schema& schema) {
  const QueryForm form = analyse(query, schema, work());
  REQUIRE(std::holds_alternative<Form>(form));
  return std::get<Form>(form);
}

long double binomial(unsigned n, unsigned k) {
  long double c = 1;
  for (unsigned i = 0; i < k; ++i) c = c * (n - i) / (i + 1);
  return c;
}

std::string repeated(std::size_t count, const std::string& between) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "x" : between + "x") + std::to_string(i);
  return text;
}

}  // namespace

TEST_CASE("the laws of boxes and of dynamic programming agree with enumeration on random queries") {
  tests::CounterBitSource source("laws");
  Generator random(source);
  int lists = 0;
  int thresholds = 0;
  for (int round = 0; round < 500; ++round) {
    const Schema schema = random.schema();
    for (const auto kind : Generator::kKinds) {
      const std::string text = random.query(schema, kind);
      CAPTURE(text);
      CAPTURE(schema.to_json());
      const Query query = tests::parse(schema, text);
      const QueryForm form = analyse(query, schema, work());
      const auto enumeration = Enumeration::create(query, schema, work());
      REQUIRE(enumeration);
      if (const auto* list = std::get_if<PredicateList>(&form)) {
        ++lists;
        check_same(ListLaws(*list, schema, work()), *enumeration, schema, random);
      } else if (const auto* threshold = std::get_if<PredicateThreshold>(&form)) {
        ++thresholds;
        const auto laws = ThresholdLaws::create(*threshold, work());
        REQUIRE(laws);
        check_same(*laws, *enumeration, schema, random);
        const QueryForm by_sum = laws->form(*threshold);
        const QueryForm by_table = enumeration->form(work());
        if (std::holds_alternative<Predicate>(by_table)) {
          CHECK(std::get<Predicate>(by_sum) == std::get<Predicate>(by_table));
        } else {
          CHECK(std::holds_alternative<PredicateThreshold>(by_sum));
        }
      }
    }
  }
  CHECK(lists > 1000);
  CHECK(thresholds > 100);
}

TEST_CASE("each query has the form that its laws need") {
  const Schema schema = tests::schema_of({Attribute::boolean("a"), Attribute::boolean("b"), Attribute::boolean("c"),
                                          Attribute::range("n", 0, 9), Attribute::categorical("r", {"u", "v", "w"})});
  const auto form = [&](const std::string& text) { return analyse(tests::parse(schema, text), schema, work()); };
  const auto is_constant = [&](const std::string& text, bool value) {
    const QueryForm f = form(text);
    return std::holds_alternative<bool>(f) && std::get<bool>(f) == value;
  };
  const auto is = [&](const std::string& text, const Predicate& predicate) {
    const QueryForm f = form(text);
    return std::holds_alternative<Predicate>(f) && std::get<Predicate>(f) == predicate;
  };
  CHECK(is_constant("a or not a", true));
  CHECK(is_constant("n in {} and b", false));
  CHECK(is_constant("a and b and not a", false));
  CHECK(is_constant("at_least(0, a and b)", true));
  CHECK(is_constant("at_least(3, a, b)", false));
  CHECK(is_constant("2*a + 3*b >= 0", true));
  CHECK(is_constant("2*a + 3*n >= 30", false));
  CHECK(is_constant("decision_list(a: yes, not a: yes, b: no, else: no)", true));
  CHECK(is("a and (b or not b)", {0, {{1, 1}}}));
  CHECK(is("(n < 3 or n > 7) and not n = 9", {3, {{0, 2}, {8, 8}}}));
  CHECK(is("decision_list(n < 2: yes, n < 5: no, n != 7: yes, else: no)", {3, {{0, 1}, {5, 6}, {8, 9}}}));
  CHECK(is("decision_list(a: yes, b: no, else: no)", {0, {{1, 1}}}));
  CHECK(is("at_least(2, n >= 3, n >= 5, n >= 7)", {3, {{5, 9}}}));
  CHECK(std::holds_alternative<PredicateList>(form("at_least(2, a, b)")));
  CHECK(std::holds_alternative<PredicateList>(form("a + b + c >= 3")));
  CHECK(std::holds_alternative<PredicateList>(form("a and (b or c or n > 2)")));
  CHECK(
      std::holds_alternative<PredicateList>(form("decision_list(a or b: yes, c: no, n = 3 and r = u: yes, else: no)")));
  CHECK(std::holds_alternative<PredicateThreshold>(form("not at_least(2, a, b, r in {u, v})")));
  CHECK(std::holds_alternative<Unstructured>(form("(a and b) or (c and n > 2)")));
  // Divided by 2 the condition is 3a + 2(9-n) + b >= ⌈(36-5)/2⌉, where n is at most 9.
  const auto threshold = std::get<PredicateThreshold>(form("6*a - 4*n + 2*b >= -5"));
  CHECK(threshold.bound == 16);
  CHECK(threshold.terms.front().weight == std::vector<std::uint64_t>{0, 3});
  CHECK(threshold.terms.back().weight.front() == 18);
}

TEST_CASE("values that a query does not tell apart are enumerated once") {
  const Schema schema = tests::schema_of(
      {Attribute::range("n", 0, 9999), Attribute::range("m", 0, 9999), Attribute::range("l", 0, 9999)});
  // There are 10^12 combinations of values, but only 4·2·2 combinations of cells.
  const Query query = tests::parse(schema, "(n in {1..10, 500..600} and m > 17) or (n in {3..5, 700} and l = 3)");
  const auto enumeration = Enumeration::create(query, schema, work());
  REQUIRE(enumeration);
  // The share p = 111/10^4 of n is in the first set, q = 4/10^4 in the second, and 3/10^4 in both. u = 9982/10^4 and w
  // = 10^-4 are the shares of the other conditions. So Pr[f] = Pr[n in the first only]·u + Pr[n in both]·(1-(1-u)(1-w))
  // + Pr[n in the second only]·w.
  const double u = 0.9982;
  const double w = 1e-4;
  const double total = 108e-4 * u + 3e-4 * (1 - (1 - u) * (1 - w)) + 1e-4 * w;
  const ClassLaws laws = enumeration->laws(work());
  CHECK(laws[0].probability[1][2] == doctest::Approx(1e-4 * u / total).epsilon(1e-13));
  CHECK(laws[0].probability[1][4] == doctest::Approx(1e-4 * (1 - (1 - u) * (1 - w)) / total).epsilon(1e-13));
  CHECK(laws[0].probability[1][700] == doctest::Approx(1e-4 * w / total).epsilon(1e-13));
  CHECK(laws[0].probability[1][999] == 0);
  const Schema wide = booleans(23);
  std::string text;
  for (int i = 0; i < 22; i += 2) {
    text += "(x" + std::to_string(i) + " and x" + std::to_string(i + 1) + ") or ";
  }
  CHECK_FALSE(Enumeration::create(tests::parse(wide, "not (" + text + "(x22 and x0))"), wide, work()));
}

TEST_CASE("at_least(50 of 100) agrees with the closed form") {
  const Schema schema = booleans(100);
  const auto threshold =
      form_of<PredicateThreshold>(tests::parse(schema, "at_least(50, " + repeated(100, ", ") + ")"), schema);
  const auto source = ThresholdLaws::create(threshold, work());
  REQUIRE(source);
  // Pr[f=1, x_0=1] = Pr[x_0=1]·Pr[at least 49 of the other 99].
  long double tail = 0;
  for (unsigned i = 50; i <= 100; ++i) tail += binomial(100, i);
  long double rest = 0;
  for (unsigned i = 49; i <= 99; ++i) rest += binomial(99, i);
  const ClassLaws laws = source->laws(work());
  REQUIRE(laws.size() == 100);
  const auto in1 = static_cast<double>(rest / tail);
  const auto in0 = static_cast<double>((std::exp2(99.0L) - rest) / (std::exp2(100.0L) - tail));
  for (const AttributeLaw& law : laws) {
    CHECK(law.probability[1][1] == doctest::Approx(in1).epsilon(1e-14));
    CHECK(law.probability[0][1] == doctest::Approx(in0).epsilon(1e-14));
  }
  // Within a class the sum of the booleans has a truncated binomial law.
  std::vector<AttributeScore> scores;
  for (std::uint32_t i = 0; i < 100; ++i) scores.push_back({i, {0, 1}});
  const ScoreMoments moments = source->moments(scores, work());
  long double mean = 0;
  long double square = 0;
  for (unsigned i = 50; i <= 100; ++i) {
    mean += i * binomial(100, i) / tail;
    square += static_cast<long double>(i) * i * binomial(100, i) / tail;
  }
  CHECK(moments.mean[1] == doctest::Approx(static_cast<double>(mean)).epsilon(1e-13));
  CHECK(moments.variance[1] == doctest::Approx(static_cast<double>(square - mean * mean)).epsilon(1e-11));
}

TEST_CASE("the probability of a conjunction may be too small for a double") {
  const Schema schema = booleans(4096);
  const auto list = form_of<PredicateList>(tests::parse(schema, repeated(4096, " and ")), schema);
  const ListLaws source(list, schema, work());
  const ClassLaws laws = source.laws(work());
  REQUIRE(laws.size() == 4096);
  std::vector<AttributeScore> scores;
  for (const AttributeLaw& law : laws) {
    CHECK(law.probability[1][1] == 1);
    CHECK(law.probability[0][1] == 0.5);  // the exact value differs by about 2^-4097
    scores.push_back({law.attribute, {-1, 1}});
  }
  const ScoreMoments moments = source.moments(scores, work());
  CHECK(moments.mean[1] == 4096);
  CHECK(moments.variance[1] == 0);
  CHECK(std::abs(moments.mean[0]) < 1e-9);
  CHECK(moments.variance[0] == doctest::Approx(4096).epsilon(1e-9));
}

TEST_CASE("a threshold has the right law even if only a share of about 2^-4000 of the records reaches it") {
  const Schema schema = booleans(4096);
  // Without x0 the sum is below the threshold. With x0, at most one other boolean may be false.
  const auto threshold = form_of<PredicateThreshold>(
      tests::parse(schema, "2*x0 + " + repeated(4096, " + ").substr(5) + " >= 4096"), schema);
  const auto source = ThresholdLaws::create(threshold, work());
  REQUIRE(source);
  const ClassLaws laws = source->laws(work());
  // 1 + 4095 records reach the threshold, all with x0. In one of these records x1 is false.
  CHECK(laws[0].probability[1][1] == 1);
  CHECK(laws[1].probability[1][0] == doctest::Approx(1.0 / 4096).epsilon(1e-12));
}
