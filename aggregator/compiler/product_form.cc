#include "aggregator/compiler/product_form.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "aggregator/compiler/relevant_table.h"

namespace hearsay::compiler {
namespace {

// A function of the axes behind one axis, and the cells of this axis for which f is this function.
struct Slice {
  std::span<const std::uint8_t> f;
  CellSet cells;
};

bool is_constant(std::span<const std::uint8_t> f, std::uint8_t value) {
  return std::all_of(f.begin(), f.end(), [&](std::uint8_t at) { return at == value; });
}

class ProductWriter {
 public:
  ProductWriter(std::span<const std::size_t> cells, std::uint64_t bytes_per_product, Work& work)
      : cells_(cells), bytes_per_product_(bytes_per_product), work_(work), at_{1, std::vector<CellSet>(cells.size())} {}

  // Adds the product `at_` times f, or `at_` times 1 - f if `negated`. f is a function of the axes from `axis` on.
  void add(std::span<const std::uint8_t> f, std::size_t axis, bool negated) {
    const std::uint8_t zero = negated ? 1 : 0;
    if (axis + 1 == cells_.size()) return add_last(f, axis, zero);
    const std::vector<Slice> slices = slices_of(f, axis);
    if (slices.size() == 1) return add(f.first(f.size() / cells_[axis]), axis + 1, negated);
    const auto is_somewhere = [&](std::uint8_t value) {
      return std::any_of(slices.begin(), slices.end(), [&](const Slice& s) { return is_constant(s.f, value); });
    };
    // If some slice is the constant 1 and none is the constant 0, writes f as 1 - (1 - f): the constant slice adds no
    // product to 1 - f.
    if (!is_somewhere(zero) && is_somewhere(1 - zero)) {
      write();
      at_.factor = -at_.factor;
      add_slices(slices, axis, !negated);
      at_.factor = -at_.factor;
    } else {
      add_slices(slices, axis, negated);
    }
  }

  ProductForm take() { return std::move(result_); }

 private:
  void add_last(std::span<const std::uint8_t> f, std::size_t axis, std::uint8_t zero) {
    if (is_constant(f, zero)) return;
    if (!is_constant(f, 1 - zero)) {
      for (const std::uint8_t value : f) at_.sets[axis].push_back(value ^ zero);
    }
    write();
    at_.sets[axis].clear();
  }

  void add_slices(const std::vector<Slice>& slices, std::size_t axis, bool negated) {
    for (const Slice& slice : slices) {
      at_.sets[axis] = slice.cells;
      add(slice.f, axis + 1, negated);
    }
    at_.sets[axis].clear();
  }

  std::vector<Slice> slices_of(std::span<const std::uint8_t> f, std::size_t axis) {
    const std::size_t size = f.size() / cells_[axis];
    std::vector<Slice> slices;
    std::unordered_map<std::string_view, std::size_t> number;
    for (std::size_t cell = 0; cell < cells_[axis]; ++cell) {
      const std::span<const std::uint8_t> slice = f.subspan(cell * size, size);
      work_.spend(size / kBytesPerStep + 1);
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are compared
      const std::string_view bytes(reinterpret_cast<const char*>(slice.data()), size);
      const auto [entry, is_new] = number.try_emplace(bytes, slices.size());
      if (is_new) slices.push_back({slice, CellSet(cells_[axis], 0)});
      slices[entry->second].cells[cell] = 1;
    }
    return slices;
  }

  void write() {
    const auto is_all = [](const CellSet& set) { return set.empty(); };
    if (std::all_of(at_.sets.begin(), at_.sets.end(), is_all)) {
      result_.offset += at_.factor;
      return;
    }
    work_.hold(bytes_per_product_, kFewerAttributes);
    result_.products.push_back(at_);
  }

  static constexpr std::size_t kBytesPerStep = 8;

  std::span<const std::size_t> cells_;
  std::uint64_t bytes_per_product_;
  Work& work_;
  CellProduct at_;
  ProductForm result_;
};

}  // namespace

ProductForm product_form(std::span<const std::uint8_t> f, std::span<const std::size_t> cells,
                         std::uint64_t bytes_per_product, Work& work) {
  ProductWriter writer(cells, bytes_per_product, work);
  writer.add(f, 0, false);
  return writer.take();
}

}  // namespace hearsay::compiler
