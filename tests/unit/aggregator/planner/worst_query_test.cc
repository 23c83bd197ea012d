// Compares the claims of `design` about a class with all queries of the class. The populations are single records,
// pairs of records in steps of a fifth, and populations that an ascent finds. On literals, whole classes take the place
// of the records.
#include "aggregator/planner/worst_query.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/planner/class_bound.h"
#include "aggregator/planner/group_weights.h"
#include "common/channel/channel.h"
#include "tests/support/group_law.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

Query on_records(const std::vector<Record>& records, std::uint64_t chosen,
                 const std::vector<std::uint32_t>& attributes) {
  std::vector<Query> any;
  for (std::size_t x = 0; x < records.size(); ++x) {
    if ((chosen >> x & 1U) == 0) continue;
    std::vector<Query> all;
    for (const std::uint32_t i : attributes)
      all.push_back(Query(query::Membership{i, {{records[x][i], records[x][i]}}}));
    any.push_back(all.size() == 1 ? all.front() : Query(query::And{all}));
  }
  return any.size() == 1 ? any.front() : Query(query::Or{any});
}

// Appends all functions of these attributes, up to negation and without the constants.
void add_functions(const Schema& schema, const std::vector<std::uint32_t>& attributes, std::vector<Query>& out) {
  std::vector<Record> cells;
  for (const Record& record : tests::all_records(schema)) {
    bool first = true;
    for (std::uint32_t i = 0; i < schema.size(); ++i) {
      first = first && (record[i] == 0 || std::count(attributes.begin(), attributes.end(), i) > 0);
    }
    if (first) cells.push_back(record);
  }
  for (std::uint64_t f = 2; f < std::uint64_t{1} << cells.size(); f += 2)
    out.push_back(on_records(cells, f, attributes));
}

std::vector<Query> literals_of(const Schema& schema, std::uint32_t i) {
  std::vector<Query> list;
  const std::uint32_t size = schema[i].size();
  for (std::uint32_t v = 0; v < size; ++v) {
    ValueSet values;
    if (schema[i].kind() == AttributeKind::kRange) {
      if (v == 0) continue;
      values = {{v, size - 1}};
    } else {
      values = {{v, v}};
    }
    const Query literal(query::Membership{i, values});
    list.push_back(literal);
    list.push_back(Query(query::Not{std::make_shared<const Query>(literal)}));
  }
  return list;
}

std::vector<Query> all_of_class(const Workload& workload, const Schema& schema) {
  std::vector<Query> queries;
  const std::uint32_t most = order_of(workload);
  for (std::uint32_t set = 1; set < 1U << schema.size(); ++set) {
    std::vector<std::uint32_t> attributes;
    for (std::uint32_t i = 0; i < schema.size(); ++i) {
      if ((set >> i & 1U) != 0) attributes.push_back(i);
    }
    if (attributes.size() > most) continue;
    if (std::holds_alternative<Functions>(workload)) {
      add_functions(schema, attributes, queries);
      continue;
    }
    std::vector<std::vector<Query>> products{{}};
    for (const std::uint32_t i : attributes) {
      std::vector<std::vector<Query>> longer;
      for (const auto& product : products) {
        for (const Query& literal : literals_of(schema, i)) {
          longer.push_back(product);
          longer.back().push_back(literal);
        }
      }
      products = std::move(longer);
    }
    for (auto& product : products)
      queries.push_back(product.size() == 1 ? product.front() : Query(query::And{product}));
  }
  return queries;
}

// A vertex is a record, or all records of a class if the guarantee is average-case. For each vertex and group, Moments
// has the mean and the mean square of a report's contribution. All populations that the test tries are mixtures of
// vertices.
struct Moments {
  std::vector<double> probability;
  std::vector<std::vector<double>> mean;    // [vertex][group]
  std::vector<std::vector<double>> square;  // [vertex][group]
  std::vector<double> omega;                // the fraction at each vertex
};

double probability_of(const Task& task, const SampledChannel& channel, std::uint64_t group) {
  return static_cast<double>(channel.class_of(group).weight) / static_cast<double>(channel.total_weight()) *
         tests::chance_within_class(task.schema(), std::get<SampledSpec>(task.spec().channel), channel, group);
}

