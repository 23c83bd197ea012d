// Each family of the literature's mechanisms as mechanisms of the comparison: one .cc a family, literature_*.cc.
#pragma once

#include <string>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// On the list of all cells of the domain: frequency oracles; for one ordered attribute hierarchical histograms and the
// Haar transform; for two of them hybrid grids.
std::vector<Mechanism> mechanisms_on_cells(const Setting& setting);
Mechanism sampled_fourier(const Setting& setting);
// For a mean.
std::vector<Mechanism> mean_mechanisms(const Setting& setting);

// One without refusals and functions yet.
Mechanism of_literature(const std::string& name, std::size_t payload_bytes);
// For one of so many outcomes.
std::size_t bytes_for(std::size_t outcomes);

}  // namespace hearsay::examples
