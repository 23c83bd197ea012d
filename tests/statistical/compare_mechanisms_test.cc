// What planned groups save over OUE, by simulation: 8 skewed, correlated booleans, all pairs of signed literals, ε = 1.
//
// The mean over the queries of R runs' squared errors has relative error √(2·Σs²/R), s the shares of its independent
// parts. A pair's error is a quarter of those of the constant, of two means and of one product of two. Planned groups:
// 8 means carry 43 %, 28 products 57 %, the constant nothing; so √(2·(0.43²/8 + 0.57²/28)/1400) = 0.70 %. OUE: all four
// are equal, so √(2·(0.25² + 0.5²/8 + 0.25²/28)/1400) = 1.17 %; sum-to-one, whose constant is exact, 0.92 %. Expected
// ratios are 201.5/16.8 = 12.0 and 151/16.8 = 9.0, the groups' figure being that of 2,000 users (17.7 less what the
// skewed means save). Required are 11 and 8: 6.2 errors of 1.37 % and 9 of 1.16 % away, false alarm 3e-10. Cost: about
// 5 s in a release build.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "examples/comparison/comparison.h"
#include "examples/comparison/query_class.h"
#include "examples/comparison/synthetic.h"
#include "tests/support/bit_sources.h"

namespace hearsay::examples {
namespace {

const Mechanism& named(const std::vector<Mechanism>& mechanisms, const std::string& name) {
  for (const Mechanism& mechanism : mechanisms) {
    if (mechanism.name == name) return mechanism;
  }
  throw std::out_of_range(name);
}

TEST_CASE("planned groups need 11 times fewer users than OUE and 8 times fewer than sum-to-one OUE") {
  const Population people = synthetic_population(8, 48'842, SyntheticKind::kSkewed, 1973).value();
  Setting setting{people.schema, Epsilon::parse("1").value(), conjunctions(people.schema, 2, 2).value(), {}};
  setting.workload = setting.queries;
  const auto own = own_mechanisms(setting).value();
  const auto literature = literature_mechanisms(setting);
  const std::vector<Mechanism> compared{named(own, "planned groups"), named(literature, "OUE"),
                                        named(literature, "OUE, sum-to-one")};
  tests::CounterBitSource bits("planned groups against OUE");
  PopulationGenerator made_up(1973);
  const auto scores =
      compare(setting, people, compared, {.users = 2'000, .runs = 1'400}, Randomness{bits, made_up}).value();
  for (const Score& score : scores) CHECK(score.answered == 112);
  CAPTURE(scores[0].limits_mean);
  CHECK(scores[1].limits_mean / scores[0].limits_mean >= 11);
  CHECK(scores[2].limits_mean / scores[0].limits_mean >= 8);
}

}  // namespace
}  // namespace hearsay::examples