Moments moments_of(const Task& task, const Query& query, const compiler::LinearQuery& linear,
                   const std::vector<Record>& universe) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const bool any = linear.guarantee == compiler::Guarantee::kWorstCase;
  const std::size_t vertices = any ? universe.size() : 2;
  const auto pick = [&](std::uint64_t group) { return probability_of(task, channel, group); };
  std::vector<double> information(channel.dimension(), 0.0);
  std::vector<double> weight(channel.dimension(), 0.0);
  for (const auto& w : linear.weights) weight[w.coordinate] = w.value;
  std::vector<SampledChannel::Covered> covered;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const auto& group_class = channel.class_of(group);
    channel.covered(group, covered);
    for (const auto& c : covered) information[c.coordinate] += pick(group) * std::pow(channel.gamma(group_class), 2);
  }
  std::vector<double> people(vertices, 0.0);
  for (const Record& record : universe) people[any ? 0 : (query.evaluate(record) ? 1 : 0)] += 1;
  Moments result{{}, std::vector(vertices, std::vector<double>(channel.groups())), {}, std::vector<double>(vertices)};
  result.square = result.mean;
  for (std::size_t x = 0; x < universe.size(); ++x) {
    const bool satisfied = query.evaluate(universe[x]);
    result.omega[any ? x : (satisfied ? 1 : 0)] = satisfied ? 1 : 0;
  }
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const auto& group_class = channel.class_of(group);
    result.probability.push_back(pick(group));
    const double gamma = channel.gamma(group_class);
    const auto answers = std::uint32_t{1} << group_class.width;
    channel.covered(group, covered);
    for (std::uint32_t answer = 0; answer < answers; ++answer) {
      double phi = 0;
      for (const auto& c : covered) {
        const int sign = __builtin_popcount(answer & c.answer_mask) % 2 == 0 ? 1 : -1;
        phi += gamma * sign * weight[c.coordinate] / information[c.coordinate];
      }
      for (std::size_t x = 0; x < universe.size(); ++x) {
        const std::size_t vertex = any ? x : (query.evaluate(universe[x]) ? 1 : 0);
        double part = (1 - gamma) / answers + (channel.true_value(group, universe[x]) == answer ? gamma : 0);
        if (!any) part /= people[vertex];
        result.mean[vertex][group] += part * phi;
        result.square[vertex][group] += part * phi * phi;
      }
    }
  }
  return result;
}

// Returns the variance of the estimate times the number of people in a mixture of vertices, minus a share of ω(1-ω).
// `slopes` gets the derivative towards each vertex, up to a constant.
double variance(const Moments& moments, const std::vector<double>& parts, double share,
                std::vector<double>* slopes = nullptr) {
  double omega = 0;
  std::vector<std::size_t> present;
  for (std::size_t v = 0; v < parts.size(); ++v) {
    omega += parts[v] * moments.omega[v];
    if (parts[v] > 0) present.push_back(v);
  }
  double sum = -share * omega * (1 - omega);
  if (slopes != nullptr) slopes->assign(parts.size(), 0.0);
  for (std::size_t v = 0; slopes != nullptr && v < parts.size(); ++v) {
    (*slopes)[v] = -share * (1 - 2 * omega) * moments.omega[v];
  }
  for (std::size_t g = 0; g < moments.probability.size(); ++g) {
    double mean = 0;
    double square = 0;
    for (const std::size_t v : present) {
      mean += parts[v] * moments.mean[v][g];
      square += parts[v] * moments.square[v][g];
    }
    sum += moments.probability[g] * (square - mean * mean);
    for (std::size_t v = 0; slopes != nullptr && v < parts.size(); ++v) {
      (*slopes)[v] += moments.probability[g] * (moments.square[v][g] - 2 * mean * moments.mean[v][g]);
    }
  }
  return sum;
}

double largest_on_grid(const Moments& moments, double share) {
  double largest = 0;
  const std::size_t count = moments.omega.size();
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a; b < count; ++b) {
      for (int tenths = a == b ? 10 : 1; tenths <= (a == b ? 10 : 9); tenths += 2) {
        std::vector<double> parts(count, 0.0);
        parts[a] += tenths / 10.0;
        parts[b] += 1 - tenths / 10.0;
        largest = std::max(largest, variance(moments, parts, share));
      }
    }
  }
  return largest;
}

// Maximises the variance by conditional gradients.
double largest_by_ascent(const Moments& moments, double share, int steps) {
  const std::size_t count = moments.omega.size();
  std::vector<double> parts(count, 1.0 / static_cast<double>(count));
  std::vector<double> slopes;
  double largest = 0;
  for (int k = 0; k < steps; ++k) {
    largest = std::max(largest, variance(moments, parts, share, &slopes));
    const auto best = static_cast<std::size_t>(std::max_element(slopes.begin(), slopes.end()) - slopes.begin());
    const double step = 2.0 / (k + 8);
    for (double& part : parts) part *= 1 - step;
    parts[best] += step;
  }
  return largest;
}

