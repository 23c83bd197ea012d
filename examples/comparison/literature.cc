#include "examples/comparison/literature.h"

#include <bit>
#include <iterator>

namespace hearsay::examples {

Mechanism of_literature(const std::string& name, std::size_t payload_bytes) {
  Mechanism mechanism;
  mechanism.name = name;
  mechanism.origin = Origin::kLiterature;
  mechanism.payload_bytes = payload_bytes;
  return mechanism;
}

std::size_t bytes_for(std::size_t outcomes) { return (std::bit_width(outcomes - 1) + 7) / 8; }

std::vector<Mechanism> literature_mechanisms(const Setting& setting) {
  std::vector<Mechanism> list = mechanisms_on_cells(setting);
  if (setting.means.empty()) {
    list.push_back(sampled_fourier(setting));
  } else {
    std::vector<Mechanism> of_means = mean_mechanisms(setting);
    std::move(of_means.begin(), of_means.end(), std::back_inserter(list));
  }
  return list;
}

}  // namespace hearsay::examples
