// The literature's mechanisms, as mechanisms of the comparison. Each family has one file, literature_*.cc.
#pragma once

#include <string>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// The mechanisms that work on the list of all cells of the domain: frequency oracles; for one ordered attribute,
// hierarchical histograms and the Haar transform; for two ordered attributes, hybrid grids.
std::vector<Mechanism> mechanisms_on_cells(const Setting& setting);
Mechanism sampled_fourier(const Setting& setting);
// The mechanisms for a mean.
std::vector<Mechanism> mean_mechanisms(const Setting& setting);

// Makes a mechanism that still lacks refusals and functions.
Mechanism of_literature(const std::string& name, std::size_t payload_bytes);
// Returns how many bytes a number below `outcomes` takes.
std::size_t bytes_for(std::size_t outcomes);

}  // namespace hearsay::examples