std::vector<Task> tasks_of(const std::string& shape, const char* epsilon, const Workload& workload) {
  const Schema schema = tests::schema_of(shape);
  const std::uint32_t order = order_of(workload);
  std::vector<Task> tasks;
  const auto planner =
      GroupPlanner::create(schema, order, Epsilon::parse(epsilon).value(), representatives(workload, schema).value());
  for (const SetChoice sets : {SetChoice::kAll, SetChoice::kByMasks}) {
    tasks.push_back(
        tests::task_over(shape, epsilon, CharactersSpec{order}, planner->plan(GroupChoice::kAll, sets).value()));
  }
  SampledSpec mixed{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 3}}};
  if (schema.size() > 2) mixed.groups.push_back({GroupKind::kRaw, 3, 2});
  tasks.push_back(tests::task_over(shape, epsilon, CharactersSpec{order}, mixed));
  if (std::holds_alternative<Functions>(workload) && order > 1) return tasks;
  for (const std::uint32_t m : {1U, 2U, 3U}) {
    tasks.push_back(tests::task_over(shape, epsilon, LiteralsSpec{}, SampledSpec{.groups = {}, .group_size = m}));
  }
  return tasks;
}

Result<WorstQuery> claimed(const Task& task, const Workload& workload) {
  const auto* conjunctions = std::get_if<Conjunctions>(&workload);
  const auto parts = conjunctions != nullptr
                         ? class_parts(*conjunctions, task.schema(), symmetry_of(task))
                         : class_parts(std::get<Functions>(workload), task.schema(), symmetry_of(task));
  return worst_query(task, workload, parts.value());
}

struct Case {
  const char* shape;
  Workload workload;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"b b", Functions{2}},        {"b b b", Functions{3}}, {"r5 r4", Conjunctions{2}}, {"r5 r4", Functions{1}},
      {"c3 b r3", Conjunctions{3}}, {"c3 b", Functions{2}},  {"c5 b b", Conjunctions{2}}};
  return kCases;
}

TEST_CASE("no query of a class exceeds the claim in any population, and one query attains it") {
  for (const Case& c : cases()) {
    for (const char* epsilon : {"1", "4", "8"}) {
      const Schema schema = tests::schema_of(c.shape);
      const std::vector<Query> queries = all_of_class(c.workload, schema);
      const std::vector<Record> universe = tests::all_records(schema);
      for (const Task& task : tasks_of(c.shape, epsilon, c.workload)) {
        const WorstQuery worst = claimed(task, c.workload).value();
        const std::string task_text = std::string(c.shape) + " " + describe(c.workload) + " " + task.canonical_json();
        CAPTURE(task_text);
        CHECK(worst.variance.exact);
        double drawn = 0;
        double among = 0;
        const Query* hardest = nullptr;
        const Query* hardest_among = nullptr;
        for (const Query& query : queries) {
          compiler::Work work;
          const compiler::LinearQuery linear = compiler::compile(task, query, work).value().linear;
          const Moments moments = moments_of(task, query, linear, universe);
          const double of_drawn = std::max(largest_on_grid(moments, 0), largest_by_ascent(moments, 0, 24));
          const double of_among = std::max(largest_on_grid(moments, 1), largest_by_ascent(moments, 1, 24));
          if (of_drawn > drawn) hardest = &query;
          if (of_among > among) hardest_among = &query;
          drawn = std::max(drawn, of_drawn);
          among = std::max(among, of_among);
        }
        const auto longer = [&](const Query& query, double share) {
          compiler::Work work;
          const compiler::LinearQuery linear = compiler::compile(task, query, work).value().linear;
          return largest_by_ascent(moments_of(task, query, linear, universe), share, 3000);
        };
        drawn = std::max(drawn, longer(*hardest, 0));
        among = std::max(among, longer(*hardest_among, 1));
        CHECK(drawn <= worst.variance.worst * (1 + 1e-9));
        CHECK(drawn >= worst.variance.worst * (1 - 5e-3));
        CHECK(among <= worst.variance.worst_among_reporters * (1 + 1e-9));
        CHECK(among >= worst.variance.worst_among_reporters * (1 - 5e-3) - 2e-4 * worst.variance.average);
      }
    }
  }
}

