// Computes means and covariances of the literals within a query's two classes, the records with f = 0 and those with f
// = 1. Tests of the average-case assumption compare these moments with the reports.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregator/compiler/model.h"
#include "common/arrangement/literals.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

struct ClassMoments {
  // The attributes that the moments cover, and their coordinates, both ascending. Under the uniform reference, the
  // moments cover the attributes that the query depends on. All other attributes are then uniform, and independent of
  // the covered attributes and of the query. If the reference is a sample of records, the moments cover all attributes.
  // If all attributes together have too many coordinates, or if their moments would take more than 2^29 steps, the
  // moments cover only the query's own attributes.
  std::vector<std::uint32_t> coordinates;
  std::vector<std::uint32_t> attributes;
  // The elements of `coordinates` that belong to the query's own attributes: those on which the query depends, and
  // possibly others (attributes_of() in model.h).
  std::vector<std::uint32_t> of_query;
  // mean[b] has E[a_j | f=b] for each element j of `coordinates`.
  std::array<std::vector<double>, 2> mean;
  // covariance[b] has the square matrix Cov[a_i, a_j | f=b], row by row.
  std::array<std::vector<double>, 2> covariance;
  // members[b] is the number of records of class b that the moments average over; 0 if the means are exact.
  std::array<std::uint32_t, 2> members{0, 0};

  double covariance_of(bool b, std::size_t i, std::size_t j) const {
    return covariance[b ? 1 : 0][i * coordinates.size() + j];
  }
};

// Returns Cov[a_i, a_j] of two coordinates of one attribute, computed from their means. `same` says that i is j.
// Otherwise coordinate i must stand before coordinate j. (At most one indicator is +1. If a thermometer coordinate is
// +1, all coordinates before it are +1.)
double literal_covariance(AttributeKind kind, double mean_i, double mean_j, bool same);

// The most coordinates that the moments may cover. With more coordinates, the matrices would be too large.
inline constexpr std::size_t kMaxMomentCoordinates = 1024;

// Computes the moments. Under the uniform reference the means are exact, unless the study's model is a Sample. If the
// means are exact and exact covariances take at most 2^29 steps, the covariances are exact, too. Otherwise the
// covariances average over 2^17 uniform records, which the study's key determines. If the reference is a sample of
// records, all moments average over the whole sample.
//
// Errors: kInvalidArgument (a query on at most one attribute; its answer assumes nothing about the reporters),
// kLimitExceeded (more than kMaxMomentCoordinates coordinates), kClassTooRare (a class has fewer than 32 sampled
// members). Throws WorkStopped. Cost: up to seconds, within the budget of `work`. Thread-safe.
Result<ClassMoments> class_moments(const Study& study, const Schema& schema, const Literals& literals, Work& work);

}  // namespace hearsay::compiler
