// Says what a file holds instead of the expected certificate or key.
#pragma once

#include <string>
#include <string_view>

#include "common/pem/pem.h"

namespace hearsay::pem {

// Says what is wrong with `text`, which has no PEM block: for example that the text is empty, or in a binary form.
std::string diagnose_text(std::string_view text, PemFile::Role role);

// Says what is wrong with a file that has no block for the role. `block` is the name of the first block, as in
// "-----BEGIN block-----".
std::string diagnose_block(std::string_view block, PemFile::Role role);

}  // namespace hearsay::pem
