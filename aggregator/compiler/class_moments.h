// Means and covariances of the literals within a query's two classes. Tests of the average-case assumption compare them
// with the reports.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregator/compiler/model.h"
#include "common/arrangement/literals.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

struct ClassMoments {
  // The coordinates of the attributes that the moments cover, ascending. Under the uniform reference these are the
  // attributes that the query depends on; all others are uniform, and independent of these and of the query. With a
  // sample of records these are all attributes, or the query's own if all would be too many.
  std::vector<std::uint32_t> coordinates;
  std::vector<std::uint32_t> attributes;
  // The elements of `coordinates` that belong to attributes which the query depends on.
  std::vector<std::uint32_t> of_query;
  // E[a_j | f=b] for each element of `coordinates`.
  std::array<std::vector<double>, 2> mean;
  // Cov[a_i, a_j | f=b]: a square matrix, row by row.
  std::array<std::vector<double>, 2> covariance;
  // How many records of class b the moments average over; 0 if the means are exact.
  std::array<std::uint32_t, 2> members{0, 0};

  double covariance_of(bool b, std::size_t i, std::size_t j) const {
    return covariance[b ? 1 : 0][i * coordinates.size() + j];
  }
};

// Returns Cov[a_i, a_j] of two coordinates of one attribute, where i is before j, or `same` says that i is j. The
// covariance follows from the means: indicators exclude each other, and of two thermometer coordinates the later
// implies the earlier.
double literal_covariance(AttributeKind kind, double mean_i, double mean_j, bool same);

// With more coordinates the matrices would be too large.
inline constexpr std::size_t kMaxMomentCoordinates = 1024;

// Computes the moments. Under the uniform reference the means are those of the compiled query: exact where the study
// knows them. The covariances are exact if they take at most 2^29 steps; otherwise they average over 2^17 uniform
// records drawn by the study's key. With a sample of records as the reference, all moments average over the whole
// sample.
//
// Errors: kInvalidArgument (a query on at most one attribute, which assumes nothing about the reporters),
// kLimitExceeded (more than kMaxMomentCoordinates coordinates, or too many to average over), kClassTooRare (a class has
// fewer than 32 sampled members, or fewer than 64 in a sample of records). Throws WorkStopped. Cost: up to seconds,
// within the budget of the work. Thread-safe.
Result<ClassMoments> class_moments(const Study& study, const Schema& schema, const Literals& literals, Work& work);

}  // namespace hearsay::compiler
