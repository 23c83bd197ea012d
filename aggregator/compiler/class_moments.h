// Means and covariances of the literals within a query's two classes: what the average-case assumption says about the
// reports, for tests of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregator/compiler/model.h"
#include "common/arrangement/literals.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

struct ClassMoments {
  // Of the attributes below, ascending. Under the uniform reference these are the ones that the query depends on, and
  // all others are independent of the query and of these, and uniform. Of a sample they are all attributes, unless that
  // would be too many, and then the query's own.
  std::vector<std::uint32_t> coordinates;
  std::vector<std::uint32_t> attributes;
  // Those of `coordinates` that are of attributes which the query depends on.
  std::vector<std::uint32_t> of_query;
  // E[a_j | f=b], per element of `coordinates`.
  std::array<std::vector<double>, 2> mean;
  // Cov[a_i, a_j | f=b]: a square matrix, row by row.
  std::array<std::vector<double>, 2> covariance;
  // Records of class b that the moments are averages over; 0 where the means are exact.
  std::array<std::uint32_t, 2> members{0, 0};

  double covariance_of(bool b, std::size_t i, std::size_t j) const {
    return covariance[b ? 1 : 0][i * coordinates.size() + j];
  }
};

// Cov[a_i, a_j] of two coordinates of one attribute, i before j or the same, which follows from their means: indicators
// exclude each other, and of two thermometer coordinates the later implies the earlier.
double literal_covariance(AttributeKind kind, double mean_i, double mean_j, bool same);

// Beyond, the matrices would be too large.
inline constexpr std::size_t kMaxMomentCoordinates = 1024;

// Under the uniform reference the means are those of the compiled query: exact where the study knows them. The
// covariances are exact where they take at most 2^29 steps; otherwise they come from 2^17 uniform records that follow
// from the study's key. Of a sample of records, all are averages over the whole of it.
//
// Errors: kInvalidArgument (a query on one attribute or none, which assumes nothing about the reporters),
// kLimitExceeded (more than kMaxMomentCoordinates coordinates, or too many to average over), kClassTooRare (fewer than
// 32 sampled members of a class; of a sample of records, 64). Throws WorkStopped. Cost: up to seconds, within the
// budget of the work. Thread-safe.
Result<ClassMoments> class_moments(const Study& study, const Schema& schema, const Literals& literals, Work& work);

}  // namespace hearsay::compiler
