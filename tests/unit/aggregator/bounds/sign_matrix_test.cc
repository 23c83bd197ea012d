#include "aggregator/bounds/sign_matrix.h"

#include <doctest/doctest.h>

#include <string>

namespace hearsay::bounds {
namespace {

ErrorCode refused(const std::string& text) { return SignMatrix::parse(text).error().code; }

TEST_CASE("the file of a matrix has a line for each record and a column for each query") {
  const SignMatrix matrix = SignMatrix::parse("# comment\n+1 -1, 1\r\n\n-1\t-1 +1").value();
  CHECK(matrix.rows() == 2);
  CHECK(matrix.columns() == 3);
  CHECK(matrix(0, 1) == -1);
  CHECK(matrix(1, 2) == 1);
  CHECK(matrix.satisfying(0) == 1);
  CHECK(matrix.imbalance(0) == 0);
  CHECK(matrix.imbalance(1) == 1);
  CHECK(matrix.almost_balanced(0.5) == std::vector<std::size_t>{0});
  CHECK(matrix.with_columns({2, 0})(1, 1) == -1);
}

TEST_CASE("the error about a ragged matrix, a wrong entry or an empty file names the line") {
  for (const char* text : {"", "# only a comment\n", "1 0", "1 nan", "1 1.0", "1 -1\n1 2", "inf", "+-1", "--1"}) {
    CAPTURE(text);
    CHECK(refused(text) == ErrorCode::kInvalidArgument);
  }
  CHECK(SignMatrix::parse("1 1\n\n1\n").error().message.find("line 3") == 0);
  CHECK(SignMatrix::parse("1 1\n1 NaN\n").error().message.find("line 2") == 0);
  CHECK(SignMatrix::create(2, 2, {1, 1, 1}).error().code == ErrorCode::kInvalidArgument);
  CHECK(SignMatrix::create(1, 2, {1, 0}).error().code == ErrorCode::kInvalidArgument);
  CHECK(SignMatrix::create(0, 5, {}).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("a matrix that is too large is refused before its entries are checked") {
  CHECK(SignMatrix::create(1U << 20U, 5, {}).error().code == ErrorCode::kLimitExceeded);
  CHECK(SignMatrix::create(~std::size_t{0}, 2, {}).error().code == ErrorCode::kLimitExceeded);
  CHECK(SignMatrix::create(1025, 1025, {}).error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::bounds