TEST_CASE("if a class is too large to try, the bound is at least the cost of the worst query") {
  for (const Case& c : cases()) {
    for (const char* epsilon : {"1", "4", "8"}) {
      std::vector<Task> tasks = tasks_of(c.shape, epsilon, c.workload);
      tasks.push_back(tests::task_over(c.shape, epsilon, CharactersSpec{order_of(c.workload)}, LaplaceSpec{}));
      if (!std::holds_alternative<Functions>(c.workload) || order_of(c.workload) == 1) {
        tasks.push_back(tests::task_over(c.shape, epsilon, LiteralsSpec{}, LaplaceSpec{}));
      }
      for (const Task& task : tasks) {
        const std::string task_text = std::string(c.shape) + " " + describe(c.workload) + " " + task.canonical_json();
        CAPTURE(task_text);
        const auto* conjunctions = std::get_if<Conjunctions>(&c.workload);
        const auto parts = conjunctions != nullptr
                               ? class_parts(*conjunctions, task.schema(), symmetry_of(task))
                               : class_parts(std::get<Functions>(c.workload), task.schema(), symmetry_of(task));
        for (const ClassPart& part : *parts) {
          const ReportVariance bound =
              conjunctions != nullptr ? class_bound(task, *conjunctions, part.attributes).value()
                                      : class_bound(task, std::get<Functions>(c.workload), part.attributes).value();
          const WorstQuery worst = worst_query(task, c.workload, {part}).value();
          CHECK_FALSE(bound.exact);
          CHECK(bound.worst >= worst.variance.worst * (1 - 1e-4));
          CHECK(bound.worst_among_reporters >= worst.variance.worst_among_reporters * (1 - 1e-4));
          CHECK(bound.influence >= worst.variance.influence * (1 - 1e-9));
          CHECK(bound.worst < 12 * worst.variance.worst);
        }
      }
    }
  }
}

WorkloadPlan planned_groups(const std::string& shape, const char* epsilon, const Workload& workload) {
  const auto list = candidates(tests::spec_over(shape, epsilon), workload, {0.01, 0.05}).value();
  const auto groups = std::find_if(list.begin(), list.end(), [](const Candidate& candidate) {
    return candidate.name == "characters, planned groups";
  });
  return groups->plan.value();
}

TEST_CASE("the worst query need not be the exclusive or, nor an extreme or middle threshold") {
  const WorkloadPlan ranges = planned_groups("r16 r16 r16 r16", "1", Conjunctions{2});
  CHECK(ranges.users_worst >= 21'239'937);
  CHECK(ranges.users_worst < 21'260'000);
  CHECK_FALSE(ranges.at_most);
  const Schema schema = tests::schema_of("r16 r16 r16 r16");
  CHECK(ranges.worst_query == Query::parse(schema, "a0 >= 5 and a1 >= 5").value().to_string(schema));
  const WorkloadPlan two = planned_groups("r16 r16", "8", Conjunctions{2});
  CHECK(two.users_worst >= 742'478);
  CHECK(two.users_worst < 743'200);
  const WorkloadPlan booleans = planned_groups("b b b", "4", Functions{3});
  CHECK(booleans.users_worst >= 4'461);
  CHECK_FALSE(booleans.at_most);
  CHECK(planned_groups("b b b b b b", "1", Functions{3}).users_worst > 1'783'000);
}

TEST_CASE("if there are too many queries to try, the result is a bound and is marked as a bound") {
  const SampledSpec groups{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 3}}};
  const Task task = tests::task_over("r100 r100", "1", CharactersSpec{2}, groups);
  const WorstQuery conjunction = claimed(task, Conjunctions{2}).value();
  CHECK_FALSE(conjunction.variance.exact);
  CHECK(conjunction.query == "a bound for all queries on a0 and a1");
  // There are 41,664 triples of attributes.
  const SampledSpec pairs{.groups = {}, .group_size = 2};
  const Task literals = tests::task_over(tests::booleans(64), "1", LiteralsSpec{}, pairs);
  CHECK_FALSE(claimed(literals, Conjunctions{3}).value().variance.exact);
  const WorstQuery function = claimed(task, Functions{2}).value();
  CHECK_FALSE(function.variance.exact);
  CHECK(function.variance.worst > conjunction.variance.worst);
}

}  // namespace
}  // namespace hearsay::planner
