// The literature's mechanisms, as mechanisms of the comparison. Each family has one file, literature_*.cc.
#pragma once

#include <string>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// Makes the mechanisms that work on the list of all cells of the domain. These are frequency oracles for any schema,
// hierarchical histograms and the Haar transform for one ordered attribute, and hybrid grids for two.
std::vector<Mechanism> mechanisms_on_cells(const Setting& setting);
Mechanism sampled_fourier(const Setting& setting);
// Makes the mechanisms for the mean of an ordered attribute.
std::vector<Mechanism> mean_mechanisms(const Setting& setting);

// Makes a mechanism that has only a name and a size. The caller adds refusals and functions.
Mechanism of_literature(const std::string& name, std::size_t payload_bytes);
// Returns the number of bytes of a number below `outcomes`.
std::size_t bytes_for(std::size_t outcomes);

}  // namespace hearsay::examples
