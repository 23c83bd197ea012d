// Tasks, random populations and counters that the simulations of the estimator share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/query.h"
#include "hearsay/record.h"
#include "hearsay/task.h"
#include "tests/support/bit_sources.h"

namespace hearsay::tests {

inline Task make_task(std::vector<Attribute> attributes, const std::string& epsilon,
                      LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  return Task::create(TaskSpec{.title = "simulation",
                               .schema = Schema::create(std::move(attributes)).value(),
                               .arrangement = LiteralsSpec{},
                               .channel = LaplaceSpec{calibration, {}},
                               .epsilon = Epsilon::parse(epsilon).value(),
                               .task_start = 0,
                               .task_duration = 86400,
                               .time_precision = 3600,
                               .min_batch_size = 1})
      .value();
}

inline Task boolean_task(int k, const std::string& epsilon,
                         LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  std::vector<Attribute> list;
  for (int i = 0; i < k; ++i) list.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  return make_task(std::move(list), epsilon, calibration);
}

inline Task range_task(int k, const std::string& epsilon) {
  std::vector<Attribute> list;
  for (int i = 0; i < k; ++i) list.push_back(Attribute::range("r" + std::to_string(i), 0, 3).value());
  return make_task(std::move(list), epsilon);
}

inline const LaplaceChannel& laplace(const Task& task) { return std::get<LaplaceChannel>(task.channel().kind()); }

inline compiler::LinearQuery compile_query(const Task& task, const Query& query) {
  compiler::Work work;
  return compiler::compile(task, query, work).value().linear;
}

// Uniform numbers for making populations, by the seeded generator SplitMix64 (Steele, Lea, Flood 2014).
class PopulationRandom {
 public:
  explicit PopulationRandom(std::uint64_t seed) : state_(seed) {}
  // Returns a uniform number below `n` < 2^16. The bias is at most n/2^32.
  std::uint32_t below(std::uint32_t n) {
    if (!half_) {
      state_ += 0x9e3779b97f4a7c15U;
      std::uint64_t z = state_;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word_ = z ^ (z >> 31U);
    }
    half_ = !half_;
    const std::uint64_t bits = half_ ? word_ & 0xffffffffU : word_ >> 32U;
    return static_cast<std::uint32_t>((bits * n) >> 32U);
  }

 private:
  std::uint64_t state_;
  std::uint64_t word_ = 0;
  bool half_ = false;
};

// Draws the (f,ω,n)-random database of Aldà and Simon 2014, section 2.3: ωn uniform records that satisfy f, and (1-ω)n
// uniform records that do not. Only the attributes that f touches are drawn; all others stay 0.
class RandomPopulation {
 public:
  RandomPopulation(const Task& task, const Query& query) : classes_(), dimension_(task.arrangement().dimension()) {
    const std::vector<std::uint32_t> touched = query.attributes();
    std::vector<std::uint32_t> values(task.schema().size(), 0);
    for (;;) {
      add_cell(task, query, values);
      std::size_t i = 0;
      while (i < touched.size() && ++values[touched[i]] == task.schema()[touched[i]].size()) values[touched[i++]] = 0;
      if (i == touched.size()) break;
    }
  }

  const Record& draw(bool in_class, PopulationRandom& random) const {
    const std::vector<Cell>& cells = classes_[in_class ? 1 : 0];
    return cells[random.below(static_cast<std::uint32_t>(cells.size()))].record;
  }

  // Adds Σ a(x) over a database to `sum`. The database has `ones` records that satisfy f and `zeros` that do not.
  // `sum` has at least the arrangement's dimension.
  void add_embeddings(std::uint32_t ones, std::uint32_t zeros, PopulationRandom& random,
                      std::vector<std::int64_t>& sum) {
    for (std::size_t b = 0; b < 2; ++b) {
      std::vector<Cell>& cells = classes_[b];
      const auto size = static_cast<std::uint32_t>(cells.size());
      counts_.assign(size, 0);
      const std::uint32_t members = b == 1 ? ones : zeros;
      if (size == 1) {
        counts_[0] = members;
      } else {
        for (std::uint32_t i = 0; i < members; ++i) ++counts_[random.below(size)];
      }
      for (std::uint32_t c = 0; c < size; ++c) {
        for (std::size_t j = 0; j < dimension_; ++j) sum[j] += std::int64_t{cells[c].embedding[j]} * counts_[c];
      }
    }
  }

 private:
  struct Cell {
    Record record;
    std::vector<std::int8_t> embedding;
  };

  void add_cell(const Task& task, const Query& query, const std::vector<std::uint32_t>& values) {
    Cell cell{Record::create(task.schema(), values).value(), std::vector<std::int8_t>(dimension_)};
    task.arrangement().encode(cell.record, cell.embedding);
    classes_[query.evaluate(values) ? 1 : 0].push_back(std::move(cell));
  }

  std::array<std::vector<Cell>, 2> classes_;
  std::size_t dimension_;
  std::vector<std::uint32_t> counts_;
};

// Compares the estimates of one query over many runs with the true fraction, which is the same in all runs.
class Score {
 public:
  explicit Score(double truth) : truth_(truth) {}

  void add(const estimator::Estimate& estimate) {
    const double error = estimate.value - truth_;
    ++runs_;
    errors_ += error;
    squares_ += error * error;
    widths_ += estimate.normal.high - estimate.normal.low;
    stated_ += estimate.standard_error * estimate.standard_error;
    if (estimate.normal.low <= truth_ && truth_ <= estimate.normal.high) ++covered_;
    if (estimate.guaranteed.low <= truth_ && truth_ <= estimate.guaranteed.high) ++guaranteed_;
  }

  std::uint64_t runs() const { return runs_; }
  double bias() const { return errors_ / n(); }
  double variance() const { return (squares_ - errors_ * errors_ / n()) / (n() - 1); }
  double bias_in_standard_errors() const { return bias() / std::sqrt(variance() / n()); }
  double mean_width() const { return widths_ / n(); }
  double mean_stated_variance() const { return stated_ / n(); }
  double coverage() const { return static_cast<double>(covered_) / n(); }
  double guaranteed_coverage() const { return static_cast<double>(guaranteed_) / n(); }

 private:
  double n() const { return static_cast<double>(runs_); }
  double truth_;
  std::uint64_t runs_ = 0;
  std::uint64_t covered_ = 0;
  std::uint64_t guaranteed_ = 0;
  double errors_ = 0;
  double squares_ = 0;
  double widths_ = 0;
  double stated_ = 0;
};

}  // namespace hearsay::tests
