#include "aggregator/compiler/product_form.h"

#include <doctest/doctest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "tests/unit/aggregator/compiler/brute_force.h"
#include "tests/unit/aggregator/compiler/random_questions.h"

namespace hearsay::compiler {
namespace {

using Shape = std::vector<std::size_t>;

std::size_t combinations(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<std::size_t> cells_at(const Shape& shape, std::size_t at) {
  std::vector<std::size_t> cells(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; at /= shape[i]) cells[i] = at % shape[i];
  return cells;
}

std::vector<std::uint8_t> table_of(const Shape& shape, const std::function<bool(std::span<const std::size_t>)>& f) {
  std::vector<std::uint8_t> table(combinations(shape));
  for (std::size_t at = 0; at < table.size(); ++at) table[at] = f(cells_at(shape, at)) ? 1 : 0;
  return table;
}

ProductForm checked_form(const Shape& shape, const std::vector<std::uint8_t>& f) {
  const ProductForm form = product_form(f, shape, 1, tests::work());
  for (std::size_t at = 0; at < f.size(); ++at) {
    const std::vector<std::size_t> cells = cells_at(shape, at);
    double value = form.offset;
    for (const CellProduct& product : form.products) {
      double term = product.factor;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!product.sets[i].empty()) term *= product.sets[i][cells[i]];
      }
      value += term;
    }
    REQUIRE(value == f[at]);
  }
  return form;
}

TEST_CASE(
    "a random table is a sum of products, with at most one product for each combination of all axes but the last") {
  tests::RandomQuestions draws("product form");
  for (int round = 0; round < 300; ++round) {
    Shape shape(draws.from(1, 4));
    for (std::size_t& cells : shape) cells = draws.from(2, 4);
    const std::uint32_t density = draws.from(1, 7);
    const auto f = table_of(shape, [&](std::span<const std::size_t>) { return draws.from(0, 7) < density; });
    CHECK(checked_form(shape, f).products.size() <= combinations(shape) / shape.back() + 1);
  }
}

TEST_CASE("a box, the negation of a box and a predicate on one axis take one product each") {
  const auto is_in_box = [](std::span<const std::size_t> cells) {
    return std::all_of(cells.begin(), cells.end(), [](std::size_t cell) { return cell == 1; });
  };
  for (const Shape& shape : {Shape{2, 2}, Shape{2, 3, 3}, Shape{2, 2, 2, 5}}) {
    const ProductForm box = checked_form(shape, table_of(shape, is_in_box));
    CHECK(box.products.size() == 1);
    CHECK(box.offset == 0);
    const ProductForm negation = checked_form(shape, table_of(shape, [&](const auto& c) { return !is_in_box(c); }));
    REQUIRE(negation.products.size() == 1);
    CHECK(negation.offset == 1);
    CHECK(negation.products.front().factor == -1);
  }
  const ProductForm single = checked_form({5}, {1, 0, 1, 1, 0});
  REQUIRE(single.products.size() == 1);
  CHECK(single.offset == 0);
}

TEST_CASE("equal slices become one product") {
  const Shape shape{4, 6};
  const auto f = table_of(shape, [](std::span<const std::size_t> c) { return c[0] % 2 == 0 ? c[1] < 2 : c[1] == 4; });
  CHECK(checked_form(shape, f).products.size() == 2);
}

TEST_CASE("products that need more memory than allowed are refused") {
  const Shape shape{64, 64};
  const auto f = table_of(shape, [](std::span<const std::size_t> cells) { return cells[0] + cells[1] >= 50; });
  CHECK(checked_form(shape, f).products.size() == 50);
  Work work({}, {1U << 20U, 1U << 10U});
  const auto refused = stoppable([&]() -> Result<ProductForm> { return product_form(f, shape, 100, work); });
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::compiler
