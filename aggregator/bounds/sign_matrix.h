// A class of queries as a matrix: entry (x, f) is 1 if the query f holds for the record x, and -1 otherwise.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::bounds {

class SignMatrix {
 public:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 22U;
  // min(rows(), columns()) is at most kMaxSide. Singular values of larger matrices would take too long.
  static constexpr std::size_t kMaxSide = 1024;

  // Makes a matrix of `entries`, row by row. Errors: kInvalidArgument (no row or no column, another number of entries,
  // an entry other than 1 and -1), kLimitExceeded.
  static Result<SignMatrix> create(std::size_t rows, std::size_t columns, std::vector<std::int8_t> entries);
  // Reads the text of a file in the form of format.md. Errors: those of create(), kInvalidArgument (a row is longer or
  // shorter than the first); the message names the line.
  static Result<SignMatrix> parse(std::string_view text);

  std::size_t rows() const { return rows_; }        // M, the records
  std::size_t columns() const { return columns_; }  // N, the queries
  int operator()(std::size_t row, std::size_t column) const { return entries_[row * columns_ + column]; }

  // Returns the number of records that satisfy the query.
  std::size_t satisfying(std::size_t column) const;
  // Returns ||X_{f,1}| - |X_{f,0}|| / |X|, where X_{f,1} are the records that satisfy the query f, and X_{f,0} the
  // others. The result is 0 for a balanced query and 1 for a constant query.
  double imbalance(std::size_t column) const;
  // Returns the queries with an imbalance of at most `most`: the subclass of Aldà and Simon 2014, Theorem 5.
  std::vector<std::size_t> almost_balanced(double most) const;
  // Returns the matrix of the given columns, at least one.
  SignMatrix with_columns(const std::vector<std::size_t>& columns) const;

 private:
  SignMatrix(std::size_t rows, std::size_t columns, std::vector<std::int8_t> entries)
      : rows_(rows), columns_(columns), entries_(std::move(entries)) {}

  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::int8_t> entries_;
};

}  // namespace hearsay::bounds
