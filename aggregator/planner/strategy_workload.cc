#include "aggregator/planner/strategy_workload.h"

#include <cstdint>
#include <span>
#include <utility>

#include "common/base/try.h"
#include "common/channel/strategy.h"
#include "common/schema/names.h"
#include "common/schema/universe.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMostQueries = std::size_t{1} << 16U;
constexpr std::size_t kMostWorkloadNumbers = std::size_t{1} << 24U;

struct NamedFactor {
  std::vector<double> values;
  std::string name;
};

std::string at_least(const Attribute& attribute, std::uint32_t t) {
  return shown_name(attribute.name()) + " >= " + std::to_string(attribute.min() + std::int64_t{t});
}

NamedFactor interval(const Attribute& attribute, std::uint32_t low, std::uint32_t high) {
  NamedFactor factor{std::vector<double>(attribute.size(), 0), {}};
  for (std::uint32_t value = low; value <= high; ++value) factor.values[value] = 1;
  const std::string upper =
      shown_name(attribute.name()) + " <= " + std::to_string(attribute.min() + std::int64_t{high});
  factor.name = low == 0 ? upper : at_least(attribute, low) + (high + 1 == attribute.size() ? "" : " and " + upper);
  return factor;
}

// Returns all ranges except the range of all values.
std::vector<NamedFactor> interval_factors(const Attribute& attribute) {
  std::vector<NamedFactor> factors;
  for (std::uint32_t low = 0; low < attribute.size(); ++low) {
    for (std::uint32_t high = low; high < attribute.size(); ++high) {
      if (low > 0 || high + 1 < attribute.size()) factors.push_back(interval(attribute, low, high));
    }
  }
  return factors;
}

std::vector<NamedFactor> prefix_factors(const Attribute& attribute) {
  std::vector<NamedFactor> factors;
  for (std::uint32_t high = 0; high + 1 < attribute.size(); ++high) factors.push_back(interval(attribute, 0, high));
  return factors;
}

NamedFactor negation(NamedFactor factor) {
  for (double& value : factor.values) value = 1 - value;
  factor.name = "not (" + factor.name + ")";
  return factor;
}

std::vector<NamedFactor> literal_factors(const Attribute& attribute) {
  std::vector<NamedFactor> factors;
  if (attribute.kind() == AttributeKind::kRange) {
    for (std::uint32_t t = 1; t < attribute.size(); ++t)
      factors.push_back(interval(attribute, t, attribute.size() - 1));
  } else {
    const bool boolean = attribute.kind() == AttributeKind::kBoolean;
    for (std::uint32_t value = boolean ? 1 : 0; value < attribute.size(); ++value) {
      NamedFactor factor{std::vector<double>(attribute.size(), 0), shown_name(attribute.name())};
      factor.values[value] = 1;
      if (!boolean) factor.name += " = " + attribute.value_text(value);
      factors.push_back(std::move(factor));
    }
  }
  const std::size_t plain = factors.size();
  for (std::size_t i = 0; i < plain; ++i) factors.push_back(negation(factors[i]));
  return factors;
}

