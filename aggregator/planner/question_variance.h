// Computes the variances of estimates (ReportVariance) for `sampled` on `characters`, if reports answer other questions
// than parities of one bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/planner/people.h"
#include "aggregator/planner/report_variance.h"
#include "aggregator/planner/set_prices.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Computes the variance of one query's estimate. The query must have terms (compiler/linear_query.h). The task and the
// query must outlive this object.
class QuestionVariance {
 public:
  // The query must be compiled for the task. The constructor computes the second moments (answer_moments.h) of each
  // pair of functions of one attribute. If the moments are bounds, the constructor computes only the bounds for single
  // functions.
  QuestionVariance(const Task& task, const compiler::LinearQuery& linear);

  // Returns the largest variances over populations. Returns only bounds if the moments are bounds, or if there are more
  // than about 2^27 combinations of values, terms and sets of attributes.
  ReportVariance worst() const;
  // Returns the variance of the error against the mean among the reporters, in one population. parts[i] is the fraction
  // of people with the record records[i]. If the moments are bounds, the result is a bound, too.
  double among(std::span<const Record> records, std::span<const double> parts) const;

 private:
  // One attribute's functions g, one for each term that has the attribute. h, M and μ are those of
  // aggregator/compiler/question_law.h, and D is that of question_variance.cc.
  struct Axis {
    std::uint32_t attribute;
    std::vector<std::int32_t> part_of;            // by term: the number of the term's function, or -1
    std::vector<double> means;                    // μ
    std::vector<double> largest;                  // the largest |score|
    std::vector<std::vector<double>> deviations;  // g - μ at each value
    std::vector<double> energies;  // for each pair of functions: the product of one's h and the other's M·h
    std::vector<std::vector<double>>
        moments;  // for each pair: D at each value, or one number if all values have the same D

    std::size_t functions() const { return means.size(); }
    std::size_t pair(std::size_t term, std::size_t other) const {
      return static_cast<std::size_t>(part_of[term]) * functions() + static_cast<std::size_t>(part_of[other]);
    }
    double deviation(std::size_t term, std::uint32_t value) const {
      return deviations[static_cast<std::size_t>(part_of[term])][value];
    }
    double moment(std::size_t pair, std::uint32_t value) const {
      return moments[pair].size() == 1 ? moments[pair].front() : moments[pair][value];
    }
  };
  // The coefficient of one term in f_T: the term's factor times the means of its functions outside of T.
  struct OnSet {
    std::size_t term;
    double coefficient;
  };

  void add_axis(const Task& task, std::uint32_t attribute);
  void add_sets();
  std::vector<std::uint32_t> telling_values(const Axis& axis) const;
  double average() const;
  double influence() const;
  double noise() const;
  double energy(std::size_t s) const;
  double part_at(std::size_t s, std::span<const std::uint32_t> values) const;
  double signal_at(std::span<const std::uint32_t> values) const;
  double product_at(std::size_t s, std::size_t u, std::span<const std::uint32_t> values) const;
  double signal_bound() const;
  double work_per_kind() const;
  std::vector<double> mean_prices() const;
  void add_kind(std::span<const std::uint32_t> values, double second, People& people) const;

  const compiler::LinearQuery& linear_;
  std::vector<Axis> axes_;
  std::vector<std::uint32_t> attributes_;
  SetPrices prices_;
  std::vector<std::uint32_t> sets_;          // the sets T with f_T not 0 (question_variance.cc), as masks over axes_
  std::vector<std::vector<OnSet>> on_sets_;  // for each element of sets_
  // One number for each pair of sets, in the lower triangle. If the two sets differ, the number counts the pair twice.
  std::vector<double> signals_;
  bool moments_exact_ = true;
  // False if some attribute has several functions, and its moments are bounds.
  bool pairs_exact_ = true;
};

}  // namespace hearsay::planner
