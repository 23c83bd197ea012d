// Says what a file holds instead of what it should hold.
#pragma once

#include <string>
#include <string_view>

#include "common/pem/pem.h"

namespace hearsay::pem {

// Says what is wrong with `text`, in which no PEM block stands: empty, a binary form, another encoding.
std::string diagnose_text(std::string_view text, PemFile::Role role);

// Says what is wrong with a file whose first block is `block`, as in "-----BEGIN block-----", and which has no block
// for the role.
std::string diagnose_block(std::string_view block, PemFile::Role role);

}  // namespace hearsay::pem