class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(const Schema& schema) : schema_(schema), records_(universe_of(schema)) {}

  Result<void> add(const Workload& workload, double weight) {
    weight_ = weight;
    if (const auto* queries = std::get_if<std::vector<Query>>(&workload)) return add_list(*queries);
    if (const auto* all = std::get_if<Conjunctions>(&workload))
      return add_products(all->literals, literal_factors, false);
    if (const auto* boxes = std::get_if<Boxes>(&workload)) return add_products(boxes->ranges, interval_factors, true);
    if (std::holds_alternative<Ranges>(workload)) return add_products(1, interval_factors, true);
    if (std::holds_alternative<Prefixes>(workload)) return add_products(1, prefix_factors, true);
    if (std::holds_alternative<Means>(workload)) return add_products(1, mean_factors, true);
    return Error{ErrorCode::kUnsupported,
                 "a strategy is made for queries that can be listed: list queries, or ask for conjunctions, ranges, "
                 "prefixes, boxes or means"};
  }

  ExplicitWorkload finish() && {
    ExplicitWorkload result;
    result.functions.resize(static_cast<Eigen::Index>(records_.size()), static_cast<Eigen::Index>(columns_.size()));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t x = 0; x < records_.size(); ++x) {
        result.functions(static_cast<Eigen::Index>(x), static_cast<Eigen::Index>(i)) = columns_[i][x];
      }
    }
    result.counts.assign(weights_.size(), 1);
    result.weights = std::move(weights_);
    result.names = std::move(names_);
    return result;
  }

 private:
  static std::vector<NamedFactor> mean_factors(const Attribute& attribute) {
    NamedFactor factor{{}, "mean of " + shown_name(attribute.name())};
    for (std::uint32_t v = 0; v < attribute.size(); ++v) factor.values.push_back(v / (attribute.size() - 1.0));
    return {std::move(factor)};
  }

  Result<void> add_column(std::vector<double> column, std::string name) {
    if (columns_.size() >= kMostQueries || (columns_.size() + 1) * records_.size() > kMostWorkloadNumbers) {
      return Error{ErrorCode::kLimitExceeded,
                   "the workload has too many queries to make a strategy for: plan for "
                   "fewer values or attributes, or a list of queries"};
    }
    columns_.push_back(std::move(column));
    weights_.push_back(weight_);
    names_.push_back(std::move(name));
    return {};
  }

  Result<void> add_list(const std::vector<Query>& queries) {
    for (const Query& query : queries) {
      std::vector<double> column;
      for (const Record& record : records_) column.push_back(query.evaluate(record) ? 1 : 0);
      HEARSAY_CHECK_OK(add_column(std::move(column), query.as_written(schema_)));
    }
    return {};
  }

  // Adds all products of 1 to `most` factors, each of a different attribute.
  template <class FactorsOf>
  Result<void> add_products(std::uint32_t most, const FactorsOf& factors_of, bool of_ranges) {
    std::vector<std::vector<NamedFactor>> factors(schema_.size());
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const bool counts = !of_ranges || (schema_[i].kind() == AttributeKind::kRange && schema_[i].size() > 1);
      if (counts) factors[i] = factors_of(schema_[i]);
    }
    return extend(factors, 0, most, std::vector<double>(records_.size(), 1), "");
  }

  Result<void> extend(const std::vector<std::vector<NamedFactor>>& factors, std::size_t from, std::uint32_t left,
                      const std::vector<double>& column, const std::string& name) {
    if (left == 0) return {};
    for (std::size_t i = from; i < factors.size(); ++i) {
      for (const NamedFactor& factor : factors[i]) {
        std::vector<double> product = column;
        for (std::size_t x = 0; x < product.size(); ++x) product[x] *= factor.values[records_[x][i]];
        const std::string together = name.empty() ? factor.name : name + " and " + factor.name;
        HEARSAY_CHECK_OK(extend(factors, i + 1, left - 1, product, together));
        HEARSAY_CHECK_OK(add_column(std::move(product), together));
      }
    }
    return {};
  }

  const Schema& schema_;
  std::vector<Record> records_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> weights_;
  std::vector<std::string> names_;
  double weight_ = 1;
};

}  // namespace

Result<ExplicitWorkload> explicit_workload(const Workload& workload, const Schema& schema) {
  HEARSAY_TRY(const std::vector<Query> checked, representatives(workload, schema));
  const std::uint64_t universe = schema.universe_size().value_or(StrategyChannel::kMaxRecords + 1);
  if (universe > StrategyChannel::kMaxRecords) {
    return Error{ErrorCode::kLimitExceeded, "a strategy takes schemas of at most " +
                                                std::to_string(StrategyChannel::kMaxRecords) +
                                                " records: plan for fewer attributes, or fewer values of each"};
  }
  WorkloadBuilder builder(schema);
  for (const Mixture::Part& part : parts_of(workload)) HEARSAY_CHECK_OK(builder.add(part.workload, part.weight));
  ExplicitWorkload result = std::move(builder).finish();
  if (result.weights.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the workload has no query that tells records of this schema apart"};
  }
  return result;
}

}  // namespace hearsay::planner
