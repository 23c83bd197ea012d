// Tests the channel `sampled` on `literals`, whose guarantee is average-case. The databases are (f,ω,n)-random with ω
// = 0, 0.001, 0.5 and 1; ε is 0.25, 1, 4 and 8. The thresholds are those of sampled_coverage.h.
#include "tests/statistical/sampled_coverage.h"

namespace hearsay::tests {
namespace {

// Each run draws a database of `ones` records that satisfy the query and n - `ones` that do not.
Score simulate_databases(const Task& task, const std::string& text, std::uint64_t ones, std::uint64_t n) {
  const Query query = Query::parse(task.schema(), text).value();
  const compiler::LinearQuery linear = compile_query(task, query);
  const std::vector<Record> cells = all_records(task.schema());
  std::array<std::vector<double>, 2> classes;
  for (const Record& cell : cells) {
    const bool in_class = query.evaluate(cell);
    classes[1].push_back(in_class ? 1 : 0);
    classes[0].push_back(in_class ? 0 : 1);
  }
  TallySimulator simulator(task, cells);
  FastRandom random(text + " " + task.epsilon().to_string() + " " + std::to_string(ones));
  Score score(static_cast<double>(ones) / static_cast<double>(n));
  std::vector<std::uint64_t> people;
  for (std::size_t run = 0; run < kRuns; ++run) {
    people.assign(cells.size(), 0);
    multinomial(ones, classes[1], random, [&](std::size_t cell, std::uint64_t count) { people[cell] += count; });
    multinomial(n - ones, classes[0], random, [&](std::size_t cell, std::uint64_t count) { people[cell] += count; });
    score.add(estimator::estimate(task, linear, simulator.draw(people, random), 0.95).value());
  }
  return score;
}

TEST_CASE("average-case estimates from groups of literals are unbiased and their intervals cover") {
  for (const char* epsilon : {"0.25", "1", "4", "8"}) {
    const Task task = task_over("b b b", epsilon, LiteralsSpec{}, partition(2));  // the second group has one literal
    const std::uint64_t n = enough_reports(epsilon, 2);
    for (const char* text : {"a0 and not a1", "a0 or a1 or a2"}) {
      for (const std::uint64_t ones : {std::uint64_t{0}, n / 1000, n / 2, n}) {
        check_score(simulate_databases(task, text, ones, n),
                    std::string(text) + ", ε = " + epsilon + ", " + std::to_string(ones) + " of " + std::to_string(n));
      }
    }
  }
}

}  // namespace
}  // namespace hearsay::tests
